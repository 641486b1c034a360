#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bl/choice.hpp"
#include "choice/prepared.hpp"
#include "choice/reading.hpp"
#include "economics/economics.hpp"
#include "report/chart.hpp"
#include "report/choice_subject.hpp"
#include "report/html.hpp"
#include "report/quality.hpp"

namespace bl::report {

namespace {

constexpr Index kPlaces = 25;

bool varies(const ColumnView& view) {
  return *std::max_element(view.histogram.begin(), view.histogram.end()) < 0.999;
}

// What was chosen in rows, what was likeliest in columns.
std::string hit_table(const ChoiceData& data, const ChoiceScores& scores) {
  const std::size_t n = data.alternatives.size();
  std::vector<std::vector<double>> counts(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(data.begin[i]),
               end = static_cast<std::size_t>(data.begin[i + 1]);
    const auto best = static_cast<std::size_t>(
        std::max_element(scores.probability.begin() + static_cast<std::ptrdiff_t>(begin),
                         scores.probability.begin() + static_cast<std::ptrdiff_t>(end)) -
        scores.probability.begin());
    const auto chosen =
        static_cast<std::size_t>(data.classes[begin + static_cast<std::size_t>(data.chosen[i])]);
    counts[chosen][static_cast<std::size_t>(data.classes[best])] += data.weight(i);
  }
  HtmlTable out{.caption = "Hits: what was chosen in rows, what was likeliest in columns; share of the row",
                .columns = {"chosen"},
                .rows = {}};
  for (const std::string& name : data.alternatives) out.columns.push_back(escaped(name));
  out.columns.emplace_back("situations");
  for (std::size_t a = 0; a < n; ++a) {
    const double sum = std::accumulate(counts[a].begin(), counts[a].end(), 0.0);
    std::vector<std::string> row = {escaped(data.alternatives[a])};
    for (const double count : counts[a])
      row.push_back(fmt::format("<span class=\"shade\" style=\"background-size:{:.0f}% 100%\">{}</span>",
                                sum > 0 ? 100 * count / sum : 0, sum > 0 ? percent(count / sum) : "–"));
    row.push_back(number(sum));
    out.rows.push_back(std::move(row));
  }
  return table(out);
}

}  // namespace

Quality choice_quality(const FittedModel& model, const ChoiceData& data, const std::string& rows,
                       const Context& job) {
  const ChoiceScores scores = score_choices(model, data, job, UnseenLevels::missing);
  ChoiceData weighted = data;
  std::vector<MetricWithError> metrics =
      resampled_errors(data.chosen.size(), data.weights, data.persons, [&](std::span<const double> w) {
        weighted.weights.assign(w.begin(), w.end());
        return choice_metrics(weighted, scores);
      });
  for (MetricWithError& one : metrics)
    if (one.metric.name == "situations") one.error = kNone;
  std::vector<double> picked(data.classes.size(), 0);
  for (std::size_t i = 0; i < data.chosen.size(); ++i)
    picked[static_cast<std::size_t>(data.begin[i]) + static_cast<std::size_t>(data.chosen[i])] = 1;
  const std::vector<double> predicted = mean_shares(data, data.classes, scores.probability);
  const std::vector<double> observed = mean_shares(data, data.classes, picked);
  BarChart chart{.title = "Market shares, predicted and observed", .bars = {}, .percent = true};
  for (std::size_t a = 0; a < data.alternatives.size(); ++a)
    chart.bars.push_back({.label = data.alternatives[a], .value = predicted[a], .second = observed[a]});
  std::string out = metrics_table(metrics, rows) +
                    figure("<b>Shares.</b> Predicted (first bar) and observed (second).", bar_chart(chart)) +
                    hit_table(data, scores);
  return {std::move(out), headline(metrics, {"rho_square", "accuracy"}, rows)};
}

namespace {

// Probabilities along one attribute of one alternative.
NamedChart attribute_chart(const ChoiceSubject& s, std::size_t a, std::size_t k) {
  const std::size_t n = s.all.alternatives.size();
  const ColumnView& view = s.attributes[a][k];
  ChoiceData data = repeated_situation(s, kPlaces);
  std::vector<double> places;
  for (Index i = 0; i < kPlaces; ++i) {
    places.push_back(view.low + (view.high - view.low) * static_cast<double>(i) / (kPlaces - 1));
    data.attributes(i * static_cast<Index>(n) + static_cast<Index>(a), static_cast<Index>(k)) = places.back();
  }
  const ChoiceScores scores = score_choices(s.fitted, data, s.job, UnseenLevels::missing);
  const std::string name = fmt::format("{} of {}", view.name, s.all.alternatives[a]);
  LineChart chart{.title = "Probabilities along " + name,
                  .x_label = name,
                  .y_label = "probability",
                  .lines = {},
                  .y_low = 0,
                  .y_high = 1,
                  .histogram = view.histogram,
                  .marks = {s.start_attributes(static_cast<Index>(a), static_cast<Index>(k))}};
  for (std::size_t b = 0; b < std::min(n, kStyles); ++b) {
    Line line{s.all.alternatives[b], places, {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(kPlaces); ++i)
      line.y.push_back(scores.probability[i * n + b]);
    chart.lines.push_back(std::move(line));
  }
  return {name, "", line_chart(chart)};
}

}  // namespace

std::vector<NamedChart> choice_charts(const ChoiceSubject& s, const std::vector<std::string>& names) {
  std::vector<NamedChart> out;
  for (std::size_t a = 0; a < s.all.alternatives.size(); ++a)
    for (std::size_t k = 0; k < s.attributes[a].size(); ++k)
      if (varies(s.attributes[a][k]) &&
          (names.empty() || std::find(names.begin(), names.end(), s.attributes[a][k].name) != names.end()))
        out.push_back(attribute_chart(s, a, k));
  return out;
}

std::vector<std::string> choice_legend(const ChoiceSubject& s) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(s.all.alternatives.size(), kStyles));
  return {s.all.alternatives.begin(), s.all.alternatives.begin() + count};
}

std::string choice_curves(const ChoiceSubject& s) {
  if (!s.fitted.choice().schema.terms.empty())
    return paragraph(
        "Attributes of this model also count through terms that are computed from them, so none is moved "
        "alone here.",
        "note");
  std::string out = legend(choice_legend(s)) + "<div class=\"figures\">";
  for (const NamedChart& chart : choice_charts(s, {})) out += figure(chart);
  return out + "</div>\n";
}

std::string economics_html(const ChoiceSubject& s) {
  const ChoiceData base = read_part(s.fitted, s.data.impl().table, Part::all, false);  // rankings stay whole
  PreparedChoices choices(base);
  std::string out;
  if (!s.money.empty()) {
    HtmlTable t{.caption = fmt::format(
                    "Trade-offs: how many units of {} a unit of an attribute is worth (dV/dattribute "
                    "over dV/d{})",
                    escaped(s.money), escaped(s.money)),
                .columns = {"attribute", "value", "quartiles over situations"},
                .rows = {}};
    for (const std::string& name : attributes(s.model)) {
      if (name == s.money) continue;
      const ChoiceTradeOff worth = trade_off(s.model, choices, name, s.money, {}, s.job);
      t.rows.push_back({escaped(name), with_error(worth.value, worth.standard_error),
                        worth.lower_quartile == worth.upper_quartile
                            ? "the same everywhere"
                            : number(worth.lower_quartile) + " to " + number(worth.upper_quartile)});
    }
    if (!t.rows.empty()) out += table(t);
  }
  std::string tables;
  for (const std::string& name : attributes(s.model)) {
    const ChoiceElasticities e = elasticities(s.model, choices, name, {}, s.job);
    HtmlTable t{
        .caption = fmt::format("Elasticities: percent change of a share (rows) per percent of {} of an "
                               "alternative (columns)",
                               escaped(name)),
        .columns = {"share of"},
        .rows = {}};
    for (const std::string& alternative : e.alternatives) t.columns.push_back(escaped(alternative));
    for (std::size_t j = 0; j < e.by.size(); ++j) {
      t.rows.push_back({escaped(e.alternatives[j])});
      for (std::size_t k = 0; k < e.by[j].size(); ++k)
        t.rows.back().push_back(with_error(e.by[j][k], e.errors[j][k]));
    }
    if (name == s.money || (s.money.empty() && tables.empty()))
      out += table(t);
    else
      tables += table(t);
  }
  return out + (tables.empty() ? "" : details("Elasticities of the other attributes", tables));
}

}  // namespace bl::report

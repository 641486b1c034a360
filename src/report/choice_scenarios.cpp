#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "choice/prepared.hpp"
#include "choice/reading.hpp"
#include "economics/choice_sums.hpp"
#include "features/choice_terms.hpp"
#include "report/chart.hpp"
#include "report/choice_subject.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr double kScenarioWork = 4e7;  // parameters times situations of one scenario
constexpr std::size_t kMostSimulated = 2000, kLeastSimulated = 200;

ChoiceData thinned(const ChoiceSubject& s) {
  const auto parameters = static_cast<double>(s.fitted.stored.parameters.size());
  const auto most = std::clamp(static_cast<std::size_t>(kScenarioWork / std::max(1.0, parameters)),
                               kLeastSimulated, kMostSimulated);
  return select_situations(s.all, thinned_rows(all_rows(s.all.situations()), most));
}

bool changes(const ChoiceData& data, std::size_t alternative, std::size_t attribute) {
  for (std::size_t j = 0; j < data.classes.size(); ++j)
    if (static_cast<std::size_t>(data.classes[j]) == alternative &&
        data.attributes(static_cast<Index>(j), static_cast<Index>(attribute)) != 0)
      return true;
  return false;
}

}  // namespace

const std::vector<double>& scenario_factors() {
  static const std::vector<double> factors = {0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5};
  return factors;
}

Scenarios attribute_scenarios(const ChoiceSubject& s) {
  const ChoiceSchema& schema = s.fitted.choice().schema;
  const ChoiceData data = thinned(s);
  PreparedChoices now(data, UnseenLevels::missing);
  const ChoiceScores before = now.scores(s.fitted, s.job);
  const std::vector<double> worth =
      s.money.empty() ? std::vector<double>()
                      : worth_of_money(data, before, now.marginal_utilities(s.fitted, s.job),
                                       static_cast<Index>(attribute_of(s.fitted, s.money)));
  const bool valued = !worth.empty() && !worthless(worth);
  Scenarios out{.situations = data.chosen.size(), .entries = {}};
  for (std::size_t a = 0; a < data.alternatives.size(); ++a)
    for (std::size_t k = 0; k < std::min(s.attributes[a].size(), schema.declared); ++k) {
      if (!changes(data, a, k)) continue;
      AttributeScenario entry{.alternative = a, .attribute = k};
      for (const double factor : scenario_factors()) {
        ChoiceData changed = data;
        for (std::size_t j = 0; j < data.classes.size(); ++j)
          if (static_cast<std::size_t>(data.classes[j]) == a)
            changed.attributes(static_cast<Index>(j), static_cast<Index>(k)) *= factor;
        compute_terms(schema, lacks_by_schema(schema, changed), changed);
        const ChoiceScores after = PreparedChoices(changed, UnseenLevels::missing).scores(s.fitted, s.job);
        const Surplus surplus = surplus_change(data, before, after, worth);
        entry.shares.push_back(mean_shares(changed, changed.classes, after.probability));
        entry.surplus.push_back(surplus.utility);
        if (valued) entry.money.push_back(surplus.money);
      }
      out.entries.push_back(std::move(entry));
    }
  return out;
}

std::string scenarios_html(const ChoiceSubject& s, const Scenarios& scenarios) {
  const std::vector<std::string>& names = s.fitted.choice().schema.attributes;
  std::string first, rest;
  for (const AttributeScenario& entry : scenarios.entries) {
    const std::string name =
        fmt::format("{} of {}", names[entry.attribute], s.all.alternatives[entry.alternative]);
    LineChart chart{.title = "Market shares under another " + name,
                    .x_label = "factor of " + name,
                    .y_label = "market share",
                    .lines = {},
                    .y_low = 0,
                    .y_high = 1,
                    .marks = {1}};
    for (std::size_t a = 0; a < std::min(s.all.alternatives.size(), kStyles); ++a) {
      Line line{s.all.alternatives[a], scenario_factors(), {}};
      for (const auto& shares : entry.shares) line.y.push_back(shares[a]);
      chart.lines.push_back(std::move(line));
    }
    const std::string text =
        entry.money.empty()
            ? fmt::format("surplus changes by {:.3g} (× 0.9) and {:.3g} (× 1.1), in units of utility",
                          entry.surplus[4], entry.surplus[6])
            : fmt::format(
                  "surplus per situation changes by {:.3g} (× 0.9) and {:.3g} (× 1.1), in units of {}",
                  entry.money[4], entry.money[6], escaped(s.money));
    (names[entry.attribute] == s.money || (s.money.empty() && entry.attribute == 0) ? first : rest) +=
        figure("<b>" + escaped(name) + "</b>: " + text, line_chart(chart));
  }
  return paragraph(fmt::format(
             "Market shares when an attribute of one alternative is multiplied by a factor in every "
             "situation ({} situations, evenly chosen).",
             scenarios.situations)) +
         legend({s.all.alternatives.begin(),
                 s.all.alternatives.begin() +
                     static_cast<std::ptrdiff_t>(std::min(s.all.alternatives.size(), kStyles))}) +
         "<div class=\"figures\">" + first + "</div>\n" +
         (rest.empty() ? "" : details("Other attributes", "<div class=\"figures\">" + rest + "</div>"));
}

}  // namespace bl::report

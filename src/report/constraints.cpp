#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bl/explain.hpp"
#include "economics/constraints.hpp"
#include "economics/economics.hpp"
#include "report/chart.hpp"
#include "report/choice_subject.hpp"
#include "report/html.hpp"
#include "report/matters.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kMostRows = 300, kFirst = 12;
constexpr double kTermsWork = 6e7;  // terms evaluated, about two seconds

bool has_constraints(const Architecture& a) {
  return std::any_of(a.layers.begin(), a.layers.end(), [](const LayerSpec& layer) {
    return layer.heads(HeadKind::inequality) + layer.heads(HeadKind::equality) > 0;
  });
}

std::size_t rows_within_work(const FittedModel& model) {
  const auto parameters = static_cast<double>(model.stored.parameters.size());
  return std::clamp<std::size_t>(static_cast<std::size_t>(kTermsWork / std::max(1.0, parameters)), 20,
                                 kMostRows);
}

std::vector<std::string> row_of(const OutputTable& t, std::size_t i) {
  const auto value = [&](std::size_t column) { return t.columns[column].numbers[i]; };
  const bool inequality = t.columns[1].texts[i] == "<= 0";
  const std::vector<double> shares = {value(3), value(4), value(5)};
  const std::string words = inequality
                                ? fmt::format("slack {}, binding {}, violated {}", percent(shares[0]),
                                              percent(shares[1]), percent(shares[2]))
                                : fmt::format("met {}, off {}", percent(shares[1]), percent(shares[2]));
  return {fmt::format("<a href=\"#block-{0}\">{1}</a> {2}",
                      t.columns[0].texts[i].substr(0, t.columns[0].texts[i].rfind('.')),
                      t.columns[0].texts[i], inequality ? "≤ 0" : "= 0"),
          number(value(2)), stacked_bar(words, shares) + "<br><small>" + words + "</small>",
          fmt::format("{} <small>({} to {})</small>", number(value(8)), number(value(6)), number(value(10))),
          number(value(11))};
}

std::string no_constraints() {
  return paragraph("This model has no constraints: every head is a utility.");
}

// The highest shadow prices first; most of them on demand.
std::string diagnostics_html(const OutputTable& t, const std::string& caption) {
  std::vector<std::size_t> order(t.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(t.columns[11].numbers[a]) > std::abs(t.columns[11].numbers[b]);
  });
  HtmlTable first{
      .caption = caption + "; the highest shadow prices first",
      .columns = {"constraint", "weight λ", "how often", "slack: median (5% to 95%)", "shadow price"},
      .rows = {}};
  HtmlTable rest{.caption = "", .columns = first.columns, .rows = {}};
  for (std::size_t i = 0; i < order.size() && i < 5 * kFirst; ++i)
    (i < kFirst ? first : rest).rows.push_back(row_of(t, order[i]));
  std::string out = legend({"slack", "binding or met", "violated or off"}) + table(first);
  if (!rest.rows.empty())
    out += details(fmt::format("{} more{}", rest.rows.size(),
                               order.size() > 5 * kFirst ? fmt::format(" of {}", order.size() - kFirst) : ""),
                   table(rest));
  return out;
}

}  // namespace

std::string constraints_html(const TableSubject& s) {
  if (!has_constraints(s.fitted.stored.architecture)) return no_constraints();
  const std::vector<Index> rows = thinned_rows(s.judged.places, rows_within_work(s.fitted));
  return diagnostics_html(constraint_diagnostics(s.model, data_of(chosen_rows(s.table, rows)), {}, s.job),
                          fmt::format("Over {} rows, at their observed responses", rows.size()));
}

std::string constraints_html(const ChoiceSubject& s) {
  if (!has_constraints(s.fitted.stored.architecture)) return no_constraints();
  const std::vector<Index> situations =
      thinned_rows(all_rows(s.judged.situations()), rows_within_work(s.fitted));
  return diagnostics_html(situation_constraints(s.fitted, select_situations(s.judged, situations), s.job),
                          fmt::format("Over {} situations, at the chosen alternatives", situations.size()));
}

}  // namespace bl::report

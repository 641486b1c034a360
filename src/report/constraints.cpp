#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bl/explain.hpp"
#include "report/chart.hpp"
#include "report/html.hpp"
#include "report/matters.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kMostRows = 300, kFirst = 12;
constexpr double kWork = 6e7;  // terms evaluated, about two seconds

bool has_constraints(const Architecture& a) {
  return std::any_of(a.layers.begin(), a.layers.end(), [](const LayerSpec& layer) {
    return layer.heads(HeadKind::inequality) + layer.heads(HeadKind::equality) > 0;
  });
}

std::size_t rows_within_work(const FittedModel& model) {
  const auto parameters = static_cast<double>(model.stored.parameters.size());
  return std::clamp<std::size_t>(static_cast<std::size_t>(kWork / std::max(1.0, parameters)), 20, kMostRows);
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

}  // namespace

std::string constraints_html(const TableSubject& s) {
  if (!has_constraints(s.fitted.stored.architecture))
    return paragraph("This model has no constraints: every head is a utility.");
  const std::vector<Index> rows = thinned_rows(s.judged.places, rows_within_work(s.fitted));
  const OutputTable t = constraint_diagnostics(s.model, data_of(chosen_rows(s.table, rows)), {});
  std::vector<std::size_t> order(t.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(t.columns[11].numbers[a]) > std::abs(t.columns[11].numbers[b]);
  });
  HtmlTable first{
      .caption = fmt::format("Over {} rows, at their observed responses; the highest shadow prices first",
                             rows.size()),
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

}  // namespace bl::report

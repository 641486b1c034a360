#include "report/matters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bl/explain.hpp"
#include "economics/economics.hpp"
#include "explain/hierarchy.hpp"
#include "report/chart.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kParts = 8, kMostColumns = 60, kBars = 20;
constexpr std::size_t kClassRows = 2000, kNumberRows = 400;

std::size_t place_of(const TableSubject& s, const std::string& name) {
  for (std::size_t i = 0; i < s.columns.size(); ++i)
    if (s.columns[i].name == name) return i;
  return s.columns.size();
}

bool larger(const ColumnImportance& a, const ColumnImportance& b) {
  return a.value > b.value;
}

Importance lost_likelihood(const TableSubject& s) {
  const bool classes = s.fitted.space.values() == 0;
  const std::vector<Index> rows = thinned_rows(s.judged.places, classes ? kClassRows : kNumberRows);
  const std::size_t parts = std::min(kParts, rows.size());
  std::map<std::size_t, std::vector<double>> found;
  for (std::size_t p = 0; p < parts; ++p) {
    std::vector<Index> part;
    for (std::size_t i = p; i < rows.size(); i += parts) part.push_back(rows[i]);
    const OutputTable lost = importance(s.model, data_of(chosen_rows(s.table, part)), {}, s.job);
    for (std::size_t i = 0; i < lost.rows; ++i)
      found[place_of(s, lost.columns[0].texts[i])].push_back(lost.columns.back().numbers[i]);
  }
  Importance out{.columns = {}, .likelihood = true, .rows = rows.size()};
  for (const auto& [column, values] : found) {
    if (column == s.columns.size()) continue;  // terms of the response alone
    const auto count = static_cast<double>(values.size());
    double mean = 0, square = 0;
    for (const double value : values) mean += value / count;
    for (const double value : values) square += (value - mean) * (value - mean);
    out.columns.push_back({column, mean, count > 1 ? std::sqrt(square / (count - 1) / count) : kNone});
  }
  return out;
}

}  // namespace

// Shares of what the blocks read, each block counted by its influence.
Importance reading_shares(const TableSubject& s) {
  std::map<std::size_t, double> shares;
  const explain::Problem problem = problem_of(s.fitted, explain::Units::standardised);
  for (const auto& layer : explain::hierarchy(problem, 1))
    for (const explain::BlockProfile& block : layer)
      for (const explain::ColumnShare& one : block.columns)
        if (!one.response) shares[place_of(s, one.column)] += block.influence * one.share;
  Importance out{.columns = {}, .likelihood = false};
  double sum = 0;
  for (const auto& [column, share] : shares) sum += column < s.columns.size() ? share : 0;
  for (const auto& [column, share] : shares)
    if (column < s.columns.size()) out.columns.push_back({column, sum > 0 ? share / sum : 0, kNone});
  std::stable_sort(out.columns.begin(), out.columns.end(), larger);
  return out;
}

Importance column_importance(const TableSubject& s) {
  const bool likelihood = s.columns.size() <= kMostColumns && s.fitted.space.values() <= 1;
  Importance out = likelihood ? lost_likelihood(s) : reading_shares(s);
  std::stable_sort(out.columns.begin(), out.columns.end(), larger);
  return out;
}

std::string importance_html(const TableSubject& s, const Importance& importance) {
  BarChart chart{.title = "Importance of columns", .bars = {}, .percent = !importance.likelihood};
  for (const ColumnImportance& one : importance.columns)
    if (chart.bars.size() < kBars)
      chart.bars.push_back({.label = s.columns[one.column].name, .value = one.value, .error = one.error});
  const std::string rest = importance.columns.size() > kBars
                               ? fmt::format(" The {} largest of {}.", kBars, importance.columns.size())
                               : "";
  return figure(
      importance.likelihood
          ? fmt::format("What the mean log-likelihood loses when the terms of a column are removed, over "
                        "{} rows; whiskers are one standard error. Near zero: the model hardly needs "
                        "the column.{}",
                        importance.rows, rest)
          : "Share of what the blocks read of each column, weighted by the influence of blocks; no errors: "
            "it is a property of the parameters, not of rows." +
                rest,
      bar_chart(chart));
}

std::vector<std::string> leading_constraints(const explain::Problem& problem, std::size_t most) {
  struct Found {
    std::string name;
    double size;
  };
  std::vector<Found> found;
  for (const auto& layer : explain::hierarchy(problem, 1))
    for (const explain::BlockProfile& block : layer)
      for (const explain::Head& head : block.block->heads) {
        double size = 0;
        for (const auto& term : head.terms) size += term.size;
        if (head.kind != HeadKind::utility)
          found.push_back({head.name, block.influence * std::abs(head.lambda) * size});
      }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.size > b.size; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) names.push_back(found[i].name);
  return names;
}

}  // namespace bl::report

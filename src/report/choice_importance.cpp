#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "choice/prepared.hpp"
#include "economics/importance.hpp"
#include "report/chart.hpp"
#include "report/choice_subject.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kMostSituations = 2000, kLeastSituations = 100, kChoiceBars = 20;
constexpr double kWork = 2e8;  // parameters times situations times columns

// Weighted mean of the losses; a person's choices are one observation of its standard error.
Bar bar_of(const std::string& name, const ChoiceData& data, const std::vector<double>& whole,
           const std::vector<double>& reduced) {
  double total = 0, mean = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    total += data.weight(i);
    mean += data.weight(i) * (whole[i] - reduced[i]);
  }
  mean /= total;
  std::map<std::size_t, double> sums;
  for (std::size_t i = 0; i < whole.size(); ++i)
    sums[data.persons.empty() ? i : static_cast<std::size_t>(data.persons[i])] +=
        data.weight(i) * (whole[i] - reduced[i] - mean);
  double square = 0;
  for (const auto& [person, sum] : sums) square += sum * sum;
  return {.label = name, .value = mean, .error = sums.size() > 1 ? std::sqrt(square) / total : kNone};
}

}  // namespace

std::string choice_importance(const ChoiceSubject& s) {
  const std::vector<Removal> columns = removals(s.fitted, false);
  const double work = static_cast<double>(s.fitted.stored.parameters.size() * (columns.size() + 1));
  const auto most =
      std::clamp(static_cast<std::size_t>(kWork / std::max(1.0, work)), kLeastSituations, kMostSituations);
  const ChoiceData data = select_situations(s.judged, thinned_rows(all_rows(s.judged.situations()), most));
  PreparedChoices choices(data, UnseenLevels::missing);
  const auto judged = [&](const FittedModel& model) {
    return log_probabilities(data, choices.scores(model, s.job));
  };
  const std::vector<double> whole = judged(s.fitted);
  BarChart chart{.title = "Importance of columns and attributes", .bars = {}};
  for (const Removal& one : columns)
    chart.bars.push_back(bar_of(one.column, data, whole, judged(without(s.fitted, one))));
  std::stable_sort(chart.bars.begin(), chart.bars.end(),
                   [](const Bar& a, const Bar& b) { return a.value > b.value; });
  const std::size_t count = chart.bars.size();
  if (count > kChoiceBars) chart.bars.resize(kChoiceBars);
  return figure(
      fmt::format(
          "What the mean log-likelihood loses when the terms of a column or an attribute are removed, "
          "over {} situations; whiskers are one standard error{}. Near zero: the model hardly needs "
          "it.{}",
          data.chosen.size(), data.persons.empty() ? "" : ", by person",
          count > kChoiceBars ? fmt::format(" The {} largest of {}.", kChoiceBars, count) : ""),
      bar_chart(chart));
}

}  // namespace bl::report

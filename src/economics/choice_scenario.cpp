#include "economics/choice_scenario.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "choice/reading.hpp"

namespace bl {

namespace {

std::int32_t alternative_of(const ChoiceData& data, const std::string& name) {
  const auto found = std::find(data.alternatives.begin(), data.alternatives.end(), name);
  if (found == data.alternatives.end())
    throw UsageError("there is no alternative " + in_quotes(name) + " among " +
                     quoted_list(data.alternatives) + did_you_mean(name, data.alternatives));
  return static_cast<std::int32_t>(found - data.alternatives.begin());
}

// The attributes of one alternative as a table, one row per entry.
Table attribute_table(const FittedModel& model, const ChoiceData& data, const std::vector<Index>& entries) {
  Table table;
  table.source = "attributes";
  table.rows = static_cast<Index>(entries.size());
  const std::vector<std::string>& names = model.choice().schema.attributes;
  for (std::size_t k = 0; k < names.size(); ++k) {
    Column column;
    column.name = names[k];
    for (const Index entry : entries) column.numbers.push_back(data.attributes(entry, static_cast<Index>(k)));
    table.columns.push_back(std::move(column));
  }
  return table;
}

void apply_change(const FittedModel& model, const ChoiceScenario::Change& change, ChangedChoices& scenario) {
  const auto attribute = static_cast<Index>(attribute_of(model, change.attribute));
  ChoiceData& data = scenario.data;
  const std::int32_t alternative = alternative_of(scenario.data, change.alternative);
  std::vector<Index> entries;
  for (std::size_t j = 0; j < scenario.names.size(); ++j)
    if (scenario.names[j] == alternative) entries.push_back(static_cast<Index>(j));
  const auto values = Expression::parse(change.expression).evaluate(attribute_table(model, data, entries));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (std::isnan(values[k])) {
      const auto situation =
          std::upper_bound(data.begin.begin(), data.begin.end(), entries[k]) - data.begin.begin() - 1;
      throw DataError(change.expression + " is not a number in situation " +
                      in_quotes(data.labels[static_cast<std::size_t>(situation)]));
    }
    data.attributes(entries[k], attribute) = values[k];
  }
}

// Every situation without the entries of the names that are gone, and with those of `copied` once more, under
// the name `copy_name`, at the end.
ChangedChoices with_entries(const ChangedChoices& from, std::int32_t copied, std::int32_t copy_name,
                            const std::vector<bool>& gone) {
  ChangedChoices to;
  to.data = from.data;
  to.data.classes.clear();
  to.data.begin = {0};
  to.data.chosen.assign(from.data.chosen.size(), kUnknownChoice);
  std::vector<Index> rows;
  const auto keep = [&](std::size_t entry, std::int32_t name) {
    rows.push_back(static_cast<Index>(entry));
    to.data.classes.push_back(from.data.classes[entry]);
    to.names.push_back(name);
  };
  for (std::size_t i = 0; i < from.data.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(from.data.begin[i]),
               end = static_cast<std::size_t>(from.data.begin[i + 1]);
    for (std::size_t j = begin; j < end; ++j)
      if (!gone[static_cast<std::size_t>(from.names[j])]) keep(j, from.names[j]);
    for (std::size_t j = begin; j < end; ++j)
      if (from.names[j] == copied) keep(j, copy_name);
    if (static_cast<std::int64_t>(rows.size()) == to.data.begin.back())
      throw UsageError("situation " + in_quotes(from.data.labels[i]) + " would have no alternative left");
    to.data.begin.push_back(static_cast<std::int64_t>(rows.size()));
  }
  to.data.attributes.resize(static_cast<Index>(rows.size()), from.data.attributes.cols());
  for (std::size_t j = 0; j < rows.size(); ++j)
    std::copy_n(from.data.attributes.row(rows[j]), from.data.attributes.cols(),
                to.data.attributes.row(static_cast<Index>(j)));
  return to;
}

ChangedChoices with_addition(const ChangedChoices& scenario, const ChoiceScenario::Addition& addition) {
  const auto& names = scenario.data.alternatives;
  if (addition.name.empty()) throw UsageError("an alternative that is added needs a name");
  if (std::find(names.begin(), names.end(), addition.name) != names.end())
    throw UsageError("there is already an alternative " + in_quotes(addition.name) +
                     "; give what is added another name");
  ChangedChoices out =
      with_entries(scenario, alternative_of(scenario.data, addition.like),
                   static_cast<std::int32_t>(names.size()), std::vector<bool>(names.size(), false));
  out.data.alternatives.push_back(addition.name);
  return out;
}

}  // namespace

ChangedChoices apply_scenario(const FittedModel& model, const ChoiceData& base,
                              const ChoiceScenario& scenario) {
  ChangedChoices out{.data = base, .names = base.classes};
  for (const ChoiceScenario::Addition& addition : scenario.added) out = with_addition(out, addition);
  for (const ChoiceScenario::Change& change : scenario.changes) apply_change(model, change, out);
  if (scenario.withdrawn.empty()) return out;
  std::vector<bool> gone(out.data.alternatives.size(), false);
  for (const std::string& name : scenario.withdrawn)
    gone[static_cast<std::size_t>(alternative_of(out.data, name))] = true;
  constexpr std::int32_t kNone = -1;
  return with_entries(out, kNone, kNone, gone);
}

}  // namespace bl

#include "economics/choice_scenario.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "choice/reading.hpp"
#include "features/choice_rivals.hpp"

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
  for (std::size_t k = 0; k < model.choice().schema.declared; ++k) {
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
  to.data.ranks.clear();
  to.touched = from.touched;
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
  out.touched.push_back(true);
  return out;
}

// The model's alternative behind a name: the one that an added alternative is like.
const std::string& model_alternative(const FittedModel& model, const ChangedChoices& scenario,
                                     std::int32_t name) {
  const auto found = std::find(scenario.names.begin(), scenario.names.end(), name);
  const auto of_model = found == scenario.names.end()
                            ? name
                            : scenario.data.classes[static_cast<std::size_t>(found - scenario.names.begin())];
  return model.choice().alternatives[static_cast<std::size_t>(of_model)];
}

void require_all_changed(const FittedModel& model, const ChoiceScenario& scenario, ChangedChoices& out) {
  for (const ChoiceScenario::Change& change : scenario.changes) {
    std::vector<std::string> kept;
    for (const ChoiceScenario::Change& other : scenario.changes)
      if (other.alternative == change.alternative) kept.push_back(other.attribute);
    const std::int32_t name = alternative_of(out.data, change.alternative);
    require_alone(model, out.data, change.attribute, model_alternative(model, out, name), kept);
    out.touched[static_cast<std::size_t>(name)] = true;
  }
}

// Terms and summaries of rivals follow what was changed; an attribute that an alternative got by a change
// counts in them.
void follow(const FittedModel& model, const ChoiceScenario& scenario, ChangedChoices& out) {
  const LacksAttribute by_schema = lacks_by_schema(model.choice().schema, out.data);
  std::vector<std::pair<std::int32_t, std::size_t>> given;
  for (const ChoiceScenario::Change& change : scenario.changes)
    given.emplace_back(alternative_of(out.data, change.alternative), attribute_of(model, change.attribute));
  const LacksAttribute lacks = [&](std::size_t entry, std::size_t attribute) {
    return by_schema(entry, attribute) &&
           std::find(given.begin(), given.end(), std::pair(out.names[entry], attribute)) == given.end();
  };
  compute_terms(model.choice().schema, lacks, out.data);
  compute_rivals(model.choice().schema, lacks, out.data);
}

}  // namespace

void require_alone(const FittedModel& model, const ChoiceData& data, const std::string& attribute,
                   const std::string& alternative, const std::vector<std::string>& kept) {
  const std::size_t at = attribute_of(model, attribute);
  const std::vector<std::string> asked =
      alternative.empty() ? model.choice().alternatives : std::vector<std::string>{alternative};
  for (const std::string& one : asked)
    for (const std::string& other : computed_with(model.choice().schema, data, one, at)) {
      if (std::find(kept.begin(), kept.end(), other) != kept.end()) continue;
      throw UsageError("the attribute " + in_quotes(other) + " of " + in_quotes(one) +
                       " was declared with a column of " + in_quotes(attribute) +
                       " and would not follow it, so the answer would be wrong; declare it as a term of " +
                       in_quotes(attribute) + " ([terms] in the choice schema) and fit again" +
                       (alternative.empty() ? "" : ", or change both"));
    }
}

ChangedChoices apply_scenario(const FittedModel& model, const ChoiceData& base,
                              const ChoiceScenario& scenario) {
  ChangedChoices out{
      .data = base, .names = base.classes, .touched = std::vector<bool>(base.alternatives.size(), false)};
  for (const ChoiceScenario::Addition& addition : scenario.added) out = with_addition(out, addition);
  require_all_changed(model, scenario, out);
  for (const ChoiceScenario::Change& change : scenario.changes) apply_change(model, change, out);
  follow(model, scenario, out);
  if (scenario.withdrawn.empty()) return out;
  std::vector<bool> gone(out.data.alternatives.size(), false);
  for (const std::string& name : scenario.withdrawn)
    gone[static_cast<std::size_t>(alternative_of(out.data, name))] = true;
  for (std::size_t j = 0; j < gone.size(); ++j) out.touched[j] = out.touched[j] || gone[j];
  constexpr std::int32_t kNone = -1;
  out = with_entries(out, kNone, kNone, gone);
  follow(model, scenario, out);
  return out;
}

}  // namespace bl

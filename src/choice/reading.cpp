#include "choice/reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/choice_ranks.hpp"
#include "plan/table_plan.hpp"

namespace bl {

namespace {

// Alternatives renumbered as the model numbers them.
void align_alternatives(ChoiceData& data, const std::vector<std::string>& alternatives) {
  std::vector<std::int32_t> places;
  for (const std::string& name : data.alternatives) {
    const auto found = std::find(alternatives.begin(), alternatives.end(), name);
    if (found == alternatives.end())
      throw DataError(fmt::format("{}: the model knows no alternative {}; it knows {}{}", data.context.source,
                                  in_quotes(name), quoted_list(alternatives),
                                  did_you_mean(name, alternatives)));
    places.push_back(static_cast<std::int32_t>(found - alternatives.begin()));
  }
  for (std::int32_t& one : data.classes) one = places[static_cast<std::size_t>(one)];
  data.alternatives = alternatives;
}

ChoiceData read_all(const FittedModel& model, const Table& table, bool need_choice) {
  ChoiceData all = read_choices(table, model.choice().schema, need_choice);
  align_alternatives(all, model.choice().alternatives);
  return all;
}

ChoiceData part_of(const FittedModel& model, const ChoiceData& all, Part part) {
  const Split split = plan_split(all.situations(), all.persons, fit_settings(model), all.context.source);
  const std::vector<Index>& situations = rows_of(split, part);
  if (situations.empty())
    throw UsageError(
        "this model was fitted without such a part; leave out `part`, or fit with `fractions` 7:1:2");
  return select_situations(all, situations);
}

}  // namespace

ChoiceData read_part(const FittedModel& model, const Table& table, Part part, bool need_choice) {
  if (part != Part::all) require_parts(model, table);
  ChoiceData out = read_all(model, table, need_choice || part != Part::all);
  if (part != Part::all) out = part_of(model, out, part);
  return need_choice ? exploded(out) : out;
}

ChoiceData read_for_estimates(const FittedModel& model, const Table& table, bool need_choice) {
  ChoiceData all = read_all(model, table, need_choice);
  return exploded(is_fit_data(model, table) ? part_of(model, all, Part::train) : all);
}

std::size_t attribute_of(const FittedModel& model, const std::string& name) {
  const std::vector<std::string>& names = model.choice().schema.attributes;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("the model has no attribute {} among {}{}", in_quotes(name),
                                 quoted_list(names), did_you_mean(name, names)));
  const auto at = static_cast<std::size_t>(found - names.begin());
  const ChoiceSchema& schema = model.choice().schema;
  if (at < schema.declared) return at;
  if (at >= schema.declared + schema.terms.size())
    throw UsageError(
        fmt::format("{} is read of the rivals; ask for {}, which they follow", in_quotes(name),
                    in_quotes(names[schema.rivals[at - schema.declared - schema.terms.size()].attribute])));
  const ChoiceTerm& term = schema.terms[at - schema.declared];
  std::vector<std::string> read;
  for (const std::size_t k : term.reads) read.push_back(names[k]);
  throw UsageError(fmt::format("{} is a term, {}: it {}", in_quotes(name), term.expression.text(),
                               read.empty() ? "reads no attribute of the alternatives"
                                            : "follows " + quoted_list(read) + "; ask for that"));
}

}  // namespace bl

#include "predict/given_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/text_parts.hpp"
#include "bl/errors.hpp"
#include "plan/table_plan.hpp"

namespace bl {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void hold_number(const ResponseEncoding& response, const Table& table, Index at, Matrix<double>& held) {
  const Column& column = table.column(response.name);
  for (Index i = 0; i < table.rows; ++i) {
    if (column.raw != RawType::numeric || column.missing(i))
      throw DataError(fmt::format("{}: column {}: a value to hold is needed, and should be a number",
                                  table.place(i), in_quotes(response.name)));
    held(i, at) = response.encode(column.numbers[static_cast<std::size_t>(i)]);
  }
}

// Leaves only those combinations in which class response k has the row's level.
void hold_class(const FittedModel& model, std::size_t k, const Table& table, Matrix<std::uint8_t>& allowed) {
  const ResponseEncoding& response = model.stored.encoder.responses()[model.space.class_responses[k]];
  const Column& column = table.column(response.name);
  for (Index i = 0; i < table.rows; ++i) {
    const std::string level = column.missing(i) ? "" : column.cell_text(i);
    const auto found = std::find(response.levels.begin(), response.levels.end(), level);
    if (found == response.levels.end())
      throw DataError(fmt::format("{}: column {}: {} is not a level that the model knows{}", table.place(i),
                                  in_quotes(response.name), in_quotes(level),
                                  did_you_mean(level, response.levels)));
    const auto code = static_cast<std::int32_t>(found - response.levels.begin());
    for (Index c = 0; c < allowed.cols(); ++c)
      if (level_of(model, static_cast<std::int32_t>(c), k) != code) allowed(i, c) = 0;
  }
}

}  // namespace

std::int32_t level_of(const FittedModel& model, std::int32_t combined, std::size_t k) {
  const auto levels = [&](std::size_t at) {
    return static_cast<std::int32_t>(
        model.stored.encoder.responses()[model.space.class_responses[at]].levels.size());
  };
  for (std::size_t later = model.space.class_responses.size(); --later > k;) combined /= levels(later);
  return combined % levels(k);
}

GivenValues given_values(const FittedModel& model, const Table& table, const std::string& names) {
  const std::vector<std::string> held = split_list(names);
  if (held.empty()) return {};
  const std::vector<ResponseEncoding>& responses = model.stored.encoder.responses();
  std::vector<std::string> known;
  for (const ResponseEncoding& response : responses) known.push_back(response.name);
  for (const std::string& name : held)
    if (!contains(known, name))
      throw UsageError(fmt::format("`given`: {} is not a response of this model{}", in_quotes(name),
                                   did_you_mean(name, known)));
  if (std::all_of(known.begin(), known.end(), [&](const std::string& name) { return contains(held, name); }))
    throw UsageError("`given` names every response; nothing is left to draw");
  GivenValues given;
  for (std::size_t k = 0; k < model.space.continuous_responses.size(); ++k) {
    const ResponseEncoding& response = responses[model.space.continuous_responses[k]];
    const auto at = static_cast<Index>(k);
    if (!contains(held, response.name)) {
      given.free.push_back(at);
      continue;
    }
    if (!given.holds_numbers()) given.held.resize(table.rows, model.space.values());
    hold_number(response, table, at, given.held);
  }
  for (std::size_t k = 0; k < model.space.class_responses.size(); ++k) {
    if (!contains(held, responses[model.space.class_responses[k]].name)) continue;
    if (given.allowed.rows() == 0) {
      given.allowed.resize(table.rows, model.space.classes());
      std::fill(given.allowed.flat().begin(), given.allowed.flat().end(), std::uint8_t{1});
    }
    hold_class(model, k, table, given.allowed);
  }
  if (!given.holds_numbers()) given.free.clear();
  return given;
}

}  // namespace bl

#include "features/columns/level_fit.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

std::vector<double> fit_levels(const TrainingRows& training, const SchemaColumn& column, const Column& data,
                               FeatureEncoding& out) {
  out.levels = column.levels.empty() ? distinct_levels(data, training.rows) : column.levels;
  check_level_count(training, column.name, out.levels.size());
  const LevelLookup lookup(data, out.levels);
  std::vector<double> places;
  std::vector<Index> counts(out.levels.size(), 0);
  for (const Index row : training.rows) {
    const std::int32_t code = lookup(row);
    if (code == kUnseenCode && training.options.unseen == UnseenPolicy::error)
      fail_cell(training.table, row, column.name,
                in_quotes(data.cell_text(row)) + " is not among the levels " + quoted_list(out.levels) +
                    "; correct it or add it to them");
    if (code < 0) continue;
    ++counts[static_cast<std::size_t>(code)];
    places.push_back(code);
  }
  out.has_value = std::count_if(counts.begin(), counts.end(), [](Index n) { return n > 0; }) > 1;
  if (out.has_value)
    out.fill_level =
        static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  return places;
}

void check_level_count(const TrainingRows& training, const std::string& name, std::size_t count) {
  if (static_cast<Index>(count) <= training.options.max_levels) return;
  throw DataError(training.table.source + ": column " + in_quotes(name) + " has " + std::to_string(count) +
                  " different values, more than the " + std::to_string(training.options.max_levels) +
                  " levels allowed; ignore it, declare it an id or, if it holds numbers, continuous");
}

}  // namespace bl

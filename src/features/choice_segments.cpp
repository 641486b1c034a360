#include "features/choice_segments.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/choice_source.hpp"

namespace bl {

namespace {

struct Level {
  std::string text;
  double number = 0;  // of a numeric column
  std::vector<Index> rows;
};

std::vector<Level> levels_of(const ChoiceSource& source, const Column& column) {
  constexpr std::size_t kMost = 50;
  std::vector<Level> out;
  std::map<std::string, std::size_t> places;
  for (const Index row : source.rows) {
    if (column.missing(row)) source.fail(row, "the column " + in_quotes(column.name) + " is missing");
    const std::string text = column.cell_text(row);
    const auto [place, is_new] = places.emplace(text, out.size());
    if (is_new)
      out.push_back(
          {text, column.raw == RawType::numeric ? column.numbers[static_cast<std::size_t>(row)] : 0, {}});
    if (out.size() > kMost)
      throw UsageError("the column " + in_quotes(column.name) + " has more than " + std::to_string(kMost) +
                       " levels; derive one with fewer in the choice schema, such as [derived] high = " +
                       in_quotes(column.name + " > 100"));
    out[place->second].rows.push_back(row);
  }
  if (column.raw == RawType::numeric)
    std::stable_sort(out.begin(), out.end(),
                     [](const Level& a, const Level& b) { return a.number < b.number; });
  return out;
}

// Situations by level. Lines of a situation stay together.
std::map<std::string, std::size_t> situation_counts(const ChoiceSource& source, const Column& column) {
  std::map<std::string, std::size_t> out;
  if (source.schema->wide) {
    for (const Index row : source.rows) ++out[column.cell_text(row)];
    return out;
  }
  CellCodes situations(source.column(source.schema->situation));
  std::map<std::int32_t, std::string> levels;
  for (const Index row : source.rows) {
    const auto [place, is_new] = levels.emplace(situations(row), column.cell_text(row));
    if (place->second != column.cell_text(row))
      source.fail(row, "the column " + in_quotes(column.name) +
                           " differs between lines of a situation; a segment has whole situations");
    if (is_new) ++out[place->second];
  }
  return out;
}

}  // namespace

std::vector<ChoiceLevel> by_level(const Table& table, const ChoiceSchema& schema, const std::string& column) {
  const ChoiceSource source(table, schema, false);
  const Column& of = source.column(column);
  std::map<std::string, std::size_t> counts = situation_counts(source, of);
  std::vector<const Column*> columns;
  for (const Column& one : table.columns) columns.push_back(&one);
  std::vector<ChoiceLevel> out;
  for (const Level& level : levels_of(source, of))
    out.push_back({level.text, gather(table, columns, level.rows), counts[level.text]});
  return out;
}

}  // namespace bl

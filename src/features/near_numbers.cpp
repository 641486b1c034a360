#include "features/near_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "data/column_index.hpp"
#include "data/number.hpp"
#include "features/column_kind.hpp"

namespace bl {

namespace {

constexpr std::size_t kShown = 3;
constexpr std::size_t kNumbersForEachOther = 20;

std::string note(const Table& table, const Column& column) {
  std::vector<bool> is_number(column.levels.size());
  std::transform(column.levels.begin(), column.levels.end(), is_number.begin(), [](const std::string& level) {
    return parse_number(level, false).kind == NumberKind::finite;
  });
  std::size_t numbers = 0, others = 0;
  std::string shown;
  for (Index row = 0; row < table.rows; ++row) {
    const std::int32_t code = column.codes[static_cast<std::size_t>(row)];
    if (code == kMissingCode) continue;
    if (is_number[static_cast<std::size_t>(code)]) {
      ++numbers;
    } else if (++others <= kShown) {
      shown += fmt::format("{}{} (line {})", others > 1 ? ", " : "",
                           in_quotes(column.levels[static_cast<std::size_t>(code)]), table.lines[row]);
    }
  }
  if (others == 0 || numbers < kNumbersForEachOther * others) return "";
  return fmt::format(
      "{} was read as text with {} levels: {} of its {} cells {} not {}: {}{}; name cells of missing "
      "values in `na` or leave them empty, write numbers without currency signs and thousands separators, or "
      "give `nominal` {} if this is meant",
      in_quotes(column.name), column.levels.size(), others, numbers + others, others == 1 ? "is" : "are",
      others == 1 ? "a number" : "numbers", shown, others > kShown ? ", ..." : "", column.name);
}

}  // namespace

std::vector<std::string> near_number_notes(const Table& table, const Schema& schema,
                                           const std::vector<std::string>& declared,
                                           const WholeColumn& whole) {
  std::vector<std::string> notes;
  const ColumnIndex index(table);
  for (const Role role : {Role::response, Role::feature})
    for (const SchemaColumn* column : schema.with_role(role)) {
      if (column->raw != RawType::text || !facts(column->type).unordered()) continue;
      if (std::find(declared.begin(), declared.end(), column->name) != declared.end()) continue;
      if (std::string text = note(table, whole_column(whole, index.column(column->name))); !text.empty())
        notes.push_back(std::move(text));
    }
  return notes;
}

}  // namespace bl

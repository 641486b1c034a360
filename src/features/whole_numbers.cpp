#include "features/whole_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "features/column_kind.hpp"

namespace bl {

std::optional<WholeNumbers> few_whole_numbers(const Column& column) {
  constexpr std::size_t kMost = 20;
  if (column.raw != RawType::numeric) return std::nullopt;
  std::set<double> distinct;
  std::size_t present = 0;
  for (const double value : column.numbers) {
    if (std::isnan(value)) continue;
    ++present;
    if (std::trunc(value) != value) return std::nullopt;
    distinct.insert(value);
    if (distinct.size() > kMost) return std::nullopt;
  }
  if (distinct.size() * 2 > present) return std::nullopt;
  if (distinct.empty()) return WholeNumbers{};
  return WholeNumbers{.values = distinct.size(), .least = *distinct.begin(), .most = *distinct.rbegin()};
}

std::vector<std::string> numbered_class_notes(const Table& table, const Schema& schema,
                                              const std::vector<std::string>& declared) {
  std::vector<std::string> notes;
  for (const SchemaColumn* column : schema.with_role(Role::response)) {
    if (!facts(column->type).unordered() ||
        std::find(declared.begin(), declared.end(), column->name) != declared.end())
      continue;
    const std::optional<WholeNumbers> numbers = few_whole_numbers(table.column(column->name));
    if (!numbers || numbers->values <= 2 || numbers->named_like_classes()) continue;
    notes.push_back(fmt::format(
        "{} holds {} different whole numbers from {} to {} and is learned as classes, which have no order; "
        "give `continuous` {} to learn a number (a count), or `nominal` {} if classes are meant",
        in_quotes(column->name), numbers->values, format_number(numbers->least), format_number(numbers->most),
        column->name, column->name));
  }
  return notes;
}

}  // namespace bl

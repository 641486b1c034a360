#include "features/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/number.hpp"

namespace bl {

namespace {

constexpr double kFirstMerged = 9007199254740992;  // 2^53: this and its successor are one number

[[noreturn]] void refuse_merged(const std::string& name, double value) {
  throw DataError(fmt::format(
      "column {}: whole numbers from 2^53 on, such as {:.0f}, are not told apart as numbers, so that levels "
      "or classes could merge; write them as text, for example with a letter before each, or declare the "
      "column continuous",
      in_quotes(name), value));
}

}  // namespace

void sort_levels(std::vector<std::string>& levels) {
  std::vector<std::pair<double, std::string>> numbers;
  for (const std::string& level : levels) {
    const ParsedNumber parsed = parse_number(level, false);
    if (parsed.kind != NumberKind::finite) break;
    numbers.emplace_back(parsed.value, level);
  }
  if (numbers.size() < levels.size()) {
    std::sort(levels.begin(), levels.end());
    return;
  }
  std::sort(numbers.begin(), numbers.end());
  std::transform(numbers.begin(), numbers.end(), levels.begin(),
                 [](const auto& entry) { return entry.second; });
}

std::vector<std::string> distinct_levels(const Column& column, std::span<const Index> rows) {
  std::vector<std::string> levels;
  if (column.raw == RawType::text) {
    std::vector<bool> used(column.levels.size(), false);
    for (const Index row : rows) {
      const std::int32_t code = column.codes[static_cast<std::size_t>(row)];
      if (code != kMissingCode) used[static_cast<std::size_t>(code)] = true;
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) levels.push_back(column.levels[i]);
    }
  } else {
    std::set<double> distinct;
    for (const Index row : rows) {
      const double value = column.numbers[static_cast<std::size_t>(row)];
      if (std::isnan(value)) continue;
      if (std::abs(value) >= kFirstMerged) refuse_merged(column.name, value);
      distinct.insert(value);
    }
    for (const double value : distinct) levels.push_back(format_number(value));
  }
  sort_levels(levels);
  return levels;
}

LevelLookup::LevelLookup(const Column& column, std::span<const std::string> levels) : column_(&column) {
  if (column.raw == RawType::numeric) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const ParsedNumber parsed = parse_number(levels[i], false);
      if (parsed.kind == NumberKind::finite) of_number_.emplace(parsed.value, static_cast<std::int32_t>(i));
    }
    return;
  }
  std::unordered_map<std::string_view, std::int32_t> index;
  for (std::size_t i = 0; i < levels.size(); ++i) index.emplace(levels[i], static_cast<std::int32_t>(i));
  for (const std::string& level : column.levels) {
    const auto found = index.find(level);
    of_text_code_.push_back(found == index.end() ? kUnseenCode : found->second);
  }
}

std::int32_t LevelLookup::operator()(Index row) const {
  const auto i = static_cast<std::size_t>(row);
  if (column_->raw == RawType::text) {
    const std::int32_t code = column_->codes[i];
    return code == kMissingCode ? kMissingCode : of_text_code_[static_cast<std::size_t>(code)];
  }
  const double value = column_->numbers[i];
  if (std::isnan(value)) return kMissingCode;
  const auto found = of_number_.find(value);
  return found == of_number_.end() ? kUnseenCode : found->second;
}

}  // namespace bl

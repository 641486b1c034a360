#include "data/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

// FNV-1a's step on 64-bit words instead of bytes, with the high half folded back because the
// multiplication alone never moves information downwards.
class WordHash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001B3U;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

std::uint64_t hash_of(std::string_view text) {
  WordHash hash;
  hash.add(text);
  return hash.value();
}

void add_values(const Column& column, WordHash& hash) {
  if (column.raw == RawType::numeric) {
    for (const double value : column.numbers) {
      // One pattern for all NaNs and one for both zeros.
      if (std::isnan(value)) {
        hash.add(0x7FF8000000000000U);
      } else {
        hash.add(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
      }
    }
    return;
  }
  std::vector<std::uint64_t> level_hash;
  level_hash.reserve(column.levels.size());
  for (const std::string& level : column.levels) level_hash.push_back(hash_of(level));
  for (const std::int32_t code : column.codes) {
    hash.add(code == kMissingCode ? 0 : level_hash[static_cast<std::size_t>(code)]);
  }
}

}  // namespace

bool Column::missing(Index row) const {
  const auto i = static_cast<std::size_t>(row);
  return raw == RawType::numeric ? std::isnan(numbers[i]) : codes[i] == kMissingCode;
}

std::string Column::cell_text(Index row) const {
  if (missing(row)) return "";
  const auto i = static_cast<std::size_t>(row);
  return raw == RawType::numeric ? format_number(numbers[i]) : levels[static_cast<std::size_t>(codes[i])];
}

void LineNumbers::append(std::int64_t line) {
  if (runs_.empty() || runs_.back().second + (rows_ - runs_.back().first) != line) {
    runs_.emplace_back(rows_, line);
  }
  ++rows_;
}

std::int64_t LineNumbers::operator[](Index row) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), row,
                                      [](Index value, const auto& run) { return value < run.first; });
  const auto& run = *std::prev(after);
  return run.second + (row - run.first);
}

const Column* Table::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

const Column& Table::column(std::string_view name) const {
  if (const Column* found = find(name)) return *found;
  const auto valid = names();
  throw DataError(source + ": there is no column " + in_quotes(name) + " among " + quoted_list(valid) +
                  did_you_mean(name, valid));
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  result.reserve(columns.size());
  for (const Column& column : columns) result.push_back(column.name);
  return result;
}

std::string Table::place(Index row) const {
  return source + ":" + std::to_string(lines[row]);
}

std::vector<std::int32_t> category_codes(const Table& table, const Column& column) {
  std::vector<std::int32_t> result(static_cast<std::size_t>(table.rows));
  std::vector<std::int32_t> text_code(column.levels.size(), kMissingCode);
  std::unordered_map<double, std::int32_t> number_code;
  std::int32_t next = 0;
  for (Index row = 0; row < table.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (column.missing(row)) {
      throw DataError(table.place(row) + ": column " + in_quotes(column.name) +
                      ": the value is missing, but every row needs one here; fill it in or remove the row");
    }
    std::int32_t& code = column.raw == RawType::text
                             ? text_code[static_cast<std::size_t>(column.codes[i])]
                             : number_code.try_emplace(column.numbers[i], kMissingCode).first->second;
    if (code == kMissingCode) code = next++;
    result[i] = code;
  }
  return result;
}

std::string table_digest(const Table& table) {
  WordHash hash;
  hash.add(static_cast<std::uint64_t>(table.rows));
  for (const Column& column : table.columns) {
    hash.add(column.name);
    hash.add(column.raw == RawType::numeric ? 1U : 2U);
    add_values(column, hash);
  }
  std::string digits(16, '0');
  std::uint64_t rest = hash.value();
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, rest >>= 4) {
    *digit = "0123456789abcdef"[rest & 0xF];
  }
  return digits;
}

}  // namespace bl

#include "data/table_hash.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "base/spill.hpp"

namespace bl {

namespace {

std::uint64_t hash_of(std::string_view text) {
  WordHash hash;
  hash.add(text);
  return hash.value();
}

}  // namespace

void add_number_column(std::string_view name, WordHash& hash) {
  hash.add(name);
  hash.add(1U);
}

void add_number(double value, WordHash& hash) {
  // One pattern for all NaNs and one for both zeros.
  if (std::isnan(value))
    hash.add(0x7FF8000000000000U);
  else
    hash.add(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
}

void add_name(const Column& column, WordHash& hash) {
  if (column.raw == RawType::numeric) return add_number_column(column.name, hash);
  hash.add(column.name);
  hash.add(2U);
}

void add_values(const Column& column, WordHash& hash) {
  if (column.raw == RawType::numeric) {
    will_read(column.numbers.view());
    for (const double value : column.numbers) add_number(value, hash);
    return;
  }
  std::vector<std::uint64_t> level_hash;
  level_hash.reserve(column.levels.size());
  for (const std::string& level : column.levels) level_hash.push_back(hash_of(level));
  for (const std::int32_t code : column.codes) {
    hash.add(code == kMissingCode ? 0 : level_hash[static_cast<std::size_t>(code)]);
  }
}

std::string digest_text(const WordHash& hash) {
  std::string digits(16, '0');
  std::uint64_t rest = hash.value();
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, rest >>= 4) {
    *digit = "0123456789abcdef"[rest & 0xF];
  }
  return digits;
}

}  // namespace bl

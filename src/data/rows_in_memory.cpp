#include "data/rows_in_memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rank_gather.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/column_builder.hpp"

namespace bl {

void join_levels(Column& column, Ranks& ranks) {
  std::string own;
  for (const std::string& level : column.levels) own += std::to_string(level.size()) + ' ' + level;
  LevelList all;
  std::vector<std::int32_t> new_code;
  const std::vector<std::string> lists = gather_texts(ranks, own);
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    const std::string& list = lists[rank];
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t space = list.find(' ', at);
      const std::size_t size = std::stoul(list.substr(at, space - at));
      const std::int32_t code = all.code(std::string_view(list).substr(space + 1, size));
      if (rank == ranks.rank()) new_code.push_back(code);
      at = space + 1 + size;
    }
  }
  for (std::int32_t& code : column.codes)
    if (code != kMissingCode) code = new_code[static_cast<std::size_t>(code)];
  column.levels = all.take();
}

namespace {

// What has to be the same with all ranks: the column's name, its type, and an order of levels.
std::string signature(const Column& column, bool text) {
  std::string out = column.name + (text ? "\ntexts" : "\nnumbers");
  if (column.ordered)
    for (const std::string& level : column.levels) out += "\n" + level;
  return out;
}

// A column of which this rank has no value holds what the others hold.
void agree_on_type(Column& column, Ranks& ranks) {
  const bool numeric = column.raw == RawType::numeric;
  const auto numbers = column.numbers.view();
  const bool nothing =
      numeric && std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
  const std::vector<std::uint8_t> texts = gather_one<std::uint8_t>(ranks, !numeric);
  if (!nothing || std::none_of(texts.begin(), texts.end(), [](std::uint8_t one) { return one != 0; })) return;
  column.codes.assign(numbers.size(), kMissingCode);
  column.numbers = {};
  column.raw = RawType::text;
}

void check_count(const Table& own, Ranks& ranks) {
  const std::vector<Index> counts = gather_one(ranks, static_cast<Index>(own.columns.size()));
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    if (counts[rank] != counts[0])
      throw DataError(own.source + ": rank 0 has " + std::to_string(counts[0]) + " columns, rank " +
                      std::to_string(rank) + " has " + std::to_string(counts[rank]));
}

void check_columns(const Table& own, Ranks& ranks) {
  for (const Column& column : own.columns) {
    const auto all = gather_texts(ranks, signature(column, column.raw == RawType::text));
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (all[rank] != all[0])
        throw DataError(own.source + ": column " + in_quotes(all[0].substr(0, all[0].find('\n'))) +
                        " differs between rank 0 and rank " + std::to_string(rank) +
                        " in its name, its type or the order of its levels");
  }
}

}  // namespace

SharedTable shared_table(Table own, std::shared_ptr<Ranks> ranks) {
  SharedTable table;
  table.own = std::move(own);
  table.ranks = std::move(ranks);
  table.begins = {0};
  for (const Index rows : gather_one(*table.ranks, table.own.rows))
    table.begins.push_back(table.begins.back() + rows);
  table.own.lines = {};
  for (Index row = table.first(); row < table.first() + table.own.rows; ++row) table.own.lines.append(row);
  for (Index row = 0; row < table.rows(); ++row) table.lines.append(row);  // programs count from 0
  check_count(table.own, *table.ranks);
  for (Column& column : table.own.columns) agree_on_type(column, *table.ranks);
  check_columns(table.own, *table.ranks);
  for (Column& column : table.own.columns)
    if (column.raw == RawType::text) join_levels(column, *table.ranks);
  return table;
}

}  // namespace bl

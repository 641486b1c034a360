#include "data/shared_table.hpp"

#include <algorithm>
#include <utility>

#include "base/rank_gather.hpp"
#include "base/spill.hpp"
#include "data/gather_column.hpp"
#include "data/table_hash.hpp"

namespace bl {

Table SharedTable::head() const {
  Table table;
  table.source = own.source;
  table.lines = lines;
  table.rows = rows();
  for (const Column& column : own.columns) {
    Column empty;
    empty.name = column.name;
    empty.raw = column.raw;
    empty.levels = column.levels;
    empty.ordered = column.ordered;
    table.columns.push_back(std::move(empty));
  }
  return table;
}

void gather_column(const SharedTable& table, const std::string& name, Column& into) {
  const Column& here = table.own.column(name);
  into.name = here.name;
  into.raw = here.raw;
  into.levels = here.levels;
  into.ordered = here.ordered;
  const bool numeric = into.raw == RawType::numeric;
  const auto size = static_cast<std::size_t>(table.rows());
  into.numbers.own().resize(numeric ? size : 0);
  into.codes.resize(numeric ? 0 : size);
  numeric ? will_read(here.numbers.view()) : will_read(here.codes);
  if (numeric)
    gather_values<double>(*table.ranks, here.numbers.view(), table.begins, into.numbers.own());
  else
    gather_values<std::int32_t>(*table.ranks, here.codes, table.begins, into.codes);
}

Column SharedTable::whole(const std::string& name) const {
  Column all;
  gather_column(*this, name, all);
  return all;
}

WholeColumn SharedTable::whole_columns() const {
  return [this, last = std::make_shared<Column>()](const Column& column) -> const Column& {
    return *last = whole(column.name);
  };
}

Table SharedTable::gathered() const {
  Table table = head();
  for (Column& column : table.columns) column = whole(column.name);
  return table;
}

std::vector<std::int64_t> SharedTable::held(std::span<const Index> some) const {
  std::vector<std::int64_t> out;
  for (const Index begin : begins)
    out.push_back(std::lower_bound(some.begin(), some.end(), begin) - some.begin());
  return out;
}

std::vector<Index> SharedTable::own_rows(std::span<const Index> some) const {
  const std::vector<std::int64_t> places = held(some);
  std::vector<Index> out;
  for (std::int64_t i = places[ranks->rank()]; i < places[ranks->rank() + 1]; ++i)
    out.push_back(some[static_cast<std::size_t>(i)] - first());
  return out;
}

// The hash goes through the rows in their order, so from rank to rank.
std::string table_digest(const SharedTable& table) {
  Ranks& ranks = *table.ranks;
  WordHash hash;
  hash.add(static_cast<std::uint64_t>(table.rows()));
  for (const Column& column : table.own.columns) {
    add_name(column, hash);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (rank == ranks.rank()) add_values(column, hash);
      std::uint64_t state = hash.value();
      std::vector<std::size_t> sizes(ranks.size(), 0);
      sizes[rank] = sizeof state;
      ranks.all_gather(std::as_writable_bytes(std::span(&state, 1)), sizes);
      hash.set(state);
    }
  }
  return digest_text(hash);
}

}  // namespace bl

// A table's columns by name, for who looks up many of them: Table::find walks through all columns.
#pragma once

#include <string_view>
#include <unordered_map>

#include "data/table.hpp"

namespace bl {

// The table must stay alive and keep its columns.
class ColumnIndex {
 public:
  explicit ColumnIndex(const Table& table) : table_(&table) {
    places_.reserve(table.columns.size());
    for (const Column& column : table.columns) places_.emplace(column.name, &column);
  }

  const Column* find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : found->second;
  }
  // DataError naming the nearest column when there is none of this name.
  const Column& column(std::string_view name) const {
    const Column* found = find(name);
    return found != nullptr ? *found : table_->column(name);
  }

 private:
  const Table* table_;
  std::unordered_map<std::string_view, const Column*> places_;
};

}  // namespace bl

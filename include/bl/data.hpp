// A table of data, read from a file or made in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bl/settings.hpp"

namespace bl {

// What is known of a column before anyone says what it means.
struct ColumnSummary {
  std::string name;
  bool numeric = true;
  std::size_t missing = 0;
  std::size_t distinct = 0;  // text columns
  double lowest = 0;         // numeric columns
  double highest = 0;
};

class Data {
 public:
  // The whole file: CSV, TSV, ARFF or IDX, plain or gzip; "-" is standard input. DataError names file, line,
  // column.
  static Data read(const std::string& path, const Settings& settings);

  // A column in memory, given in one of four ways.
  struct Column {
    std::string name;
    std::vector<double> numbers = {};                    // NaN: missing
    std::vector<std::optional<std::string>> texts = {};  // nullopt: missing
    std::vector<std::int32_t> codes = {};                // indices into levels; -1: missing
    std::vector<std::string> levels = {};
    bool ordered = false;                         // levels stand in their order, lowest first
    std::span<const double> borrowed = {};        // numbers that are not copied; must not change
    std::shared_ptr<const void> owner = nullptr;  // holds that memory for as long as the data live
  };
  // DataError for columns of different lengths or of one name, infinite values, and codes without a level.
  static Data from_columns(std::vector<Column> columns, const std::string& name);

  std::size_t rows() const;
  const std::string& source() const;
  std::vector<ColumnSummary> columns() const;
  std::string digest() const;

  struct Impl;
  explicit Data(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// The schema that a fit with these settings would use, as a TOML file to edit.
std::string schema_file(const Data& data, const Settings& settings);

}  // namespace bl

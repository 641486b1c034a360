// Data in several files, and data of which several ranks hold a share each (bl/ranks.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bl/data.hpp"
#include "bl/fit.hpp"

namespace bl {

// One table from several CSV files with the same columns, or from the files that match a pattern such as rows-*.csv. Lines in
// messages are counted through all of them. A single path is read as by Data::read.
Data read_files(const std::vector<std::string>& paths, const Settings& settings);

// For a fit by several ranks: each reads and keeps a part of the rows where the files are plain CSV, and all rows otherwise.
// All ranks make these calls at the same time.
class SharedData {
 public:
  static SharedData read(const std::vector<std::string>& paths, const Settings& settings);

  std::size_t rows() const;  // with all ranks
  const std::string& source() const;
  std::vector<ColumnSummary> columns() const;

  struct Impl;
  explicit SharedData(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// The model that one process learns from the same rows, to the bit. A note says where every rank has to hold all rows.
FitSummary fit(const SharedData& data, const Settings& settings, const FitOptions& options = {});

}  // namespace bl

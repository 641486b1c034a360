// Data in several files, and data of which several ranks hold a share each (bl/ranks.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bl/data.hpp"
#include "bl/fit.hpp"

namespace bl {

// One table from several CSV files with the same columns, or from the files that match a pattern such as
// rows-*.csv. Lines in messages are counted through all of them. A single path is read as by Data::read.
Data read_files(const std::vector<std::string>& paths, const Settings& settings);

// The same with the column types that the model was fitted with.
Data read_files(const Model& model, const std::vector<std::string>& paths, const Settings& settings);

// The text of some rows' predictions; first: they are the first ones.
using PredictedText = std::function<std::string(const OutputTable&, bool first)>;

// Predictions of the rows of files (or of a pattern), read in blocks: `write` is given the text of each, in
// their order. Where there are several ranks each reads and predicts a part of the blocks of CSV files, and
// rank 0 alone writes; other files and choices are predicted by rank 0 alone. The text is that of one
// process, to the byte. All ranks make this call at the same time.
void predict_files(const Model& model, const std::vector<std::string>& paths, const Settings& settings,
                   const PredictOptions& options, const PredictedText& text,
                   const std::function<void(std::string_view)>& write);

// For a fit by several ranks: each reads and keeps a part of the rows where the files are plain CSV, and all
// rows otherwise. All ranks make these calls at the same time.
class SharedData {
 public:
  static SharedData read(const std::vector<std::string>& paths, const Settings& settings);
  // With the column types that the model was fitted with; of choices, all rows.
  static SharedData read(const Model& model, const std::vector<std::string>& paths, const Settings& settings);

  // The rows of this rank in memory; those of all ranks follow each other. DataError where their columns
  // differ.
  static SharedData from_columns(std::vector<Data::Column> own, const std::string& name);

  std::size_t rows() const;  // with all ranks
  Data whole() const;        // all rows, for all ranks
  const std::string& source() const;
  std::vector<ColumnSummary> columns() const;

  struct Impl;
  explicit SharedData(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// The model that one process learns from the same rows, to the bit. A note says where every rank has to hold
// all rows.
FitSummary fit(const SharedData& data, const Settings& settings, const FitOptions& options = {});

// The metrics of Model::evaluate, to the bit, of the rows of Model::part_rows. Each rank predicts rows that
// it has.
Evaluation evaluate(const Model& model, const SharedData& data, Part part, const PredictOptions& options);

}  // namespace bl

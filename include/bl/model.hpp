// A trained model: what it is, and what it says about data.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bl/data.hpp"

namespace bl {

struct FittedModel;

// The rows of the file a model was fitted on, as its split cut them.
enum class Part { all, train, validation, test };

struct Metric {
  std::string name;
  double value = 0;
};

// Metrics, and the rows that they are of.
struct Evaluation {
  std::size_t rows = 0;  // of choices situations
  std::vector<Metric> metrics;
};

struct PredictOptions {
  std::vector<double> quantiles = {};  // continuous responses, each in (0, 1)
  double interval = 0;                 // mass of a central interval; 0: none
  double highest_density = 0;          // mass of a highest-density region; 0: none
  bool mode = false;                   // the best response (temperature to zero)
  bool utilities = false;   // the utility of each class or alternative; UsageError for other responses
  bool ood = false;         // classes: how far a row is from the training rows
  int density_points = 0;   // the density on a grid of so many points over the support
  double temperature = 0;   // another than the trained one; 0: the trained one
  double tolerance = 1e-6;  // error of any probability of one continuous response
  std::vector<std::string> carry = {};  // columns of the data to repeat
  bool treat_unseen_as_missing = false;
  std::size_t threads = 0;
  // Called at the end of a call, once for each thing to know about its numbers: quadrature that missed the
  // tolerance, means that a tail dominates. Without it a quadrature that misses by more than ten times is a
  // NumericError.
  std::function<void(const std::string&)> on_note = {};
};

// Columns of equal length for a person or a file.
struct OutputColumn {
  std::string name;
  std::vector<double> numbers;  // used unless texts is filled
  std::vector<std::string> texts;
};

struct OutputTable {
  std::size_t rows = 0;
  std::vector<OutputColumn> columns;
};

// A response as the model knows it; of a choice its column.
struct ResponseInfo {
  std::string name;
  std::vector<std::string> levels;  // of a class, or the alternatives; empty: continuous
  bool text = false;                // it held texts in training
  double lower = 0, upper = 0;      // support of a continuous one, in the data's units
};

// A column that was given as a feature.
struct FeatureInfo {
  std::string name;
  bool used = true;                 // false: constant in training, so the model does not ask for it
  std::string type;                 // continuous, nominal, ordinal
  bool text = false;                // it held texts in training
  std::vector<std::string> levels;  // nominal, ordinal
};

// Of responses in columns of a table, or of a choice among alternatives that carry attributes (see
// choice.hpp), whose rows are situations.
class Model {
 public:
  // ModelFileError where the file is damaged, or of a version that is not known. `no_verify` takes contents
  // that do not match the digest written with them: of a file that was edited on purpose.
  static Model load(const std::string& path, bool no_verify = false);
  // Whole or not at all; the file is unchanged if this throws.
  void save(const std::string& path) const;
  // The bytes of the file.
  std::string to_bytes() const;
  // ModelFileError where they are damaged; `name` stands for the file in messages.
  static Model from_bytes(std::string_view bytes, const std::string& name);

  bool is_choice() const;
  // What its rows are called: "rows", of a choice "situations".
  const char* row_unit() const;
  std::vector<ResponseInfo> responses() const;
  std::vector<FeatureInfo> features() const;

  // Everything in the file but the parameters' values, as JSON.
  std::string information_json() const;
  // What it is, in lines of at most 80 columns.
  std::string describe() const;

  // The file read with the column types the model was fitted with.
  Data read(const std::string& path, const Settings& settings) const;

  // Responses are not needed. Rows come in the order of the data; `part` other than all needs the training
  // file. Of a choice: the situation's label, a probability per alternative (0 where not available), the
  // likeliest, and where asked for V over the temperature (NaN where not available); of the options only
  // utilities and threads have a meaning.
  OutputTable predict(const Data& data, Part part = Part::all, const PredictOptions& options = {}) const;

  // Of a choice: situations, log_likelihood, null_log_likelihood (all available equally likely), rho_square,
  // cross_entropy, accuracy. UsageError for options of predictions, such as quantiles, that say nothing about
  // metrics.
  std::vector<Metric> evaluate(const Data& data, Part part = Part::all,
                               const PredictOptions& options = {}) const;
  // Rows of a part that have their responses; DataError where the data are not those of the fit.
  std::size_t part_rows(const Data& data, Part part) const;

  using Impl = FittedModel;
  explicit Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// Whether a model file holds what was written: files of earlier versions have no digest.
enum class FileDigest { none, holds, broken };

// What a file holds, also where it was damaged or edited after it was written.
struct InspectedFile {
  Model model;
  FileDigest digest = FileDigest::none;
};
InspectedFile inspect_file(const std::string& path);

std::string library_version();

}  // namespace bl

// What stands behind the public classes.
#pragma once

#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "bl/data.hpp"
#include "bl/model.hpp"
#include "data/table.hpp"
#include "gibbs/utility.hpp"

namespace bl {

struct Data::Impl {
  Table table;
};

// How the responses of the encoder stand in the model. Several class responses are one class with a level for
// every combination; continuous ones keep their order.
struct ResponseSpace {
  std::vector<std::size_t> class_responses;  // positions among encoder.responses()
  std::vector<std::size_t> continuous_responses;
  std::vector<std::string> class_labels;  // of the combined class: "red", or "color=red, size=small"
  std::string class_name;                 // "color", or "color, size"

  explicit ResponseSpace(const Encoder& encoder);
  Index classes() const { return static_cast<Index>(class_labels.size()); }
  Index values() const { return static_cast<Index>(continuous_responses.size()); }
  bool one_number() const { return classes() == 0 && values() == 1; }
  // The combined class of each row of encoded class responses.
  std::vector<std::int32_t> combine(const Matrix<std::int32_t>& codes) const;

 private:
  std::vector<std::int32_t> level_counts_;
};

// What a carried column is called in the output: its name, but "observed y" where y is a response, whose name
// the prediction or the draw has.
std::string carried_name(const Encoder& encoder, const std::string& name);
// UsageError where a column is carried twice.
void check_carried(const std::vector<std::string>& names);

struct Model::Impl {
  StoredModel stored;
  ResponseSpace space;
  gibbs::Utility utility;

  explicit Impl(StoredModel model);
};

}  // namespace bl

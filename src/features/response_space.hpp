// The responses of a table as a model sees them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "features/encoder.hpp"

namespace bl {

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
  bool single_continuous() const { return classes() == 0 && values() == 1; }
  // The combined class of each row of encoded class responses.
  std::vector<std::int32_t> combine(const Matrix<std::int32_t>& codes) const;

 private:
  std::vector<std::int32_t> level_counts_;
};

}  // namespace bl

// Responses that are held at the values of rows while the others are drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// Empty parts: nothing is held.
struct GivenValues {
  std::vector<Index> free;       // numbers that are drawn; all where `held` is empty
  Matrix<double> held;           // rows x numbers, encoded; what is drawn is 0 here
  Matrix<std::uint8_t> allowed;  // rows x combined classes: 1 where the held classes agree with it

  bool holds_numbers() const { return held.rows() > 0; }
  bool holds_all_numbers() const { return holds_numbers() && free.empty(); }
};

// The level of class response k (by its place among the model's class responses) in a combined class.
std::int32_t level_of(const FittedModel& model, std::int32_t combined, std::size_t k);

// `names`, separated by commas, from the columns of the table; others are not needed there. UsageError for
// names that are no responses and where nothing is left to draw, DataError for values that cannot be held.
GivenValues given_values(const FittedModel& model, const Table& table, const std::string& names);

}  // namespace bl

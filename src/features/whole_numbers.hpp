// Responses of whole numbers: classes that have numbers for names, or counts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "features/schema.hpp"

namespace bl {

struct WholeNumbers {
  std::size_t values = 0;  // different ones
  double least = 0, most = 0;

  // Names of classes run on from each other; counts thin out.
  bool gaps() const { return most - least + 1 > static_cast<double>(values); }
  // Classes have few numbers for names, or numbers without a gap.
  bool are_classes() const { return values <= 10 || !gaps(); }
  // 0, 1, 2, ... or 1, 2, 3, ..., at most ten of them: what people call classes.
  bool named_like_classes() const { return values <= 10 && !gaps() && (least == 0 || least == 1); }
};

// Of a numeric column whose values are all whole, at most 20 different ones, each twice on average.
std::optional<WholeNumbers> few_whole_numbers(const Column& column);

// A note for each response that was taken as classes although its values may be counts or grades, whose order
// classes do not know. Columns in `declared` are classes on purpose.
std::vector<std::string> numbered_class_notes(const Table& table, const Schema& schema,
                                              const std::vector<std::string>& declared);

}  // namespace bl

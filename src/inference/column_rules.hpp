// What is redundant among the columns that a layer's heads are linear in, as functions on points whose class
// is one of m: e_k^2 = e_k, e_j e_k = 0 for j != k, and sum over k of f e_k = f.
#pragma once

#include <cstdint>
#include <vector>

#include "model/architecture.hpp"

namespace bl::inference {

struct ColumnRules {
  static constexpr Index kNone = -1;  // of `base`: f is no column; the head has no bias
  static constexpr Index kBias = -2;  // of `base`: f = 1 is the bias

  // f e_1, ..., f e_m are all columns. Where f itself is one too (or the bias), one class is redundant in
  // every head; where not, one is invisible in heads that are linear up to the output and f has no factor of
  // the response.
  struct Reference {
    Index base = kNone;
    bool context_only = true;
    std::vector<Index> by_class;
  };

  std::vector<Index> same_as;              // an earlier column that is the same function; itself: none
  std::vector<std::uint8_t> vanishes;      // 1: zero at every point
  std::vector<std::uint8_t> context_only;  // 1: no factor of the response
  std::vector<std::int32_t> class_of;      // -1: of none
  std::vector<Reference> references;
  bool separate_classes = false;  // no bias, and every column belongs to one class: classes share nothing
};

ColumnRules column_rules(const Architecture& architecture, std::size_t layer);

}  // namespace bl::inference

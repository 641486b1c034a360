// Products of two curves as small heat maps, below the curves of a block.
#pragma once

#include <string>
#include <vector>

#include "explain/problem.hpp"
#include "explain/svg_parts.hpp"

namespace bl::explain {

inline constexpr double kHeatHigh = 96;  // pixels

// A product, alone or times the same indicators, in the heads that have it.
struct ProductRow {
  struct InHead {
    std::size_t head;
    const Monomial::Product* product;
  };
  std::vector<Factor> factors = {};
  std::vector<InHead> heads = {};

  double lowest() const;
  double highest() const;
};

// The product with the largest range first.
std::vector<ProductRow> product_rows(const Problem& problem, const Block& block);

// The first variable runs across, the second upwards, with ticks at the knots. Values above zero are blue,
// those below red, the stronger the closer they are to `extent`. Where there are standard errors, circles
// mark the knots whose 95% interval includes zero.
std::string heat_map(const Problem& problem, const Monomial::Product& product, const Point& top, double width,
                     double extent);

// What stands before a row: the columns and the range of the second.
std::string heat_name(const Problem& problem, const ProductRow& row, const Point& right);

}  // namespace bl::explain

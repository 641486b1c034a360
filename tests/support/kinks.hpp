// Where activations have kinks, and where the heads of a model stand relative to them.
#pragma once

#include <functional>
#include <vector>

#include "engine/reference/utility.hpp"

namespace bl::test {

// Where the first or second derivative jumps.
inline std::vector<double> kinks(Activation activation) {
  switch (activation) {
    case Activation::relu:
    case Activation::abs:
      return {0};
    case Activation::huber:
    case Activation::clip:
      return {-1, 1};
    default:
      return {};
  }
}

using HeadVisitor = std::function<void(Activation, double head)>;

inline void visit_heads(const reference::Trace& trace, const Architecture& a, const HeadVisitor& visit) {
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    std::size_t place = 0;
    for (const HeadKind kind : kHeadKinds)
      for (Index h = 0; h < a.layers[l].blocks * a.layers[l].heads(kind); ++h, ++place)
        visit(a.activation(kind), trace.layers[l].heads[place]);
  }
}

}  // namespace bl::test

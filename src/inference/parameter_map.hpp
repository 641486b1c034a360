// Where heads, blocks and their readers stand in the flat parameter vector, and effective values (softplus of
// what is stored raw) instead of raw ones: what canonical forms and standard errors are written in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/parameters.hpp"

namespace bl::inference {

struct HeadPlace {
  std::size_t layer = 0;
  Index block = 0;
  HeadKind kind = HeadKind::utility;
  Index head = 0;     // among those of its kind in the block
  Index weights = 0;  // first of `columns` adjacent entries
  Index columns = 0;
  Index bias = -1;  // -1: has none
  Index lambda = 0;
  int degree = 1;
};

// "L1.B2.C1".
std::string head_name(const HeadPlace& place);

class ParameterMap {
 public:
  explicit ParameterMap(const Architecture& architecture);

  const Architecture& architecture() const { return architecture_; }
  const ParameterLayout& layout() const { return layout_; }
  const std::vector<HeadPlace>& heads() const { return heads_; }
  // The heads of a kind in a block, adjacent in heads().
  std::span<const HeadPlace> heads_of(std::size_t layer, Index block, HeadKind kind) const;

  // Every parameter that multiplies the output of a block: columns of later heads, of a projection, of the
  // readout.
  std::vector<Index> readers(std::size_t layer, Index block) const;
  // Column of later layer `reader` in which it reads the block, or -1.
  Index column_of(std::size_t reader, std::size_t layer, Index block) const;
  // Row of the projection into this layer that adds to the block; empty where there is none.
  std::vector<Index> projection_row(std::size_t layer, Index block) const;
  // Residual networks add the block of the layer before, so that the two have one scale and one place.
  bool continues(std::size_t layer) const;

  // Head to which a weight, bias or lambda belongs; nullptr for projections and the readout.
  const HeadPlace* head_at(Index position) const;
  const TensorInfo& tensor_at(Index position) const;

  std::vector<double> effective(std::span<const double> raw) const;
  // An effective zero of a non-negative parameter becomes kRawZero.
  std::vector<double> raw(std::span<const double> effective) const;

 private:
  Architecture architecture_;
  ParameterLayout layout_;
  std::vector<HeadPlace> heads_;
  std::vector<std::size_t> first_;        // of each (layer, block, kind), and the end
  std::vector<std::size_t> layer_first_;  // in first_, of each layer
};

// softplus of this is exactly 0.
inline constexpr double kRawZero = -800;

}  // namespace bl::inference

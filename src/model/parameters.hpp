// Where each parameter lies in the one flat vector that optimizers, files and gradients share.
//
// Per layer: the weights of all heads as one matrix (utility rows, block-major, then inequality, then
// equality), then their biases, then their raw lambdas; then the layer's projection if it has one; at the end
// the readout. Non-negative lambdas and readout weights are stored raw: the effective value is softplus(raw).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/architecture.hpp"

namespace bl {

enum class TensorRole { weight, bias, lambda, projection, readout_weight, readout_bias };

struct TensorInfo {
  std::string name;  // "layers/0/U/weight", "projections/2", "readout/bias"
  TensorRole role = TensorRole::weight;
  std::size_t layer = 0;
  HeadKind kind = HeadKind::utility;  // of weight, bias and lambda
  Index rows = 0;
  Index cols = 1;
  Index offset = 0;
  Sign sign = Sign::free;  // non_negative: stored raw

  Index size() const { return rows * cols; }
  // A raw value does not: its zero is the effective value log 2.
  bool decays() const {
    return sign == Sign::free && (role == TensorRole::weight || role == TensorRole::projection ||
                                  role == TensorRole::readout_weight);
  }
  bool is_matrix() const {
    return role != TensorRole::bias && role != TensorRole::lambda && role != TensorRole::readout_bias;
  }
};

class ParameterLayout {
 public:
  explicit ParameterLayout(const Architecture& architecture);

  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  // Throws std::out_of_range: asking for a tensor that is not there is a mistake of the program.
  const TensorInfo& tensor(const std::string& name) const;
  bool contains(const std::string& name) const;

  // Length of the flat vector.
  Index size() const { return size_; }
  // What may be learned: a head of lower degree than its layer's basis leaves the columns beyond at zero.
  Index free_count() const { return free_count_; }
  // 1 for a learnable entry, 0 for one held at zero; empty when all are learnable.
  const std::vector<std::uint8_t>& free_mask() const { return mask_; }

 private:
  void add(TensorInfo tensor);
  void mask_columns_beyond_degree(const Architecture& architecture);

  std::vector<TensorInfo> tensors_;
  std::vector<std::uint8_t> mask_;
  Index size_ = 0;
  Index free_count_ = 0;
};

// softplus and its inverse on scalars, accurate at both ends.
double softplus(double raw);
double inverse_softplus(double effective);  // effective > 0

// The rules of specification page 1, "Starting values"; a pure function of the seed.
template <class T>
void starting_values(const Architecture& architecture, const ParameterLayout& layout, std::uint64_t seed,
                     std::span<T> parameters);

}  // namespace bl

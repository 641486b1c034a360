// The steps of canonical_form, on effective values.
#pragma once

#include <string>
#include <vector>

#include "inference/canonical.hpp"
#include "inference/column_rules.hpp"

namespace bl::inference {

class Canonicaliser {
 public:
  Canonicaliser(const Architecture& architecture, std::span<const double> raw,
                const CanonicalOptions& options);

  CanonicalForm run();

 private:
  // Coefficients of a head that change their sign together: all, or those of one class.
  struct Group {
    std::vector<Index> positions;
  };

  // Per head (canonical_heads.cpp).
  void fold_columns(const HeadPlace& head);
  void absorb_weight(const HeadPlace& head);
  void turn_equality(const HeadPlace& head);
  void turn_inequalities(std::size_t layer, Index block);
  void turn_two_classes(const HeadPlace& head);
  void drop_unseen(const HeadPlace& head);
  void pass_constant_on(const HeadPlace& head);
  std::vector<Group> sign_groups(const HeadPlace& head) const;
  std::vector<Index> coefficients(const HeadPlace& head) const;  // positions: columns, then the bias
  double largest(const std::vector<Index>& positions) const;     // the entry of largest size, with its sign
  bool is_zero(const HeadPlace& head) const;
  void clear(const HeadPlace& head);

  // Per block (canonical_blocks.cpp).
  void merge_heads(std::size_t layer, Index block);
  bool merge_into(const HeadPlace& first, const HeadPlace& second);
  void prune_heads(std::size_t layer, Index block);
  void scale_block(std::size_t layer, Index block);
  void order_heads(std::size_t layer, Index block);
  void merge_blocks(std::size_t layer);
  void prune_blocks(std::size_t layer);
  void shift_readout();
  void order_blocks(std::size_t layer);
  void turn_odd_blocks(std::size_t layer);
  double block_weight(std::size_t layer, Index block) const;
  std::vector<Index> block_positions(std::size_t layer, Index block) const;
  std::vector<double> values_at(const std::vector<Index>& positions) const;
  double reader_norm(std::size_t layer, Index block) const;
  void clear_block(std::size_t layer, Index block);
  void scale_heads(std::size_t layer, Index block, double factor);

  Activation activation(const HeadPlace& head) const { return map_.architecture().activation(head.kind); }
  double& at(Index position) { return values_[static_cast<std::size_t>(position)]; }
  double at(Index position) const { return values_[static_cast<std::size_t>(position)]; }

  ParameterMap map_;
  CanonicalOptions options_;
  std::vector<double> values_;  // effective
  std::vector<ColumnRules> rules_;
  std::vector<std::string> notes_;
};

}  // namespace bl::inference

// What training minimises, as value and gradient of a chunk of rows.
//
//   likelihood      mean of -log p(observed | x), p over candidates: classes, alternatives, quadrature nodes
//                   (the observed value itself in the numerator), the outputs of the vector form, a whole
//                   interval, whose normaliser is exact where the utility is piecewise linear, or the
//                   observed value among random ones, drawn afresh at every step
//   score matching  mean of 1/2 || grad_v BL(x, v~)/tau + (v~ - v)/sigma^2 ||^2,  v~ = v + sigma e
//   hybrid          gamma_d * likelihood of class given (x, v)  +  gamma_c * score matching of v given
//                   (x, class)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "model/network.hpp"
#include "objective/dataset.hpp"
#include "objective/proposal.hpp"
#include "objective/quadrature_rule.hpp"
#include "piecewise/density.hpp"
#include "piecewise/layer_lines.hpp"

namespace bl {

enum class ObjectiveKind { likelihood, score_matching, hybrid };

// One number as response where the utility is piecewise linear in it (piecewise/layer_lines.hpp). A response
// inside a slot, an interval of its own, is known to lie there and no more: point masses and whole numbers.
struct ExactResponse {
  double lower = 0, upper = 0;
  std::vector<piecewise::Interval> slots = {};  // ascending, apart from each other
};

// Candidates v_1 ... v_K of a continuous response drawn from a proposal q, beside the observed v_0:
//   loss = -BL(v_0)/tau + log of the mean over k = 0 ... K of exp(BL(v_k)/tau) / q(v_k)
// Up to a constant of the row this is minus the log of the probability that v_0 is the observed one among
// them (ranking noise-contrastive estimation), so it is bounded below and has its optimum at the true
// distribution for every K. No mass can hide from candidates that stand elsewhere at every step.
struct RandomCandidates {
  std::shared_ptr<const Proposal> proposal;
  int count = 64;
};

struct ObjectiveSpec {
  ObjectiveKind kind = ObjectiveKind::likelihood;
  double temperature = 1;
  double sigma = 0.5;          // score matching: noise, in units of the encoded response
  int draws = 1;               // score matching: noise draws per row
  double label_smoothing = 0;  // likelihood of classes: share of the observed one spread over all evenly
  double gamma_discrete = 1;
  double gamma_continuous = 1;
  QuadratureRule rule;                     // likelihood of a continuous response
  std::optional<ExactResponse> exact;      // in the place of the rule
  std::optional<RandomCandidates> random;  // likewise
};

// The noise of score matching: a function of the row, or given outright (rows x draws * values). Random
// candidates are functions of the row and the stream.
struct Noise {
  RandomStream stream;
  double sigma = 0;
  MatrixView<const double> given;
};

struct LossSum {
  double loss = 0;      // sum over rows of weight * loss
  double weight = 0;    // sum of weights
  double discrete = 0;  // hybrid: the two parts of `loss`, before gamma
  double continuous = 0;

  void add(const LossSum& other);
  double mean() const { return loss / weight; }
};

template <class T>
struct ObjectiveWorkspace {
  NetworkWorkspace<T> network;
  Matrix<T> context, values, noise, residual, d_scores, direction;
  std::vector<std::int32_t> begin, classes;
  std::vector<std::int32_t> numerator;  // per row: the observed candidate's place among all scores
  std::vector<T> logits, log_weights;   // of candidates
  std::vector<double> place;
  piecewise::LayerLines lines;
  piecewise::LineWorkspace interval, slot;
  std::vector<piecewise::HeadShare> expected, observed;
  std::vector<double> d_slope, d_gain;
  Matrix<T> d_heads;
  // Optional, of the current rows: their context gathered already, and Points::row_heads.
  MatrixView<const T> given_context;
  MatrixView<T> row_heads;
};

template <class T>
class Objective {
 public:
  // Throws UsageError or DataError where network, specification and data do not fit together. Views the data.
  Objective(const Network<T>& network, ObjectiveSpec spec, const DatasetView<T>& data);

  const Network<T>& network() const { return *network_; }
  const ObjectiveSpec& spec() const { return spec_; }
  const DatasetView<T>& data() const { return data_; }

  // Numbers that a row's candidates keep during a gradient, on average over the rows.
  double numbers_per_row() const;
  // Rows that fit a cache-sized workspace; depends on shapes alone.
  Index rows_per_chunk() const;

  // Whether a batch of this many rows takes the first layer's product with the context as one.
  bool context_apart(Index rows) const;

  // Loss of these rows. With sums: adds scale * d loss / d parameters.
  LossSum chunk(const PreparedParameters<T>& w, std::span<const std::int64_t> rows, const Noise& noise,
                double scale, ObjectiveWorkspace<T>& ws, GradientSum<T>* sums) const;

 private:
  enum class Candidates { outputs, classes, alternatives, nodes, interval, random };

  void check_exact() const;
  void check_continuous() const;
  void check_data() const;
  double average_candidates() const;
  void gather_context(std::span<const std::int64_t> rows, const Noise& noise,
                      ObjectiveWorkspace<T>& ws) const;
  void place_candidates(std::span<const std::int64_t> rows, const Noise& noise,
                        ObjectiveWorkspace<T>& ws) const;
  void place_classes(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const;
  void place_alternatives(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const;
  void place_nodes(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const;
  void place_random(std::span<const std::int64_t> rows, const Noise& noise, ObjectiveWorkspace<T>& ws) const;
  void place_noisy_values(std::span<const std::int64_t> rows, const Noise& noise,
                          ObjectiveWorkspace<T>& ws) const;
  Points<T> points(const ObjectiveWorkspace<T>& ws) const;
  // Whether all rows have one normaliser: nodes, and no context.
  bool shared_normaliser() const { return candidates_ == Candidates::nodes && data_.context.cols == 0; }
  double shared_likelihood(const PreparedParameters<T>& w, std::span<const std::int64_t> rows, double scale,
                           ObjectiveWorkspace<T>& ws, GradientSum<T>* sums) const;
  double likelihood(const PreparedParameters<T>& w, std::span<const std::int64_t> rows, const Noise& noise,
                    double scale, ObjectiveWorkspace<T>& ws, GradientSum<T>* sums) const;
  void place_interval(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const;
  double exact_likelihood(const PreparedParameters<T>& w, std::span<const std::int64_t> rows, double scale,
                          ObjectiveWorkspace<T>& ws, GradientSum<T>* sums) const;
  double exact_row(const T* offsets, double y, double factor, T* d_offsets, ObjectiveWorkspace<T>& ws) const;
  double score_matching(const PreparedParameters<T>& w, std::span<const std::int64_t> rows,
                        const Noise& noise, double scale, ObjectiveWorkspace<T>& ws,
                        GradientSum<T>* sums) const;

  const Network<T>* network_;
  ObjectiveSpec spec_;
  DatasetView<T> data_;
  Candidates candidates_ = Candidates::classes;
};

}  // namespace bl

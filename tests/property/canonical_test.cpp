// Canonical forms over many architectures: the distribution stays, a second pass changes nothing, and models
// that are the same up to a symmetry end in the same parameters.
#include "inference/canonical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/network.hpp"
#include "support/random_problem.hpp"

namespace bl::inference {
namespace {

struct Case {
  std::string name;
  Architecture architecture;
};

Architecture with(Architecture a, std::array<Activation, 3> activations) {
  a.activations = activations;
  return a;
}

constexpr std::array<Activation, 3> kSmooth = {Activation::identity, Activation::softplus,
                                               Activation::square};
constexpr std::array<Activation, 3> kKinked = {Activation::identity, Activation::relu, Activation::abs};
constexpr std::array<Activation, 3> kHuber = {Activation::tanh, Activation::relu, Activation::huber};
constexpr std::array<Activation, 3> kClip = {Activation::clip, Activation::softplus, Activation::abs};

// Odd, and not the identity, whose lambda goes into the head.
bool turns_sign(Activation f) {
  return f == Activation::tanh || f == Activation::clip;
}

std::vector<Case> cases() {
  const InputShape classes{.context = 2, .values = 0, .classes = 3},
      two{.context = 2, .values = 0, .classes = 2}, number{.context = 2, .values = 1, .classes = 0},
      mixed{.context = 1, .values = 1, .classes = 3}, wide{.context = 3, .values = 0, .classes = 0};
  std::vector<Case> list;
  for (const auto& [name, input] : {std::pair("classes", classes), std::pair("two", two),
                                    std::pair("number", number), std::pair("mixed", mixed)}) {
    const Architecture one = single_block(input, {2, 1}, {2, 2, 1}, {2, 2});
    list.push_back({std::string("single_ibl_") + name, identifiable(one)});
    list.push_back({std::string("single_smooth_") + name, with(one, kSmooth)});
    list.push_back({std::string("single_kinked_") + name, with(one, kKinked)});
    Architecture response_only = with(one, kKinked);
    response_only.basis.response_only = true;
    list.push_back({std::string("single_response_") + name, response_only});
    Architecture free = one;
    free.lambda = Sign::free;
    list.push_back({std::string("single_free_") + name, free});
    list.push_back({std::string("single_free_clip_") + name, with(free, kClip)});
    list.push_back({std::string("single_ibl_clip_") + name, with(identifiable(one), kClip)});
    for (const Skip skip : {Skip::none, Skip::input, Skip::dense, Skip::residual}) {
      for (const std::vector<Index>& widths :
           {std::vector<Index>{3}, std::vector<Index>{3, 2}, std::vector<Index>{3, 3, 2}}) {
        Architecture a = stacked(input, widths);
        a.skip = skip;
        const std::string suffix = "_" + std::string(name) + "_" + std::to_string(static_cast<int>(skip)) +
                                   "_" + std::to_string(widths.size());
        list.push_back({"stacked_ibl" + suffix, identifiable(a)});
        list.push_back({"stacked_smooth" + suffix, with(a, kSmooth)});
        list.push_back({"stacked_kinked" + suffix, with(a, kKinked)});
        list.push_back({"stacked_huber" + suffix, with(a, kHuber)});
        for (LayerSpec& layer : a.layers) layer.degrees = {{{1, 1}, {}, {}}};
        list.push_back({"stacked_odd" + suffix, identifiable(a)});
        list.push_back({"stacked_odd_clip" + suffix, with(a, kClip)});
        a.layers.back().degrees = {{{1}, {1}, {}}};
        list.push_back({"stacked_odd_below" + suffix, identifiable(a)});
      }
    }
  }
  for (const Sign sign : {Sign::free, Sign::non_negative})
    for (const bool bias : {false, true}) {
      Architecture a = stacked_vector(wide, {3, 2}, 4);
      a.readout.sign = sign;
      a.readout.bias = bias;
      const std::string suffix =
          std::string(sign == Sign::free ? "_free" : "_positive") + (bias ? "_bias" : "");
      list.push_back({"vector" + suffix, a});
      list.push_back({"vector_smooth" + suffix, with(a, kSmooth)});
    }
  return list;
}

class CanonicalOf : public testing::TestWithParam<Case> {
 protected:
  const Architecture& architecture() const { return GetParam().architecture; }

  std::vector<double> parameters(std::uint64_t seed) const {
    return test::random_parameters(ParameterLayout(architecture()), seed);
  }

  // Scores of random points, less that of the row's first candidate: what a normalised distribution sees.
  std::vector<double> distribution(const std::vector<double>& raw) const {
    constexpr Index kRows = 7, kCandidates = 6;
    const Architecture& a = architecture();
    const bool vector = a.form == Form::vector;
    const Index per_row = vector ? 1 : a.input.values > 0 ? kCandidates : a.input.classes;
    const RandomStream random(3, Purpose::test);
    Matrix<double> context(kRows, a.input.context), values(kRows * per_row, a.input.values);
    test::fill_normal(context, random, 1);
    test::fill_normal(values, random, 2);
    std::vector<std::int32_t> begin, classes;
    for (Index i = 0; i <= kRows; ++i) begin.push_back(static_cast<std::int32_t>(i * per_row));
    for (Index i = 0; i < kRows * per_row && a.input.classes > 0; ++i)
      classes.push_back(static_cast<std::int32_t>(i % a.input.classes));
    const Points<double> points{context.view(), begin, values.view(), classes};
    const Network<double> network(a);
    PreparedParameters<double> prepared;
    network.prepare(raw, prepared);
    NetworkWorkspace<double> ws;
    network.forward(prepared, points, ws);
    std::vector<double> out(ws.scores.flat().begin(), ws.scores.flat().end());
    const auto size = static_cast<std::size_t>(vector ? a.outputs : per_row);
    for (std::size_t i = 0; i < out.size(); i += size)
      for (std::size_t k = size; k-- > 0;) out[i + k] -= out[i];
    return out;
  }
};

double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

TEST_P(CanonicalOf, DistributionStays) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<double> raw = parameters(seed), before = distribution(raw);
    const std::vector<double> after = distribution(canonical_form(architecture(), raw).parameters);
    for (std::size_t i = 0; i < before.size(); ++i)
      ASSERT_NEAR(after[i], before[i], 1e-12 * (1 + largest(before))) << "seed " << seed << ", score " << i;
  }
}

TEST_P(CanonicalOf, SecondPassChangesNothing) {
  const ParameterMap map(architecture());
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto once = canonical_form(architecture(), parameters(seed)).parameters;
    const auto twice = canonical_form(architecture(), once).parameters;
    const std::vector<double> a = map.effective(once), b = map.effective(twice);
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(b[i], a[i], 1e-13 * (1 + std::abs(a[i]))) << "seed " << seed << ", " << i;
  }
}

// Random moves along every symmetry that the architecture has.
class Symmetries {
 public:
  Symmetries(const Architecture& a, const std::vector<double>& raw, std::uint64_t seed)
      : a_(a), map_(a), random_(seed, Purpose::test, 7), v_(map_.effective(raw)) {}

  std::vector<double> apply() {
    for (const HeadPlace& head : map_.heads()) {
      if (head.kind == HeadKind::equality) flip_equality(head);
      trade_weight(head);
      if (a_.activation(HeadKind::utility) == Activation::identity && head.kind == HeadKind::utility &&
          a_.form == Form::scalar && head.layer + 1 == a_.layers.size())
        add_unseen(head);
      split_classes(head);
      if (coin()) turn_two_classes(head);
    }
    reflect_inequalities();
    if (a_.readout.present) {
      scale_blocks();
      turn_odd_blocks();
      permute_blocks();
      shift_readout();
    }
    permute_heads();
    return map_.raw(v_);
  }

 private:
  double& at(Index i) { return v_[static_cast<std::size_t>(i)]; }
  double uniform() { return random_.uniform(0, ++count_); }
  bool coin() { return uniform() < 0.5; }
  std::vector<Index> coefficients(const HeadPlace& h) const {
    std::vector<Index> out(static_cast<std::size_t>(h.columns));
    std::iota(out.begin(), out.end(), h.weights);
    if (h.bias >= 0) out.push_back(h.bias);
    return out;
  }
  Activation f(const HeadPlace& h) const { return a_.activation(h.kind); }

  void flip_equality(const HeadPlace& h) {
    if (coin())
      for (const Index i : coefficients(h)) at(i) = -at(i);
  }

  void trade_weight(const HeadPlace& h) {
    const double k = 0.3 + 2 * uniform();
    if (turns_sign(f(h)) && a_.lambda == Sign::free && coin()) {
      at(h.lambda) = -at(h.lambda);
      for (const Index i : coefficients(h)) at(i) = -at(i);
    }
    const bool one = f(h) == Activation::identity || f(h) == Activation::relu || f(h) == Activation::abs;
    if (!one && f(h) != Activation::square) return;
    at(h.lambda) *= f(h) == Activation::square ? k * k : k;
    for (const Index i : coefficients(h)) at(i) /= k;
  }

  // Terms of the first layer in z without class or value; columns of z above it.
  void add_unseen(const HeadPlace& h) {
    if (h.bias >= 0) at(h.bias) += uniform();
    if (h.layer > 0) {
      if (a_.skip == Skip::input || a_.skip == Skip::dense)
        for (Index c = 0; c < a_.input.context; ++c) at(h.weights + c) += uniform();
      return;
    }
    const auto terms = basis_terms(a_.basis, a_.input, a_.degree());
    for (std::size_t t = 0; t < terms.size(); ++t)
      if (terms[t].back() < a_.input.context && static_cast<int>(terms[t].size()) <= h.degree)
        at(h.weights + static_cast<Index>(t)) += uniform();
  }

  // e_k and e_k^2 trade; a product of two classes is never seen.
  void split_classes(const HeadPlace& h) {
    if (h.layer > 0 || h.degree < 2 || a_.basis.kind != BasisKind::monomials) return;
    const auto terms = basis_terms(a_.basis, a_.input, a_.degree());
    const auto first = static_cast<std::int32_t>(a_.input.context + a_.input.values);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (terms[t].size() != 2 || terms[t][0] < first) continue;
      const double move = uniform();
      at(h.weights + static_cast<Index>(t)) += move;
      if (terms[t][0] == terms[t][1])
        for (std::size_t s = 0; s < terms.size(); ++s)
          if (terms[s] == Term{terms[t][0]}) at(h.weights + static_cast<Index>(s)) -= move;
    }
  }

  // tanh(u_1) - tanh(u_2) is that of (-u_2, -u_1), clip likewise.
  void turn_two_classes(const HeadPlace& h) {
    if (!turns_sign(f(h)) || a_.layers.size() != 1 || a_.input.classes != 2 || a_.input.values != 0 ||
        !a_.basis.response_only)
      return;
    const auto terms = basis_terms(a_.basis, a_.input, a_.degree());
    std::vector<double> turned(terms.size());
    for (std::size_t t = 0; t < terms.size(); ++t) {
      Term other = terms[t];
      for (std::int32_t& factor : other)
        if (factor >= a_.input.context) factor = static_cast<std::int32_t>(2 * a_.input.context + 1) - factor;
      std::sort(other.begin(), other.end());
      const auto partner = std::find(terms.begin(), terms.end(), other) - terms.begin();
      turned[t] = -at(h.weights + partner);
    }
    for (std::size_t t = 0; t < terms.size(); ++t) at(h.weights + static_cast<Index>(t)) = turned[t];
  }

  void reflect_inequalities() {
    if (a_.activation(HeadKind::utility) != Activation::identity) return;
    for (const HeadPlace& h : map_.heads()) {
      if (h.kind != HeadKind::inequality || !coin()) continue;
      const HeadPlace& u = map_.heads_of(h.layer, h.block, HeadKind::utility)[0];
      if (u.degree < h.degree) continue;
      for (Index c = 0; c < h.columns; ++c)
        at(u.weights + c) -= at(h.lambda) / at(u.lambda) * at(h.weights + c);
      if (h.bias >= 0) at(u.bias) -= at(h.lambda) / at(u.lambda) * at(h.bias);
      for (const Index i : coefficients(h)) at(i) = -at(i);
    }
  }

  void scale_blocks() {
    for (std::size_t l = 0; l < a_.layers.size(); ++l)
      for (Index b = 0; b < a_.layers[l].blocks; ++b) {
        if (map_.continues(l)) continue;
        const double k = 0.3 + 2 * uniform();
        for (const Index i : map_.projection_row(l, b)) at(i) *= k;
        for (std::size_t m = l; m == l || (m < a_.layers.size() && map_.continues(m)); ++m) {
          for (const HeadPlace& h : map_.heads())
            if (h.layer == m && h.block == b) at(h.lambda) *= k;
          for (const Index i : map_.readers(m, b)) at(i) /= k;
        }
      }
  }

  // tanh(-u) = -tanh(u) and clip(-u) = -clip(u), and what reads it takes the sign back.
  void turn_odd_blocks() {
    for (std::size_t l = 0; l + 1 < a_.layers.size(); ++l)
      for (Index b = 0; b < a_.layers[l].blocks; ++b) {
        const bool odd = a_.layers[l].heads(HeadKind::utility) == a_.layers[l].heads_per_block();
        if (!odd || !turns_sign(a_.activation(HeadKind::utility)) || a_.skip == Skip::residual || coin())
          continue;
        for (const Index i : map_.readers(l, b)) at(i) = -at(i);
        for (const HeadPlace& h : map_.heads_of(l, b, HeadKind::utility))
          for (const Index i : coefficients(h)) at(i) = -at(i);
      }
  }

  void exchange(const std::vector<Index>& a, const std::vector<Index>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) std::swap(at(a[i]), at(b[i]));
  }

  void permute_blocks() {
    for (std::size_t l = 0; l < a_.layers.size(); ++l) {
      if (map_.continues(l) || a_.layers[l].blocks < 2 || !coin()) continue;
      for (std::size_t m = l; m == l || (m < a_.layers.size() && map_.continues(m)); ++m) {
        for (const HeadKind kind : kHeadKinds)
          for (std::size_t h = 0; h < map_.heads_of(m, 0, kind).size(); ++h)
            swap_heads(map_.heads_of(m, 0, kind)[h], map_.heads_of(m, 1, kind)[h]);
        exchange(map_.projection_row(m, 0), map_.projection_row(m, 1));
        exchange(map_.readers(m, 0), map_.readers(m, 1));
      }
    }
  }

  void swap_heads(const HeadPlace& a, const HeadPlace& b) {
    exchange(coefficients(a), coefficients(b));
    std::swap(at(a.lambda), at(b.lambda));
  }

  void permute_heads() {
    for (std::size_t l = 0; l < a_.layers.size(); ++l)
      for (Index b = 0; b < a_.layers[l].blocks; ++b)
        for (const HeadKind kind : kHeadKinds) {
          const auto heads = map_.heads_of(l, b, kind);
          if (heads.size() > 1 && heads[0].degree == heads[1].degree && coin())
            swap_heads(heads[0], heads[1]);
        }
  }

  void shift_readout() {
    if (!map_.layout().contains("readout/weight")) return;
    for (const char* name : {"readout/weight", "readout/bias"}) {
      if (!map_.layout().contains(name)) continue;
      const TensorInfo& tensor = map_.layout().tensor(name);
      if (a_.form == Form::scalar && tensor.is_matrix()) continue;
      for (Index c = 0; c < tensor.cols; ++c) {
        const double move = uniform();
        for (Index r = 0; r < tensor.rows; ++r) at(tensor.offset + r * tensor.cols + c) += move;
      }
    }
  }

  const Architecture& a_;
  ParameterMap map_;
  RandomStream random_;
  std::vector<double> v_;
  std::uint64_t count_ = 0;
};

TEST_P(CanonicalOf, SymmetricModelsAreTheSame) {
  const ParameterMap map(architecture());
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<double> raw = parameters(seed), other = Symmetries(architecture(), raw, seed).apply();
    const std::vector<double> before = distribution(raw), moved = distribution(other);
    for (std::size_t i = 0; i < before.size(); ++i)
      ASSERT_NEAR(moved[i], before[i], 1e-10 * (1 + largest(before))) << "the test's own symmetry is none";
    const std::vector<double> a = map.effective(canonical_form(architecture(), raw).parameters),
                              b = map.effective(canonical_form(architecture(), other).parameters);
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(b[i], a[i], 1e-9 * (1 + std::abs(a[i])))
          << "seed " << seed << ", " << map.tensor_at(static_cast<Index>(i)).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, CanonicalOf, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace bl::inference

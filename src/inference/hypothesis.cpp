#include "inference/hypothesis.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "inference/distributions.hpp"

namespace bl::inference {

namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& names) : text_(text), names_(names) {}

  Hypothesis parse() {
    do {
      weights_.emplace_back(Eigen::VectorXd::Zero(static_cast<Index>(names_.size())));
      values_.push_back(0);
      side(1);
      if (!take('=')) fail("expected '='");
      side(-1);
    } while (take(',') || take(';'));
    if (!rest().empty()) fail("expected a comma or the end");
    Hypothesis out;
    out.weights.resize(static_cast<Index>(weights_.size()), static_cast<Index>(names_.size()));
    out.values.resize(static_cast<Index>(values_.size()));
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      out.weights.row(static_cast<Index>(i)) = weights_[i].transpose();
      out.values(static_cast<Index>(i)) = values_[i];
      if (weights_[i].isZero(0)) fail(fmt::format("equation {} names no parameter", i + 1));
    }
    return out;
  }

 private:
  using Index = Eigen::Index;

  std::string_view rest() {
    at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    return text_.substr(at_);
  }
  bool take(char c) {
    if (rest().empty() || rest()[0] != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void fail(const std::string& what) {
    throw UsageError(fmt::format("test {}: {} at {}", in_quotes(text_), what,
                                 rest().empty() ? "the end" : in_quotes(rest())));
  }

  // sum of terms, counted with `sign` on the left side of the equation.
  void side(double sign) {
    double factor = take('-') ? -sign : (take('+'), sign);
    term(factor);
    for (;;) {
      if (take('+'))
        term(sign);
      else if (take('-'))
        term(-sign);
      else
        return;
    }
  }

  void term(double factor) {
    if (name(factor)) return;
    double value = 0;
    const std::string_view here = rest();
    const auto [end, error] = std::from_chars(here.data(), here.data() + here.size(), value);
    if (error != std::errc()) unknown();
    at_ += static_cast<std::size_t>(end - here.data());
    if (take('*')) {
      if (!name(factor * value)) unknown();
      return;
    }
    values_.back() -= factor * value;
  }

  bool name(double factor) {
    const std::string_view here = rest();
    std::size_t best = names_.size();
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (here.starts_with(names_[i]) && (best == names_.size() || names_[i].size() > names_[best].size()))
        best = i;
    if (best == names_.size()) return false;
    at_ += names_[best].size();
    weights_.back()(static_cast<Index>(best)) += factor;
    return true;
  }

  [[noreturn]] void unknown() {
    const std::string_view here = rest();
    const std::string word(here.substr(0, here.find_first_of(" =,;+")));
    throw UsageError(fmt::format("test {}: there is no parameter {} among {}{}", in_quotes(text_),
                                 in_quotes(word), quoted_list(names_), did_you_mean(word, names_)));
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  std::vector<Eigen::VectorXd> weights_;
  std::vector<double> values_;
};

}  // namespace

Hypothesis parse_hypothesis(std::string_view text, const std::vector<std::string>& names) {
  return Parser(text, names).parse();
}

TestResult wald(const Hypothesis& hypothesis, const Eigen::VectorXd& estimates,
                const Eigen::MatrixXd& covariance) {
  constexpr double kDependent = 1e-10;
  // Entries that no equation names may lack a variance.
  Eigen::MatrixXd used = covariance;
  for (Eigen::Index k = 0; k < used.rows(); ++k)
    if (hypothesis.weights.col(k).isZero(0)) {
      used.row(k).setZero();
      used.col(k).setZero();
    }
  const Eigen::MatrixXd variance = hypothesis.weights * used * hypothesis.weights.transpose();
  if (!variance.allFinite())
    throw NumericError("the test is about parameters that have no standard error, so it cannot be made");
  const Eigen::VectorXd gap = hypothesis.weights * estimates - hypothesis.values;
  const Eigen::VectorXd scale = variance.diagonal().cwiseSqrt();
  if (!(scale.minCoeff() > 0)) throw NumericError("the test is about parameters without any variance");
  const Eigen::MatrixXd unit =
      scale.cwiseInverse().asDiagonal() * variance * scale.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(unit);
  const Eigen::VectorXd along = solver.eigenvectors().transpose() * gap.cwiseQuotient(scale);
  TestResult out;
  for (Eigen::Index k = 0; k < along.size(); ++k) {
    const double eigenvalue = solver.eigenvalues()(k);
    if (eigenvalue > kDependent * solver.eigenvalues()(along.size() - 1)) {
      out.statistic += along(k) * along(k) / eigenvalue;
      ++out.degrees;
    } else if (std::abs(along(k)) > 1e-6 * (1 + gap.cwiseQuotient(scale).norm())) {
      throw UsageError("the equations of the test contradict each other");
    }
  }
  out.p = chi_squared_tail(out.statistic, out.degrees);
  return out;
}

TestResult likelihood_ratio(double smaller, int smaller_parameters, double larger, int larger_parameters) {
  if (larger_parameters <= smaller_parameters)
    throw UsageError(fmt::format(
        "a likelihood-ratio test needs a model with more parameters than the other, not {} and {}",
        smaller_parameters, larger_parameters));
  TestResult out;
  out.statistic = 2 * (larger - smaller);
  out.degrees = larger_parameters - smaller_parameters;
  if (out.statistic < -1e-6 * (1 + std::abs(larger)))
    throw NumericError(fmt::format(
        "the larger model has log-likelihood {:.6g}, below the smaller one's {:.6g}, which a maximum over "
        "more parameters cannot be: the models are not nested, or the larger one is not at its highest "
        "maximum (give it more `starts`)",
        larger, smaller));
  out.statistic = std::max(out.statistic, 0.0);
  out.p = chi_squared_tail(out.statistic, out.degrees);
  return out;
}

}  // namespace bl::inference

// The linear utility V = sum of coefficient * attribute, plus constants: the conditional (multinomial) logit,
// as one block with the identity, no constraints and exactly the listed terms.
#pragma once

#include "api/choice_impl.hpp"
#include "artifact/checkpoint.hpp"
#include "bl/settings.hpp"

namespace bl {

// A column of the design: attribute k (or 1 for a constant) where the alternative is the given one (or any).
struct LinearTerm {
  std::string name;
  std::int32_t attribute = -1;    // -1: a constant
  std::int32_t alternative = -1;  // -1: generic
  int sign = 0;

  double value(const ChoiceData& data, std::size_t entry) const {
    if (alternative >= 0 && data.classes[entry] != alternative) return 0;
    return attribute < 0 ? 1.0 : data.attributes(static_cast<Index>(entry), attribute);
  }
};

// Constants first, in the order of the alternatives. UsageError for names that the data do not have.
std::vector<LinearTerm> linear_terms(const ChoiceSchema& schema,
                                     const std::vector<std::string>& alternatives);

Architecture linear_architecture(const std::vector<LinearTerm>& terms, Index attributes, Index alternatives);

struct LinearFit {
  std::vector<double> coefficients;
  std::int64_t iterations = 0;
  std::string cause;
  bool converged = false, interrupted = false;
};

// Maximum likelihood by L-BFGS in float64. A coefficient with a sign is sign * softplus(free parameter). Of
// the options, should_stop and resume count.
LinearFit fit_linear(const std::vector<LinearTerm>& terms, const ChoiceData& data, const Settings& settings,
                     const FitOptions& options, Checkpoint<double>& checkpoint);

struct LinearErrors {
  std::vector<ChoiceCoefficient> coefficients;
  std::vector<double> robust_covariance;  // NaN rows and columns for coefficients at their bound
  bool identified = true;
};

LinearErrors linear_errors(const std::vector<LinearTerm>& terms, const std::vector<double>& coefficients,
                           const ChoiceData& data);

}  // namespace bl

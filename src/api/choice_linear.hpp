// The linear utility V = sum of coefficient * attribute, plus constants: the conditional (multinomial) logit,
// as one block with the identity, no constraints and exactly the listed terms.
#pragma once

#include "api/choice_impl.hpp"
#include "artifact/checkpoint.hpp"
#include "bl/settings.hpp"
#include "objective/objective.hpp"

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

// The coefficients are the first entries of its layout, in the order of the terms; lambda follows and
// stays 1.
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

// The choices with attributes of deviation 1, as an objective; the data must outlive it.
struct ScaledChoices {
  std::vector<double> scales;  // deviation of each attribute; 1 of a constant one
  Matrix<double> attributes;
  Network<double> network;
  Objective<double> objective;

  ScaledChoices(const std::vector<LinearTerm>& terms, const ChoiceData& data);
  ScaledChoices(const ScaledChoices&) = delete;
  ScaledChoices& operator=(const ScaledChoices&) = delete;

  // Deviation of a term's attribute: coefficient = scaled coefficient / scale.
  double scale(const LinearTerm& term) const {
    return term.attribute < 0 ? 1 : scales[static_cast<std::size_t>(term.attribute)];
  }

 private:
  DatasetView<double> view(const ChoiceData& data) const;
};

}  // namespace bl

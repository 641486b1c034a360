// The linear utility V = sum of coefficient * attribute, plus constants: the conditional (multinomial) logit,
// as one block with the identity, no constraints and exactly the listed terms.
#pragma once

#include "artifact/checkpoint.hpp"
#include "base/context.hpp"
#include "bl/settings.hpp"
#include "features/linear_terms.hpp"
#include "model/network.hpp"
#include "objective/objective.hpp"
#include "training/trainer.hpp"

namespace bl {

// The coefficients are the first entries of its layout, in the order of the terms; lambda follows and
// stays 1.
Architecture linear_architecture(const std::vector<LinearTerm>& terms, Index attributes, Index alternatives);

struct LinearFit {
  std::vector<double> coefficients;
  FitReport report;  // epochs: iterations

  bool converged() const { return report.reason == StopReason::converged; }
};

// Maximum likelihood by L-BFGS in float64. A coefficient with a sign is sign * softplus(free parameter); one
// that is constant within sets or collinear stays 0 (see undetermined_terms). resume: from the checkpoint.
LinearFit fit_linear(const std::vector<LinearTerm>& terms, const ChoiceData& data, const Settings& settings,
                     bool resume, Checkpoint<double>& checkpoint, const Context& job);

// The choices with attributes of standard deviation 1, as an objective; the data must outlive it.
struct ScaledChoices {
  std::vector<double> scales;  // standard deviation of each attribute; 1 of a constant one
  Matrix<double> attributes;
  Network<double> network;
  Objective<double> objective;

  ScaledChoices(const std::vector<LinearTerm>& terms, const ChoiceData& data);
  ScaledChoices(const ScaledChoices&) = delete;
  ScaledChoices& operator=(const ScaledChoices&) = delete;

  // Standard deviation of a term's attribute: coefficient = scaled coefficient / scale.
  double scale(const LinearTerm& term) const {
    return term.attribute < 0 ? 1 : scales[static_cast<std::size_t>(term.attribute)];
  }

 private:
  DatasetView<double> view(const ChoiceData& data) const;
};

}  // namespace bl

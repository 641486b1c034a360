// From a table to a model of its responses.
#pragma once

#include "base/context.hpp"
#include "bl/fit.hpp"
#include "data/shared_table.hpp"
#include "fitted/fitted_model.hpp"
#include "model/monotone.hpp"

namespace bl {

// What a fit may be told beside its settings.
struct Guidance {
  // What another model says: log-probabilities of the classes of the training rows, in their order; null:
  // nothing. Of every row's weight, `share` is spread over the classes by them and the rest stays with its
  // own.
  const Matrix<double>* log_probabilities = nullptr;
  double share = 0;
  std::vector<Bound> bounds = {};  // per parameter of a member; empty: none
};

// `guidance` may be null. Probabilities are for a class response alone. The job says when to stop, not the
// options.
FitSummary fit_table(const Table& table, const Settings& settings, const FitOptions& options,
                     const Context& job, const Guidance* guidance = nullptr);

// The same of rows that lie with several ranks, to the bit. Where these rows cannot be learned from like that
// every rank gets all of them, and a note says so.
FitSummary fit_table(const SharedTable& shared, const Settings& settings, const FitOptions& options,
                     const Context& job);

// The context of a fit.
Context fit_context(const Settings& settings, const FitOptions& options);

}  // namespace bl

#include <fmt/format.h>

#include "bl/errors.hpp"
#include "fit/trained.hpp"
#include "fit/training_rows.hpp"
#include "plan/device_plan.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

void refuse_resume(const FitOptions& options, const std::string& what) {
  if (options.resume) throw UsageError(what + ": such a fit begins anew; leave out `resume`");
}

FitReport fit_report(const inference::Estimate& e, std::string cause) {
  FitReport out;
  out.reason = e.minimisation.interrupted ? StopReason::interrupted
               : e.converged              ? StopReason::converged
                                          : StopReason::no_descent;
  out.cause = std::move(cause);
  out.epochs = e.minimisation.best.iterations;
  out.final_loss = e.loss;
  out.gradient_norm = e.minimisation.best.gradient_norm;
  return out;
}

Trained train_to_minimum(const Settings& s, int starts, const FitOptions& options, const Context& job,
                         const std::function<Estimation(const inference::MinimiserSpec&)>& estimate) {
  refuse_resume(options, "a fit to the minimum from several starts");
  const double started = job.seconds();
  inference::MinimiserSpec minimiser;
  minimiser.starts = starts;
  minimiser.seed = static_cast<std::uint64_t>(s.seed);
  if (s.epochs > 0) minimiser.iterations = s.epochs;
  Estimation found = estimate(minimiser);
  const inference::Estimate& e = found.estimate;
  Trained out;
  FitReport& report = out.learned.report =
      fit_report(e, fmt::format("{} of {} starts ended in the lowest minimum, gradient {:.1e}",
                                e.minimisation.optima[0].starts, e.minimisation.starts, e.gradient));
  report.seconds = job.seconds() - started;
  out.learned.parameters = {e.chart.raw};
  if (e.converged)
    out.inference = std::move(found.stored);
  else
    out.notes.push_back("no standard errors: " + e.cause);
  return out;
}

Trained train_to_minimum(const Prepared& p, int starts, const FitOptions& options, const Context& job) {
  const TrainingRows<double> training(p);
  const Network<double> network(p.architecture);
  const Objective<double> objective(network, training.objective, training.rows.view());
  const DeviceChoice where = plan_device(
      *p.settings, static_cast<double>(objective.data().rows * starts) * objective.numbers_per_row(),
      p.architecture, objective.spec());
  Trained out =
      train_to_minimum(*p.settings, starts, options, job, [&](const inference::MinimiserSpec& minimiser) {
        Estimation found{
            .estimate = inference::estimate(objective, {.minimiser = minimiser}, job.on(where.device)),
            .stored = {}};
        if (found.estimate.converged) found.stored = stored_of(found.estimate, objective, 0);
        return found;
      });
  out.learned.report.best_epoch = out.learned.report.epochs;
  out.support = training.support;
  out.encoded_megabytes = training.rows.megabytes();
  if (!where.note.empty()) out.notes.push_back(where.note);
  return out;
}

}  // namespace bl

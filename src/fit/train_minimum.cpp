#include <fmt/format.h>

#include "fit/trained.hpp"
#include "fit/training_rows.hpp"
#include "plan/device_plan.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

Trained train_to_minimum(const Prepared& p, int starts, const Context& job) {
  const Settings& s = *p.settings;
  const double started = job.seconds();
  const TrainingRows<double> training(p);
  const Network<double> network(p.architecture);
  const Objective<double> objective(network, training.objective, training.rows.view());
  const DeviceChoice where =
      plan_device(s, static_cast<double>(objective.data().rows * starts) * objective.numbers_per_row(),
                  p.architecture, objective.spec());
  inference::EstimateSpec spec;
  spec.minimiser.starts = starts;
  spec.minimiser.seed = static_cast<std::uint64_t>(s.seed);
  if (s.epochs > 0) spec.minimiser.iterations = s.epochs;
  const inference::Estimate e = inference::estimate(objective, spec, job.on(where.device));
  Trained out{.learned = {}, .support = training.support, .encoded_megabytes = training.rows.megabytes()};
  FitReport& report = out.learned.report;
  report.reason = e.minimisation.interrupted ? StopReason::interrupted
                  : e.converged              ? StopReason::converged
                                             : StopReason::no_descent;
  report.cause = fmt::format("{} of {} starts ended in the lowest minimum, gradient {:.1e}",
                             e.minimisation.optima[0].starts, e.minimisation.starts, e.gradient);
  report.epochs = report.best_epoch = e.minimisation.best.iterations;
  report.final_loss = e.loss;
  report.gradient_norm = e.minimisation.best.gradient_norm;
  report.seconds = job.seconds() - started;
  out.learned.parameters = {e.chart.raw};
  if (e.converged) {
    out.inference = stored_of(e, objective, 0);
    out.inference->facts["digest"] = p.digest;
  } else {
    out.notes.push_back("no standard errors: " + e.cause);
  }
  if (!where.note.empty()) out.notes.push_back(where.note);
  return out;
}

}  // namespace bl

#include <fmt/format.h>

#include <cmath>

#include "bl/reproduce.hpp"
#include "check/recovery.hpp"
#include "plan/device_plan.hpp"
#include "zoo/identification.hpp"

namespace bl {

namespace {

IdentificationModel model_of(const zoo::ModelEvidence& evidence) {
  IdentificationModel out;
  out.name = evidence.name;
  out.description = evidence.description;
  out.objective = evidence.score_matching ? "score matching" : "likelihood";
  out.noise = evidence.noise;
  out.slope = evidence.slope.slope;
  out.slope_error = evidence.slope.standard_error;
  out.pooled_slope = evidence.pooled_slope.slope;
  out.pooled_slope_error = evidence.pooled_slope.standard_error;
  out.coverage_size = evidence.coverage_size;
  for (const zoo::SizeEvidence& size : evidence.sizes)
    out.sizes.push_back(recovery_round(size, evidence.parameters));
  return out;
}

std::string title_of(const IdentificationModel& model) {
  return model.objective == "likelihood" ? fmt::format("{}: {}", model.name, model.description)
                                         : fmt::format("{}, by score matching", model.name);
}

std::string size_lines(const IdentificationModel& model) {
  std::string out = fmt::format("  {:>8}{:>14}{:>10}{:>16}{:>10}{:>10}\n", "rows", "replications", "failed",
                                "error*sqrt(n)", "var/J^-1", "cover");
  for (const RecoveryRound& size : model.sizes)
    out += fmt::format("  {:>8}{:>14}{:>10}{:>16}{:>10}{:>10}\n", size.rows, size.replications, size.failed(),
                       decimals(size.error * std::sqrt(static_cast<double>(size.rows)), 3),
                       decimals(size.median_variance_ratio, 2), decimals(100 * size.mean_coverage, 1));
  return out;
}

std::string start_words(const RecoveryRound& round) {
  const std::size_t all = round.found_again + round.lower + round.worse;
  if (all == 0) return "";
  return fmt::format(
      "  best of the random starts: {} of {} in the minimum near the truth,\n"
      "  {} in a lower one, {} in a higher one\n",
      round.found_again, all, round.lower, round.worse);
}

}  // namespace

std::vector<IdentificationModel> reproduce_identification(
    const IdentificationOptions& options, const std::function<void(double, const std::string&)>& progress) {
  zoo::IdentificationSpec spec;
  spec.models = options.models;
  spec.replications = options.replications;
  spec.sizes.assign(options.sizes.begin(), options.sizes.end());
  spec.coverage_rows = static_cast<Index>(options.coverage_rows);
  spec.starts = options.starts;
  spec.seed = options.seed;
  const double rows = static_cast<double>(options.coverage_rows) * side_by_side(options.replications);
  const Context job = Context(options.threads, {.should_stop = options.should_stop, .on_progress = progress})
                          .on(plan_device(options.device, rows, "").device);
  std::vector<IdentificationModel> out;
  for (const zoo::ModelEvidence& evidence : zoo::identification_evidence(spec, job))
    out.push_back(model_of(evidence));
  return out;
}

std::vector<std::string> identification_models() {
  std::vector<std::string> names;
  for (const zoo::PlantedProblem& problem : zoo::known_models()) names.push_back(problem.name);
  return names;
}

std::string identification_text(const std::vector<IdentificationModel>& models) {
  std::string out;
  for (const IdentificationModel& model : models) {
    const RecoveryRound& main = model.at_coverage_rows();
    out += title_of(model) + "\n";
    if (std::isfinite(model.slope))
      out += fmt::format("  log error on log rows: slope {:.3f} +- {:.3f} (pooled {:.3f} +- {:.3f})\n",
                         model.slope, model.slope_error, model.pooled_slope, model.pooled_slope_error);
    out += size_lines(model);
    out += fmt::format("\n  {} rows, {} replications\n", main.rows, main.replications) + recovery_table(main);
    const std::string failures = failure_words(main);
    if (!failures.empty()) out += "  " + failures + "\n";
    out += start_words(main);
    out += "\n";
  }
  return out +
         "error: root mean square of (estimate - truth) over the information bound's\n"
         "standard deviation; error*sqrt(n) is about 1 where the bound is met. var/J^-1:\n"
         "variance over replications in units of the bound (of the sizes: median).\n"
         "cover: percent of robust 95% intervals that hold the truth (* outside\n"
         "93.0-97.0 beyond chance). failed: replications without standard errors, left\n"
         "out of sd, s.e. and cover. slope: every size counts alike;\n"
         "pooled: every replication does.\n";
}

std::string identification_json(const std::vector<IdentificationModel>& models) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const IdentificationModel& model : models) {
    nlohmann::ordered_json one = {{"model", model.name}, {"objective", model.objective}};
    if (model.noise > 0) one["noise"] = model.noise;
    if (std::isfinite(model.slope))
      one.update({{"slope", model.slope},
                  {"slope_error", model.slope_error},
                  {"pooled_slope", model.pooled_slope},
                  {"pooled_slope_error", model.pooled_slope_error}});
    one["coverage_rows"] = model.at_coverage_rows().rows;
    for (const RecoveryRound& size : model.sizes) one["sizes"].push_back(recovery_json(size));
    out.push_back(one);
  }
  return out.dump(2) + "\n";
}

}  // namespace bl

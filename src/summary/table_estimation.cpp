#include "features/levels.hpp"
#include "fitted/part_data.hpp"
#include "plan/device_plan.hpp"
#include "summary/estimation.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

// Numbers of the clusters of these rows.
std::vector<std::int32_t> cluster_numbers(const Table& table, const std::string& name,
                                          const std::vector<Index>& rows) {
  const std::vector<std::int32_t> codes = category_codes(table, table.column(name));
  std::vector<std::int32_t> out;
  for (const Index row : rows) out.push_back(codes[static_cast<std::size_t>(row)]);
  return out;
}

// The rows of an estimate and what is minimised over them.
struct InferenceRows {
  Settings settings;  // of the fit
  std::vector<Index> rows;
  PartData<double> part;
  Network<double> network;
  Objective<double> objective;

  InferenceRows(const FittedModel& m, const Table& table)
      : settings(fit_settings(m)),
        rows(rows_of_fit(m, table)),
        part(balanced_part(m, table, rows, settings)),
        network(m.stored.architecture),
        objective(network, objective_of(m, settings, part.encoded.continuous).training, part.view()) {}
  InferenceRows(const InferenceRows&) = delete;
  InferenceRows& operator=(const InferenceRows&) = delete;

 private:
  static PartData<double> balanced_part(const FittedModel& m, const Table& table,
                                        const std::vector<Index>& rows, const Settings& settings) {
    PartData<double> part(m.stored.encoder.with_unseen(UnseenPolicy::missing), m.space, table, rows,
                          settings.out_of_core);
    if (settings.class_weight == "balanced") balance_classes(part, m.space.classes());
    return part;
  }
};

inference::EstimateSpec estimate_spec(const FittedModel& m, const Table& table, const InferenceRows& from,
                                      const InferenceOptions& options) {
  inference::EstimateSpec spec;
  spec.minimiser.starts = options.starts;
  spec.minimiser.given = {m.stored.parameters};
  spec.minimiser.seed = static_cast<std::uint64_t>(from.settings.seed);
  spec.minimiser.reference = class_of(m, options.reference);
  spec.covariance.kind = options.cluster.empty() ? inference::covariance_from_name(options.covariance)
                                                 : inference::CovarianceKind::cluster;
  for (const std::string& name : options.cluster)
    spec.covariance.clusters.push_back(cluster_numbers(table, name, from.rows));
  return spec;
}

}  // namespace

Estimation estimate_table(const FittedModel& model, const Table& table, const InferenceOptions& options,
                          const Context& job) {
  const InferenceRows from(model, table);
  const inference::EstimateSpec spec = estimate_spec(model, table, from, options);
  const Objective<double>& objective = from.objective;
  const DeviceChoice where =
      plan_device(options.device,
                  static_cast<double>(objective.data().rows) * objective.numbers_per_row() *
                      side_by_side(static_cast<std::size_t>(options.bootstrap + options.starts)),
                  objective.network().architecture(), objective.spec());
  const Context there = job.on(where.device);
  Estimation out{.estimate = inference::estimate(from.objective, spec, there),
                 .stored = {},
                 .kind = spec.covariance.kind,
                 .columns = options.cluster,
                 .device_note = where.note};
  job.require_going();
  if (!out.estimate.converged) return out;
  out.stored = stored_of(out.estimate, from.objective, spec.minimiser.reference);
  const auto& clusters = spec.covariance.clusters;
  if (options.bootstrap > 0)
    out.resampled =
        inference::bootstrap(from.objective, out.estimate, spec,
                             {.resamples = options.bootstrap,
                              .seed = options.seed,
                              .clusters = clusters.empty() ? std::vector<std::int32_t>() : clusters[0]},
                             there);
  return out;
}

}  // namespace bl

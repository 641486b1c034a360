#include "fit/prepared.hpp"

#include <algorithm>

#include "bl/errors.hpp"
#include "features/shared_encoder.hpp"
#include "fit/members.hpp"
#include "fitted/fitted_model.hpp"
#include "fitted/part_data.hpp"
#include "model/join.hpp"
#include "model/movement.hpp"
#include "plan/curve_plan.hpp"
#include "plan/image_shifts.hpp"
#include "plan/number_plan.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"
#include "plan/wide_plan.hpp"

namespace bl {

namespace {

// The parameters of each member of the model to go on from.
std::vector<std::vector<double>> warm_starts(const StoredModel& from, const Architecture& architecture) {
  const Index blocks = from.architecture.layers.empty() ? 0 : from.architecture.layers[0].blocks;
  const Index own = architecture.layers[0].blocks;
  const Index joined = architecture.readout.present && blocks % own == 0 ? blocks / own : 1;
  const Architecture expected = joined > 1 ? joined_architecture(architecture, joined) : architecture;
  if (!(from.architecture == expected))
    throw UsageError(
        "the model to start from has another architecture than these settings make of these data; fit "
        "afresh");
  if (joined == 1) return {from.parameters};
  return split_parameters(architecture, joined, from.parameters);
}

}  // namespace

Prepared prepare(const Table& table, const Schema& schema, const Settings& settings, const Settings& asked,
                 const FitOptions& options, const Context& job, const SharedTable* shared) {
  Split split =
      options.parts.empty() ? plan_split(table, schema, settings) : given_split(options.parts, table.rows);
  const StoredModel* from = options.start ? &of_table(*options.start, "a start").stored : nullptr;
  EncodeOptions encoding = encode_options(settings, schema);
  encoding.number = plan_number_policy(settings, schema);
  Encoder encoder = from     ? from->encoder
                    : shared ? fit_encoder(*shared, table, schema, encoding, split.train, job)
                             : Encoder::fit(table, schema, encoding, split.train, job);
  ResponseSpace space(encoder);
  const UtilityInputs inputs = utility_inputs(encoder, space);
  const auto train_rows = static_cast<Index>(split.train.size());
  Architecture architecture = plan_architecture(settings, inputs, train_rows, job.memory());
  const auto directions = feature_directions(encoding.curves, encoder, space);
  const bool to_minimum = plan_starts(settings, architecture) > 0;
  architecture = with_curve_terms(settings, std::move(architecture), encoder, directions, to_minimum);
  require_steps(directions, plan_starts(settings, architecture) > 0);
  refuse_products_of_curves(architecture, encoder);
  const bool wide = plans_wide(settings, inputs, train_rows);
  const Index members =
      plan_members(settings, architecture, wide ? 1 : automatic_members(settings, encoder, train_rows));
  const bool shifts = plans_shifts(settings, table, encoder, wide);
  const double readout_unit = plan_readout_unit(settings, space.single_continuous());
  auto starts = from ? warm_starts(*from, architecture) : std::vector<std::vector<double>>{};
  if (readout_unit != 1)
    for (auto& parameters : starts) scale_utility(architecture, 1 / readout_unit, parameters);
  if (!from && space.single_continuous() && plans_exact_number(settings))
    for (Index member = 0; member < members; ++member)
      starts.push_back(exact_starting_values(architecture,
                                             member_seed(static_cast<std::uint64_t>(settings.seed), member)));
  std::vector<Bound> bounds = curve_bounds(architecture, encoder, directions);
  if (!bounds.empty())
    for (auto& parameters : starts) project<double>(bounds, parameters);
  const bool held_out = !split.validation.empty() || !split.test.empty();
  return {.table = &table,
          .settings = &settings,
          .digest = shared ? table_digest(*shared) : table_digest(table),
          .split = std::move(split),
          .encoder = std::move(encoder),
          .space = std::move(space),
          .architecture = std::move(architecture),
          .members = members,
          .wide = wide,
          .shifts = shifts,
          .refits = held_out && plan_refit(asked, wide, !options.parts.empty()),
          .readout_unit = readout_unit,
          .starts = std::move(starts),
          .bounds = std::move(bounds),
          .warm = from != nullptr,
          .shared = shared,
          .knots = encoding.curves.knots};
}

void check_held_out(const Prepared& p) {
  if (p.split.test.empty()) return;
  const PartData<float> test(p.encoder.with_unseen(UnseenPolicy::missing), p.space, *p.table, p.split.test,
                             p.settings->out_of_core, p.shared);
}

TrainSpec training_spec(const Prepared& p) {
  const Settings& s = *p.settings;
  const auto rows = static_cast<Index>(p.split.train.size());
  TrainSpec spec = plan_training(s, rows, p.space.single_continuous(), has_bends(p.encoder));
  if (p.wide) plan_wide_training(s, rows, p.refits, p.shifts, spec);
  if (p.first && p.first->decay) spec.optimizer.weight_decay = *p.first->decay;
  if (p.first) spec = refit_training(s, std::move(spec), p.wide, p.shifts, p.first->epochs);
  if (p.first && s.time_limit > 0) spec.time_limit = std::max(1e-3, s.time_limit - p.first->seconds);
  return spec;
}

}  // namespace bl

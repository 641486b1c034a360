#include "bl/simplify.hpp"
#include "base/joined.hpp"
#include "base/text_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include "bl/distribution.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "economics/economics.hpp"
#include "fit/table_fit.hpp"
#include "model/parameters.hpp"
#include "plan/curve_plan.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"
#include "predict/evaluation.hpp"
#include "predict/log_density.hpp"
#include "simplify/head_columns.hpp"
#include "simplify/ladder.hpp"

namespace bl {

namespace {

// What does not change from fit to fit.
struct Task {
  const FittedModel* large;
  const Data* data;
  const SimplifyOptions* options;
  Settings settings;  // of the large model's fit
  Split split;
  std::vector<std::string> ranked;  // features, the one that matters most first
  Matrix<double> taught;  // what the large model says of the classes of training rows; empty: nothing
  Context job;

  const Table& table() const { return data->impl().table; }
};

void check(const FittedModel& model, const SimplifyOptions& options) {
  const std::size_t features = model.stored.encoder.features().size();
  if (!model.stored.architecture.readout.present)
    throw UsageError("the model is a single block already; there is nothing to simplify");
  if (features == 0) throw UsageError("a model without features has no columns to choose among");
  if (options.blocks > 64) throw UsageError("`blocks`: a problem to be read has 1 to 64");
  if (options.columns > features)
    throw UsageError(fmt::format("`columns` = {}: the model has {} features", options.columns, features));
  if (options.most_blocks < 1 || options.most_columns < 1 || options.head_columns < 1)
    throw UsageError("`most_blocks`, `most_columns`, `head_columns`: expected at least 1");
  if (options.starts < 1 || options.starts > 100) throw UsageError("`starts`: expected 1 to 100");
}

// By what is lost without them on validation rows where these say enough, else on all.
std::vector<std::string> ranked_columns(const Model& model, const Data& data, const Split& split,
                                        const Context& job) {
  constexpr std::size_t kEnough = 200;
  const bool held_out = is_fit_data(model.impl(), data.impl().table) &&
                        !learned_from_all_rows(model.impl()) && split.validation.size() >= kEnough;
  const OutputTable table = importance(model, data, {.part = held_out ? Part::validation : Part::all}, job);
  const auto& features = model.impl().stored.encoder.features();
  std::vector<std::string> names;
  for (const std::string& name : table.columns.front().texts)
    if (std::any_of(features.begin(), features.end(), [&](const auto& f) { return f.name == name; }))
      names.push_back(name);
  return names;
}

// Whether rows decide how many U heads a block has: few rows do not pay for more than one.
bool chooses_heads(const Task& task) {
  constexpr std::size_t kManyRows = 1000;
  return task.settings.heads == "auto" && task.large->space.classes() > 0 &&
         task.split.train.size() >= kManyRows;
}

// Few blocks tell several classes apart by what they want: one head has one direction (docs/curves.md).
std::size_t least_utility_heads(const Task& task) {
  return chooses_heads(task) && task.large->space.classes() > 2 ? 6 : 1;
}

// A fit of this size with these defaults that belong to small models.
Settings small_settings(const Task& task, const Size& size) {
  Settings s = task.settings;
  s.layers = std::to_string(size.blocks);
  s.members = 1;
  if (s.shifts == "pixel") s.shifts = "auto";  // few pixels are no image
  if (size.utility_heads > 1) s.heads = fmt::format("{},1,1", size.utility_heads);
  std::vector<std::string> ignored = split_list(s.ignore);
  const auto kept = task.ranked.begin() + static_cast<std::ptrdiff_t>(size.columns);
  ignored.insert(ignored.end(), kept, task.ranked.end());
  if (!ignored.empty()) s.ignore = joined(ignored, ",");
  if (s.curves == "auto" && has_bends(task.large->stored.encoder)) s.curves = "all";
  const std::vector<std::string> read(task.ranked.begin(), kept);
  if (s.curves != "auto" && s.curves != "all" && s.curves != "none") {
    std::string curves = entries_of_columns(s.curves, read);
    // What was automatic for the large model is not so for a small one, whose layers are given.
    if (curves == "auto" || curves.starts_with("auto,")) curves.replace(0, 4, "all");
    s.curves = curves.empty() ? "none" : curves;
  }
  if (task.large->space.single_continuous() && s.weight_decay < 0 && s.optimizer == "auto")
    s.weight_decay = automatic_decay(static_cast<double>(task.split.train.size()));
  return s;
}

std::vector<Part> parts_of(const Split& split, Index rows) {
  std::vector<Part> parts(static_cast<std::size_t>(rows), Part::all);
  const auto mark = [&](const std::vector<Index>& of, Part part) {
    for (const Index row : of) parts[static_cast<std::size_t>(row)] = part;
  };
  mark(split.train, Part::train);
  mark(split.validation, Part::validation);
  mark(split.test, Part::test);
  return parts;
}

// Of a row's weight, what follows the large model rather than the row's own class, by start: its
// probabilities teach more than one class a row does where the large model is good, less where it is not.
constexpr std::array<double, 2> kShares = {0.5, 1};

// The decay of bends that a fit chose, so that the next one of its size need not.
void take_smoothness(const StoredModel& model, Settings& settings) {
  const auto& training = model.information["training"];
  if (training.contains("smoothness")) settings.smoothness = training["smoothness"].get<double>();
}

FitSummary fitted(const Task& task, const Settings& settings, const Guidance& guidance,
                  const std::optional<Model>& start) {
  FitOptions options;
  options.parts = parts_of(task.split, task.table().rows);
  options.start = start;
  options.list_unused = true;  // a small model may have no use for what the large one was given
  FitSummary summary = fit_table(task.table(), settings, options, task.job, &guidance);
  task.job.require_going();
  return summary;
}

// The weights that each head gives up, and the model without them to go on from.
std::optional<Model> without_columns(const Task& task, const StoredModel& model, Guidance& guidance) {
  constexpr std::size_t kRows = 1000;  // enough to rank columns by
  const std::size_t rows = std::min(kRows, task.split.train.size());
  const Matrix<double> encoded =
      model.encoder.encode<double>(task.table(), std::span(task.split.train).first(rows)).features;
  guidance.bounds = head_bounds(model, encoded, task.options->head_columns);
  if (guidance.bounds.empty()) return {};
  StoredModel start = model;
  project<double>(guidance.bounds, start.parameters);
  return model_of(std::move(start));
}

// What decayed to nothing, as in a head that no row reaches, is nothing: it need not be read.
void drop_traces(StoredModel& model) {
  constexpr double kTrace = 1e-6;  // of a head, by a standardised column
  const ParameterLayout layout(model.architecture);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.layer != 0 || tensor.role != TensorRole::weight) continue;
    for (Index i = 0; i < tensor.size(); ++i)
      if (double& weight = model.parameters[static_cast<std::size_t>(tensor.offset + i)];
          std::abs(weight) < kTrace)
        weight = 0;
  }
}

// The seed decides starting values and split, so another start is given its rows by hand; the file names the
// seed of the split, by which its parts are known again.
Model fit_once(const Task& task, const Size& size, std::size_t start, const std::optional<Model>& before) {
  Settings settings = small_settings(task, size);
  const std::int64_t seed = settings.seed;
  settings.seed = seed + static_cast<std::int64_t>(start);
  Guidance guidance;
  if (task.taught.rows() > 0) {
    guidance.log_probabilities = &task.taught;
    guidance.share = kShares[start % kShares.size()];
  }
  if (before) take_smoothness(before->impl().stored, settings);
  StoredModel stored = fitted(task, settings, guidance, {}).model.impl().stored;
  if (const std::optional<Model> kept = without_columns(task, stored, guidance)) {
    take_smoothness(stored, settings);
    stored = fitted(task, settings, guidance, kept).model.impl().stored;
  }
  drop_traces(stored);
  stored.information["settings"]["seed"] = std::to_string(seed);
  stored.information["split"].erase("given");
  stored.information["simplified"] = {{"start", start}, {"head_columns", task.options->head_columns}};
  if (guidance.log_probabilities) stored.information["simplified"]["taught"] = guidance.share;
  return model_of(std::move(stored));
}

std::vector<double> losses_of(const Task& task, const Model& model, const std::vector<Index>& rows) {
  std::vector<double> losses =
      log_density(model, task.table(), rows, {.treat_unseen_as_missing = true}, task.job);
  for (double& loss : losses) loss = -loss;
  return losses;
}

std::vector<double> weights_of(const Task& task, const std::vector<Index>& rows) {
  std::vector<double> out;
  if (task.settings.weight.empty()) return out;
  const Column& column = task.table().column(task.settings.weight);
  for (const Index row : rows) out.push_back(column.numbers[static_cast<std::size_t>(row)]);
  return out;
}

HeldOutLoss held_out(const Task& task, const Model& model, const std::vector<Index>& rows) {
  if (rows.empty()) return {};
  const RowMean mean = mean_of(losses_of(task, model, rows), weights_of(task, rows));
  return {rows.size(), mean.mean, mean.error};
}

struct Tried {
  std::optional<Model> model;
  std::vector<double> losses;  // of validation rows
};

// The best of several starts.
Tried try_size(const Task& task, const Size& size, const std::vector<double>& weights) {
  Tried best;
  for (std::size_t start = 0; start < task.options->starts; ++start) {
    task.job.tell(fmt::format("blocks {}, columns {}{}, start {} of {}", size.blocks, size.columns,
                              size.utility_heads > 1 ? fmt::format(", U heads {}", size.utility_heads) : "",
                              start + 1, task.options->starts));
    const Model model = fit_once(task, size, start, best.model);
    std::vector<double> losses = losses_of(task, model, task.split.validation);
    if (best.model && !(mean_of(losses, weights).mean < mean_of(best.losses, weights).mean)) continue;
    best = {model, std::move(losses)};
  }
  return best;
}

Matrix<double> classes_taught(const FittedModel& large, const Table& table, const Split& split,
                              const Context& job) {
  if (large.space.classes() == 0 || large.space.values() > 0) return {};
  const Encoder lenient = large.stored.encoder.with_unseen(UnseenPolicy::missing);
  return class_log_probabilities(large, large.utility, lenient.encode<double>(table, split.train).features,
                                 job);
}

Task task_of(const Model& model, const Data& data, const SimplifyOptions& options) {
  const FittedModel& large = of_table(model, "simplifying");
  check(large, options);
  const Context job(options.threads,
                    {.should_stop = options.should_stop, .on_progress = options.on_progress});
  const Table& table = data.impl().table;
  if (is_fit_data(large, table)) require_parts(large, table);
  const Settings settings = fit_settings(large);
  Split split = plan_split(table, large.stored.encoder.schema(), settings);
  if (split.validation.size() < 2)
    throw UsageError("sizes are compared on validation rows, and `fractions` of the fit leave none");
  std::vector<std::string> ranked = ranked_columns(model, data, split, job);
  Matrix<double> taught = classes_taught(large, table, split, job);
  return {&large, &data, &options, settings, std::move(split), std::move(ranked), std::move(taught), job};
}

// Sizes that were tried, with what was learned of them.
struct Ladder {
  std::vector<Size> sizes;
  std::vector<Model> models;
  std::vector<std::vector<double>> losses;  // of validation rows
  std::vector<SimplifiedSize> rows;

  std::size_t best() const {
    return static_cast<std::size_t>(
        std::min_element(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.loss < b.loss; }) -
        rows.begin());
  }
};

void climb(const Task& task, const Size& size, const std::vector<double>& large,
           const std::vector<double>& weights, Ladder& ladder) {
  Tried tried = try_size(task, size, weights);
  const RowMean own = mean_of(tried.losses, weights), worse = mean_difference(tried.losses, large, weights);
  const LayerSpec& layer = tried.model->impl().stored.architecture.layers[0];
  ladder.sizes.push_back(size);
  ladder.rows.push_back({.blocks = size.blocks,
                         .heads = static_cast<std::size_t>(layer.heads_per_block()),
                         .columns = size.columns,
                         .loss = own.mean,
                         .standard_error = own.error,
                         .difference = worse.mean,
                         .difference_error = worse.error});
  ladder.models.push_back(*tried.model);
  ladder.losses.push_back(std::move(tried.losses));
}

// A large model that has learned from the validation rows looks better on them than it is.
bool tries_more_heads(const Task& task) {
  return chooses_heads(task) && task.large->space.values() == 0 &&
         !(is_fit_data(*task.large, task.table()) && learned_from_all_rows(*task.large));
}

// All blocks and columns with the fewest heads; then more U heads where the large model knows more and they
// learn it.
Ladder climbed(const Task& task, const std::vector<double>& large, const std::vector<double>& weights) {
  const SimplifyOptions& o = *task.options;
  Ladder out;
  for (const Size& size : ladder({o.blocks > 0 ? o.blocks : o.most_blocks,
                                  o.columns > 0 ? o.columns : o.most_columns, least_utility_heads(task)},
                                 task.ranked.size()))
    climb(task, size, large, weights, out);
  double gained = std::numeric_limits<double>::infinity();
  while (tries_more_heads(task)) {
    const SimplifiedSize& best = out.rows[out.best()];
    const auto next = with_more_heads(out.sizes.back(), {best.difference, best.difference_error}, gained);
    if (!next) break;
    const double before = best.loss;
    climb(task, *next, large, weights, out);
    gained = before - out.rows.back().loss;
  }
  return out;
}

}  // namespace

Simplified simplify(const Model& model, const Data& data, const SimplifyOptions& options) {
  const Task task = task_of(model, data, options);
  const std::vector<double> weights = weights_of(task, task.split.validation);
  const Ladder tried = climbed(task, losses_of(task, model, task.split.validation), weights);
  const std::size_t chosen =
      chosen_size(tried.sizes, tried.losses, weights, {options.blocks, options.columns});
  Simplified out{.model = tried.models[chosen], .sizes = tried.rows};
  out.sizes[chosen].chosen = true;
  out.columns.assign(task.ranked.begin(),
                     task.ranked.begin() + static_cast<std::ptrdiff_t>(tried.sizes[chosen].columns));
  for (const LayerSpec& layer : task.large->stored.architecture.layers)
    out.large_blocks += static_cast<std::size_t>(layer.blocks);
  out.large_heads = static_cast<std::size_t>(task.large->stored.architecture.layers[0].heads_per_block());
  out.large_columns = task.ranked.size();
  out.large = held_out(task, model, task.split.validation);
  out.large_test = held_out(task, model, task.split.test);
  out.small_test = held_out(task, out.model, task.split.test);
  return out;
}

}  // namespace bl

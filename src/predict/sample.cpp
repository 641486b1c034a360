#include "bl/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "fitted/fitted_model.hpp"
#include "gibbs/categorical.hpp"
#include "gibbs/diagnostics.hpp"
#include "plan/device_plan.hpp"
#include "predict/evaluation.hpp"
#include "predict/finite.hpp"
#include "predict/given_values.hpp"
#include "predict/row_quadrature.hpp"
#include "predict/row_sampler.hpp"

namespace bl {

namespace {

struct Request {
  const FittedModel& model;
  const gibbs::Utility& utility;
  const Matrix<double>& context;  // one row at least
  const GivenValues& given;
  const SampleOptions& options;
};

// The sampler of chain_draws; "auto" and "exact" come here only where chains are needed, or for the check of
// the name.
gibbs::Method method_of(const std::string& name) {
  if (name == "hmc" || name == "auto" || name == "exact") return gibbs::Method::hmc;
  if (name == "mala") return gibbs::Method::mala;
  if (name == "langevin") return gibbs::Method::langevin;
  if (name == "paper") return gibbs::Method::paper;
  const std::vector<std::string> known = {"auto", "exact", "hmc", "mala", "langevin", "paper"};
  throw UsageError(fmt::format("unknown method {}; known: auto, exact, hmc, mala, langevin, paper{}",
                               in_quotes(name), did_you_mean(name, known)));
}

void keep_allowed(const GivenValues& given, Matrix<double>& log_probabilities) {
  for (Index i = 0; i < given.allowed.rows(); ++i)
    for (Index c = 0; c < given.allowed.cols(); ++c)
      if (given.allowed(i, c) == 0) log_probabilities(i, c) = -std::numeric_limits<double>::infinity();
}

// draw(row) for every row, by any thread: tells of every so many.
template <class F>
void each_row(Index rows, const Context& job, const F& draw) {
  constexpr std::int64_t kRowsBetweenLines = 64;
  std::atomic<std::int64_t> done = 0;
  job.run(static_cast<std::size_t>(rows), [&](std::size_t row) {
    draw(row);
    if (const std::int64_t now = ++done; now % kRowsBetweenLines == 1) job.tell("rows", now, rows);
  });
}

// one(draw) for every draw of a row: asks before every so many whether to go on.
template <class F>
void each_draw(Index draws, const Context& job, const F& one) {
  constexpr Index kDrawsBetweenQuestions = 1024;
  for (Index d = 0; d < draws; ++d) {
    if (d % kDrawsBetweenQuestions == 0) job.require_going();
    one(d);
  }
}

// Classes where every number is held: independent draws.
RowSamples class_draws(const Request& r, const Context& job) {
  const Index rows = r.context.rows(), draws = static_cast<Index>(r.options.draws);
  const RandomStream stream(r.options.seed, Purpose::sampler_class);
  Matrix<double> log_p(rows, r.utility.classes());
  r.utility.class_log_probabilities(r.context.view(), r.given.held.view(), log_p.view());
  keep_allowed(r.given, log_p);
  RowSamples out;
  out.draws_per_row = draws;
  out.values.resize(rows * draws, r.utility.values());
  out.classes.resize(static_cast<std::size_t>(rows * draws));
  each_row(rows, job, [&](std::size_t row) {
    const auto i = static_cast<Index>(row);
    each_draw(draws, job, [&](Index d) {
      std::copy_n(r.given.held.row(i), out.values.cols(), out.values.row(i * draws + d));
      out.classes[static_cast<std::size_t>(i * draws + d)] =
          gibbs::categorical_draw<double>({log_p.row(i), static_cast<std::size_t>(log_p.cols())},
                                          stream.uniform(row, static_cast<std::uint64_t>(d)));
    });
  });
  out.verdict = "Draws are exact and independent.";
  return out;
}

// Independent draws: a class by inversion, a continuous response through its quantile function.
RowSamples exact_draws(const Request& r, const Context& job, RowNotes& notes) {
  const Index rows = r.context.rows(), draws = static_cast<Index>(r.options.draws);
  const RandomStream classes(r.options.seed, Purpose::sampler_class),
      moves(r.options.seed, Purpose::sampler_move);
  RowSamples out;
  out.draws_per_row = draws;
  out.values.resize(rows * draws, r.utility.values());
  Matrix<double> log_p;
  if (r.utility.classes() > 0) {
    log_p = class_log_probabilities(r.model, r.utility, r.context, job, &notes);
    keep_allowed(r.given, log_p);
    out.classes.resize(static_cast<std::size_t>(rows * draws));
  }
  each_row(rows, job, [&](std::size_t row) {
    const auto i = static_cast<Index>(row);
    if (r.utility.classes() > 0)
      each_draw(draws, job, [&](Index d) {
        out.classes[row * static_cast<std::size_t>(draws) + static_cast<std::size_t>(d)] =
            gibbs::categorical_draw<double>({log_p.row(i), static_cast<std::size_t>(log_p.cols())},
                                            classes.uniform(row, static_cast<std::uint64_t>(d)));
      });
    if (r.utility.values() == 0) return;
    for (Index c = 0; c < std::max<Index>(1, r.utility.classes()); ++c) {
      const auto has_class = [&](Index d) {
        return out.classes.empty() ||
               out.classes[row * static_cast<std::size_t>(draws) + static_cast<std::size_t>(d)] == c;
      };
      bool any = false;
      for (Index d = 0; d < draws; ++d) any = any || has_class(d);
      if (!any) continue;
      if (r.utility.exact()) {
        const piecewise::Density distribution =
            r.utility.exact_distribution_of(r.context.cols() ? r.context.row(i) : nullptr);
        each_draw(draws, job, [&](Index d) {
          out.values(i * draws + d, 0) =
              distribution.quantile(moves.uniform(row, static_cast<std::uint64_t>(d)));
        });
        continue;
      }
      const gibbs::Distribution1d distribution =
          r.utility.distribution_1d(r.context.cols() ? r.context.row(i) : nullptr,
                                    out.classes.empty() ? gibbs::kAllClasses : static_cast<std::int32_t>(c));
      constexpr double kExact = 1e-6;
      notes.add_quadrature(distribution.error(), kExact);
      each_draw(draws, job, [&](Index d) {
        if (has_class(d))
          out.values(i * draws + d, 0) =
              distribution.quantile(moves.uniform(row, static_cast<std::uint64_t>(d)));
      });
    }
  });
  out.verdict = "Draws are exact and independent.";
  return out;
}

RowSamples chain_draws(const Request& r, const Context& job) {
  RowSamplerOptions options;
  options.method = method_of(r.options.method);
  options.draws = static_cast<Index>(r.options.draws);
  options.chains = std::min<Index>(static_cast<Index>(r.options.chains), options.draws);
  options.warmup = static_cast<Index>(r.options.warmup);
  options.step = r.options.step;
  options.seed = r.options.seed;
  options.device = r.options.device;
  options.free = r.given.free;
  options.held = r.given.held;
  options.allowed = r.given.allowed;
  return sample_rows(r.utility, r.context, options, job);
}

OutputTable table_of(const Request& r, const RowSamples& samples) {
  OutputTable out;
  const auto per_row = static_cast<std::size_t>(samples.draws_per_row);
  out.rows = static_cast<std::size_t>(samples.values.rows());
  OutputColumn row{"row", {}, {}}, draw{"draw", {}, {}};
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::size_t of_row = i / per_row + 1;
    row.numbers.push_back(static_cast<double>(of_row));
    draw.numbers.push_back(static_cast<double>(i % per_row + 1));
  }
  out.columns = {std::move(row), std::move(draw)};
  for (std::size_t k = 0; k < r.model.space.class_responses.size(); ++k) {
    const ResponseEncoding& response = r.model.stored.encoder.responses()[r.model.space.class_responses[k]];
    OutputColumn classes{response.name, {}, {}};
    for (const std::int32_t c : samples.classes)
      classes.texts.push_back(response.levels[static_cast<std::size_t>(level_of(r.model, c, k))]);
    out.columns.push_back(std::move(classes));
  }
  for (std::size_t k = 0; k < r.model.space.continuous_responses.size(); ++k) {
    const ResponseEncoding& response =
        r.model.stored.encoder.responses()[r.model.space.continuous_responses[k]];
    OutputColumn column{response.name, {}, {}};
    for (std::size_t i = 0; i < out.rows; ++i)
      column.numbers.push_back(response.decode(samples.values(static_cast<Index>(i), static_cast<Index>(k))));
    out.columns.push_back(std::move(column));
  }
  return out;
}

// The share of draws that repeat the one before in their chain.
double repeated_share(const RowSamples& samples, std::size_t chains) {
  const auto per_row = static_cast<std::size_t>(samples.draws_per_row);
  std::size_t repeated = 0, compared = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(samples.values.rows()); ++i) {
    if (i % per_row < chains) continue;
    const double* now = samples.values.row(static_cast<Index>(i));
    ++compared;
    if (std::equal(now, now + samples.values.cols(), samples.values.row(static_cast<Index>(i - chains))))
      ++repeated;
  }
  return compared == 0 ? 0 : static_cast<double>(repeated) / static_cast<double>(compared);
}

// Empty where chains mix well enough for the draws to be used as they are.
std::string mixing_warning(const SampleResult& result, const RowSamples& samples,
                           const SampleOptions& options) {
  constexpr double kLeastShare = 0.2, kMostRhat = 1.05, kMostRepeated = 0.5;
  const auto draws = static_cast<double>(options.draws);
  const double repeated = repeated_share(samples, std::min(options.chains, options.draws));
  const double enough = std::min(kLeastShare * draws, gibbs::kGoodSize);
  if (!(result.least_bulk_size < enough) && !(result.worst_rhat > kMostRhat) && repeated <= kMostRepeated)
    return "";
  return fmt::format(
      "the chains mix badly: {:.0f} of {} draws count as independent, R-hat is up to {:.2f}, {:.0f}% of "
      "draws repeat "
      "the one before; take more warm-up (`warmup`) and draws, or more chains, before relying on their "
      "figures",
      std::min(result.least_bulk_size, draws), options.draws, result.worst_rhat, 100 * repeated);
}

SampleResult run(const FittedModel& model, const Matrix<double>& context, const GivenValues& given,
                 const SampleOptions& options) {
  if (options.draws == 0 || options.chains == 0)
    throw UsageError("sampling needs at least one draw and one chain");
  const bool chains = method_of(options.method) != gibbs::Method::hmc || options.method == "hmc";
  const gibbs::Utility utility =
      options.temperature == 0 ? model.utility : model.utility.at_temperature(options.temperature);
  if (chains && utility.values() == 0)
    throw UsageError(fmt::format("`method` = {}: classes are drawn exactly, without chains; leave it out",
                                 in_quotes(options.method)));
  const Request request{model, utility, context, given, options};
  const Context job(options.threads,
                    {.should_stop = options.should_stop, .on_progress = options.on_progress});
  const bool classes_alone = given.holds_all_numbers();
  const bool can_be_exact = classes_alone || (utility.values() <= 1 && !given.holds_numbers());
  if (options.method == "exact" && !can_be_exact)
    throw UsageError("exact draws are for classes and one continuous response; use hmc");
  const bool exact = classes_alone || (!chains && can_be_exact);
  const DeviceChoice of_exact = plan_device(
      exact ? options.device : "cpu", 0,
      "these draws are exact and independent, made on the processor alone; give `method` and `step` "
      "for chains");
  RowNotes notes;
  const RowSamples samples = classes_alone ? class_draws(request, job)
                             : exact       ? exact_draws(request, job, notes)
                                           : chain_draws(request, job);
  SampleResult result;
  result.draws = table_of(request, samples);
  require_finite(result.draws, [&](std::size_t i) { return fmt::format("row {}", i / options.draws + 1); });
  result.method = exact ? "exact" : options.method == "auto" ? "hmc" : options.method;
  result.verdict = samples.verdict;
  result.note = exact ? of_exact.note : samples.note;
  result.acceptance = samples.acceptance;
  result.divergences = static_cast<std::size_t>(samples.divergences);
  result.least_bulk_size = result.least_tail_size = static_cast<double>(options.draws);
  // std::max and std::min pass over a NaN on the right; a dimension without diagnostics must not.
  const auto worst = [](double a, double b, bool larger) {
    return std::isnan(a) || std::isnan(b) ? std::nan("") : (a < b) == larger ? b : a;
  };
  for (std::size_t k = 0; k < samples.diagnostics.size(); ++k) {
    const gibbs::Diagnostics& d = samples.diagnostics[k];
    result.worst_rhat = k == 0 ? d.rhat : worst(result.worst_rhat, d.rhat, true);
    result.least_bulk_size = k == 0 ? d.ess_bulk : worst(result.least_bulk_size, d.ess_bulk, false);
    result.least_tail_size = k == 0 ? d.ess_tail : worst(result.least_tail_size, d.ess_tail, false);
  }
  if (!exact) result.warning = mixing_warning(result, samples, options);
  for (const std::string& note : notes.texts()) {
    result.warning = note;
    result.verdict = "Draws are independent, and as exact as the quadrature.";
  }
  return result;
}

}  // namespace

SampleResult sample(const Model& model, const Data& data, const SampleOptions& options) {
  const FittedModel& impl = of_table(model, "a draw of responses");
  const Table& table = data.impl().table;
  const auto rows = all_rows(table.rows);
  const Matrix<double> context = impl.stored.encoder.encode_features<double>(table, rows);
  SampleResult result = run(impl, context, given_values(impl, table, options.given), options);
  std::vector<Index> drawn(result.draws.rows);
  for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] = static_cast<Index>(i / options.draws);
  insert_carried(carried_columns(table, drawn, options.carry), 0, result.draws);
  return result;
}

SampleResult sample(const Model& model, const SampleOptions& options) {
  const FittedModel& impl = of_table(model, "a draw of responses");
  const auto& features = impl.stored.encoder.features();
  if (!features.empty())
    throw UsageError(fmt::format("the distribution of this model depends on {} features; give a file of rows",
                                 features.size()));
  if (!options.given.empty()) throw UsageError("`given` needs a file of rows to take the values from");
  return run(impl, Matrix<double>(1, 0), {}, options);
}

}  // namespace bl

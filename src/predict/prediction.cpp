#include "predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/joined.hpp"
#include "base/quantile.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "gibbs/mode.hpp"
#include "gibbs/network_density.hpp"
#include "predict/evaluation.hpp"
#include "predict/finite.hpp"
#include "predict/number_distribution.hpp"
#include "predict/row_quadrature.hpp"
#include "predict/row_sampler.hpp"
#include "predict/unusual_rows.hpp"

namespace bl {

namespace {

constexpr Index kModeStarts = 16;

void check(const PredictOptions& options, const FittedModel& model) {
  for (const double q : options.quantiles)
    if (!(q > 0 && q < 1)) throw UsageError(fmt::format("quantile {}: expected a number between 0 and 1", q));
  for (const double mass : {options.interval, options.highest_density})
    if (!(mass >= 0 && mass < 1))
      throw UsageError(fmt::format("interval mass {}: expected a number between 0 and 1", mass));
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw UsageError(fmt::format("`tolerance` = {}: expected a number between 0 and 1", options.tolerance));
  const bool distribution = !options.quantiles.empty() || options.interval > 0 ||
                            options.highest_density > 0 || options.density_points > 0;
  if (distribution && model.space.values() == 0)
    throw UsageError(
        "quantiles, intervals and densities are for continuous responses; this model predicts a class");
  if (options.utilities && (model.space.classes() == 0 || model.space.values() > 0))
    throw UsageError("utilities are given for models that predict a class alone");
  if (options.ood && options.temperature > 0)
    throw UsageError(
        "scores of unusual rows are placed among those of training rows at the trained temperature; leave "
        "out `temperature`");
  if (model.space.values() != 1 && (options.highest_density > 0 || options.density_points > 0))
    throw UsageError("highest-density regions and density grids are for one continuous response");
}

OutputColumn& add(OutputTable& out, const std::string& name) {
  out.columns.push_back({name, std::vector<double>(out.rows), {}});
  return out.columns.back();
}

void class_columns(const FittedModel& model, const gibbs::Utility& utility, const Matrix<double>& context,
                   const PredictOptions& options, const Context& job, RowNotes* notes, OutputTable& out) {
  const Matrix<double> log_p = class_log_probabilities(model, utility, context, job, notes);
  OutputColumn predicted{model.space.class_name, {}, {}};
  for (Index i = 0; i < log_p.rows(); ++i) {
    const double* row = log_p.row(i);
    const auto best = std::max_element(row, row + log_p.cols()) - row;
    predicted.texts.push_back(model.space.class_labels[static_cast<std::size_t>(best)]);
  }
  out.columns.push_back(std::move(predicted));
  for (Index c = 0; c < log_p.cols(); ++c) {
    OutputColumn& column = add(out, "p(" + model.space.class_labels[static_cast<std::size_t>(c)] + ")");
    for (Index i = 0; i < log_p.rows(); ++i)
      column.numbers[static_cast<std::size_t>(i)] = std::exp(log_p(i, c));
  }
  if (!options.utilities || utility.values() > 0) return;
  Matrix<double> u(context.rows(), log_p.cols());
  utility.utilities(context.view(), {nullptr, context.rows(), 0, 0}, u.view());
  for (Index c = 0; c < u.cols(); ++c) {
    OutputColumn& column = add(out, "utility(" + model.space.class_labels[static_cast<std::size_t>(c)] + ")");
    for (Index i = 0; i < u.rows(); ++i) column.numbers[static_cast<std::size_t>(i)] = u(i, c);
  }
}

std::string region_text(const std::vector<gibbs::Interval>& region) {
  return joined(region, " ", [](const gibbs::Interval& one) {
    const auto& [lower, upper] = one;
    return fmt::format("{:.6g}:{:.6g}", lower, upper);
  });
}

std::string percent(double share) {
  return format_number(std::round(share * 1e6) / 1e4);
}

// Mean, standard deviation, then one column for each of shares_of(options).
std::size_t add_response_columns(const ResponseEncoding& r, const PredictOptions& options, OutputTable& out) {
  const std::size_t first = out.columns.size();
  add(out, r.name);
  add(out, r.name + " sd");
  for (const double q : options.quantiles) add(out, fmt::format("{} q{}", r.name, percent(q)));
  if (options.interval > 0) {
    add(out, fmt::format("{} lower {}%", r.name, percent(options.interval)));
    add(out, fmt::format("{} upper {}%", r.name, percent(options.interval)));
  }
  return first;
}

std::vector<double> shares_of(const PredictOptions& options) {
  std::vector<double> shares = options.quantiles;
  if (options.interval > 0) {
    shares.push_back((1 - options.interval) / 2);
    shares.push_back((1 + options.interval) / 2);
  }
  return shares;
}

// The rows to predict.
struct Rows {
  const Table& table;
  std::span<const Index> places;  // in the table
  Matrix<double> context;

  const double* features(std::size_t row) const {
    return context.cols() ? context.row(static_cast<Index>(row)) : nullptr;
  }
};

// Does the work of every row; an error of the arithmetic names the row it comes from.
template <class Work>
void for_rows(const Rows& rows, const Context& job, const Work& work) {
  job.run(rows.places.size(), [&](std::size_t i) {
    try {
      work(i);
    } catch (const NumericError& error) {
      throw NumericError(fmt::format("{}: {}", rows.table.place(rows.places[i]), error.what()));
    }
  });
}

// The best response where there are classes: the highest point over all of them.
double best_response_1d(const gibbs::Utility& utility, const double* context) {
  gibbs::Peak best;
  best.value = -std::numeric_limits<double>::infinity();
  for (std::int32_t c = 0; c < utility.classes(); ++c) {
    const gibbs::Distribution1d given = utility.distribution_1d(context, c);
    gibbs::Peak peak = given.modes().front();
    peak.value += given.log_normalizer().value;
    if (peak.value > best.value) best = peak;
  }
  return best.y;
}

// With as many digits as it takes to tell them apart: values near 1e9 may differ by 1.
std::vector<std::string> density_names(const std::vector<double>& grid) {
  constexpr int kFewest = 6, kMost = std::numeric_limits<double>::max_digits10;
  std::vector<std::string> names(grid.size());
  for (int digits = kFewest; digits <= kMost; ++digits) {
    std::transform(grid.begin(), grid.end(), names.begin(),
                   [&](double value) { return fmt::format("density({:.{}g})", value, digits); });
    if (std::adjacent_find(names.begin(), names.end()) == names.end()) break;  // the grid ascends
  }
  return names;
}

// One continuous response.
void distribution_1d_columns(const FittedModel& model, const gibbs::Utility& utility, const Rows& rows,
                             const PredictOptions& options, const Context& job, RowNotes* notes,
                             OutputTable& out) {
  const ResponseEncoding& r = model.stored.encoder.responses()[model.space.continuous_responses[0]];
  const std::size_t first = add_response_columns(r, options, out);
  const std::vector<double> shares = shares_of(options);
  if (options.mode) add(out, r.name + " mode");
  const std::size_t region_at = out.columns.size();
  if (options.highest_density > 0)
    out.columns.push_back({fmt::format("{} region {}%", r.name, percent(options.highest_density)),
                           {},
                           std::vector<std::string>(out.rows)});
  const std::size_t density_at = out.columns.size();
  std::vector<double> grid;
  for (int g = 0; g < options.density_points; ++g) {
    const double share =
        options.density_points == 1 ? 0.5 : static_cast<double>(g) / (options.density_points - 1);
    grid.push_back(r.decode(utility.support().lower[0] +
                            share * (utility.support().upper[0] - utility.support().lower[0])));
  }
  for (const std::string& name : density_names(grid)) add(out, name);
  const bool means_alone = shares.empty() && !options.mode;  // others look at other figures
  for_each_distribution(
      utility, r, rows.context, options.tolerance, job, notes,
      [&](std::size_t i) { return rows.table.place(rows.places[i]); },
      [&](std::size_t i, const NumberDistribution& distribution) {
        std::size_t at = first;
        const auto put = [&](double value) { out.columns[at++].numbers[i] = value; };
        const double mean = distribution.mean(), spread = distribution.standard_deviation();
        if (notes && means_alone && distribution.transformed()) {
          notes->add_mean(distribution.mean_in_tail(mean));
          notes->add_standard_deviation(distribution.probability_below(mean + spread) -
                                        distribution.probability_below(mean - spread));
        }
        put(mean);
        put(spread);
        for (const double share : shares) put(distribution.quantile(share));
        if (options.mode)
          put(utility.classes() == 0 ? distribution.mode()
                                     : r.decode(best_response_1d(utility, rows.features(i))));
        if (options.highest_density > 0)
          out.columns[region_at].texts[i] =
              region_text(distribution.highest_density_region(options.highest_density));
        for (std::size_t g = 0; g < grid.size(); ++g)
          out.columns[density_at + g].numbers[i] = std::exp(distribution.log_density(grid[g]));
      });
}

// Two continuous responses by quadrature; quantiles are those of each response alone.
void distribution_2d_columns(const FittedModel& model, const gibbs::Utility& utility, const Rows& rows,
                             const PredictOptions& options, const Context& job, RowNotes* notes,
                             OutputTable& out) {
  const std::vector<double> shares = shares_of(options);
  std::array<std::size_t, 2> first{};
  std::array<const ResponseEncoding*, 2> responses{};
  for (std::size_t k = 0; k < 2; ++k) {
    responses[k] = &model.stored.encoder.responses()[model.space.continuous_responses[k]];
    first[k] = add_response_columns(*responses[k], options, out);
  }
  const auto put = [&](std::size_t i, const gibbs::Distribution2d& distribution) {
    const gibbs::Moments2d moments = distribution.moments();
    for (std::size_t k = 0; k < 2; ++k) {
      const ResponseEncoding& r = *responses[k];
      out.columns[first[k]].numbers[i] = moments.mean[k] * r.scale + r.mean;
      out.columns[first[k] + 1].numbers[i] = std::sqrt(std::max(0.0, moments.covariance[k][k])) * r.scale;
      if (shares.empty()) continue;
      const gibbs::Distribution1d alone = distribution.marginal(static_cast<int>(k));
      for (std::size_t q = 0; q < shares.size(); ++q)
        out.columns[first[k] + 2 + q].numbers[i] = alone.quantile(shares[q]) * r.scale + r.mean;
    }
  };
  if (rows.context.cols() > 0)
    return for_rows(rows, job, [&](std::size_t i) {
      put(i, row_distribution_2d(utility, rows.features(i), gibbs::kAllClasses, notes));
    });
  if (out.rows == 0) return;
  put(0, row_distribution_2d(utility, nullptr, gibbs::kAllClasses, notes));  // all rows have one
  for (std::size_t c = first[0]; c < out.columns.size(); ++c)
    std::fill(out.columns[c].numbers.begin(), out.columns[c].numbers.end(), out.columns[c].numbers[0]);
}

// The mean, standard deviation and quantiles of each of several continuous responses, from draws.
void draw_columns(const FittedModel& model, const gibbs::Utility& utility, const Matrix<double>& context,
                  const PredictOptions& options, const Context& job, OutputTable& out) {
  RowSamplerOptions sampling;
  sampling.draws = kDrawsPerRow;
  const RowSamples samples = sample_rows(utility, context, sampling, job);
  const std::vector<double> shares = shares_of(options);
  for (std::size_t k = 0; k < model.space.continuous_responses.size(); ++k) {
    const ResponseEncoding& r = model.stored.encoder.responses()[model.space.continuous_responses[k]];
    const std::size_t first = add_response_columns(r, options, out);
    std::vector<double> draws(static_cast<std::size_t>(kDrawsPerRow));
    for (std::size_t i = 0; i < out.rows; ++i) {
      double mean = 0, square = 0;
      for (std::size_t d = 0; d < draws.size(); ++d) {
        draws[d] = samples.values(static_cast<Index>(i * draws.size() + d), static_cast<Index>(k)) * r.scale +
                   r.mean;
        mean += draws[d] / static_cast<double>(draws.size());
      }
      for (const double y : draws) square += (y - mean) * (y - mean) / static_cast<double>(draws.size());
      std::sort(draws.begin(), draws.end());
      out.columns[first].numbers[i] = mean;
      out.columns[first + 1].numbers[i] = std::sqrt(square);
      for (std::size_t q = 0; q < shares.size(); ++q)
        out.columns[first + 2 + q].numbers[i] = quantile(draws, shares[q]);
    }
  }
}

// The best response of several continuous ones (for the best class, where there are classes), with its
// certificate.
void mode_columns(const FittedModel& model, const gibbs::Utility& utility, const Rows& rows,
                  const Context& job, OutputTable& out) {
  const std::size_t first = out.columns.size();
  const auto& responses = model.space.continuous_responses;
  for (const std::size_t k : responses) add(out, model.stored.encoder.responses()[k].name + " mode");
  add(out, "mode subgradient");
  add(out, "mode starts agreeing");
  const gibbs::Box box{utility.support().lower, utility.support().upper};
  const Matrix<double> starts = gibbs::mode_starts(box, kModeStarts, 1);
  for_rows(rows, job, [&](std::size_t i) {
    Matrix<double> row(1, rows.context.cols());
    std::copy_n(rows.features(i), rows.context.cols(), row.data());
    gibbs::ModeResult best;
    best.value = -std::numeric_limits<double>::infinity();
    for (Index c = 0; c < std::max<Index>(1, utility.classes()); ++c) {
      gibbs::NetworkDensity<double> distribution(utility.network(), utility.prepared(), utility.temperature(),
                                                 row, 1, gibbs::kChainsPerChunk);
      if (utility.classes() > 0)
        distribution.set_classes(0,
                                 std::vector<std::int32_t>(static_cast<std::size_t>(gibbs::kChainsPerChunk),
                                                           static_cast<std::int32_t>(c)));
      gibbs::ModeResult found = gibbs::find_mode(distribution, box, starts.view());
      if (found.value > best.value) best = std::move(found);
    }
    for (std::size_t k = 0; k < responses.size(); ++k) {
      const ResponseEncoding& r = model.stored.encoder.responses()[responses[k]];
      out.columns[first + k].numbers[i] = best.point[k] * r.scale + r.mean;
    }
    out.columns[first + responses.size()].numbers[i] = best.subgradient;
    out.columns[first + responses.size() + 1].numbers[i] = static_cast<double>(best.agreeing);
  });
}

}  // namespace

OutputTable predict_rows(const FittedModel& model, const Encoder& encoder, const Table& table,
                         std::span<const Index> places, const gibbs::Utility& utility,
                         const PredictOptions& options, const Context& job, RowNotes* notes) {
  check(options, model);
  OutputTable out;
  out.rows = places.size();
  std::vector<OutputColumn> carried = carried_columns(table, places, options.carry);
  const Rows rows{table, places, encoder.encode_features<double>(table, places)};
  if (model.space.classes() > 0) class_columns(model, utility, rows.context, options, job, notes, out);
  if (model.space.values() == 1) {
    distribution_1d_columns(model, utility, rows, options, job, notes, out);
  } else if (model.space.values() > 1) {
    if (model.space.values() == 2)
      distribution_2d_columns(model, utility, rows, options, job, notes, out);
    else
      draw_columns(model, utility, rows.context, options, job, out);
    if (options.mode) mode_columns(model, utility, rows, job, out);
  }
  if (options.ood) score_columns(model, utility, rows.context, job, out);
  require_finite(out, [&](std::size_t i) { return table.place(places[i]); });
  insert_carried(std::move(carried), 0, out);
  return out;
}

}  // namespace bl

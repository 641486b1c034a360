#include "predict/unusual_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/quantile.hpp"
#include "bl/errors.hpp"
#include "compute/log_sum_exp.hpp"
#include "features/shared_encoder.hpp"

namespace bl {

namespace {

using nlohmann::json;

constexpr Index kScoresPerTask = 64;
constexpr const char* kEnergy = "energy";
constexpr const char* kMaxProbability = "max_probability";

// 100 times the share of training rows below, linear between the quantiles.
double percentile(const std::vector<double>& quantiles, double score) {
  const auto above = std::upper_bound(quantiles.begin(), quantiles.end(), score);
  const double steps = static_cast<double>(quantiles.size() - 1);
  if (above == quantiles.begin()) return 0;
  if (above == quantiles.end()) return 100;
  const double low = *(above - 1);
  const double place = static_cast<double>(above - quantiles.begin() - 1) + (score - low) / (*above - low);
  return 100 * place / steps;
}

std::vector<double> stored_quantiles(const FittedModel& model, const char* score) {
  const json& information = model.stored.information;
  const auto found = information.find("training_scores");
  if (found == information.end() || !found->is_object() || !found->contains(score))
    throw UsageError(
        "the model file keeps no scores of training rows, so new rows cannot be placed among them; fit again "
        "with this version");
  std::vector<double> out;
  if ((*found)[score].is_array())
    for (const json& one : (*found)[score])
      if (one.is_number()) out.push_back(one.get<double>());
  if (out.size() < 2 || !std::is_sorted(out.begin(), out.end()))
    throw ModelFileError(std::string("model.information.training_scores.") + score +
                         " should be ascending numbers");
  return out;
}

void add_score(const FittedModel& model, const char* name, std::vector<double> scores, OutputTable& out) {
  const std::vector<double> quantiles = stored_quantiles(model, name);
  std::vector<double> places(scores.size());
  std::transform(scores.begin(), scores.end(), places.begin(),
                 [&](double score) { return percentile(quantiles, score); });
  out.columns.push_back({name, std::move(scores), {}});
  out.columns.push_back({std::string(name) + " percentile", std::move(places), {}});
}

json quantiles_of(std::vector<double> scores) {
  constexpr int kSteps = 200;
  std::sort(scores.begin(), scores.end());
  json out = json::array();
  for (int i = 0; i <= kSteps; ++i) out.push_back(quantile(scores, static_cast<double>(i) / kSteps));
  return out;
}

}  // namespace

RowScores row_scores(const gibbs::Utility& utility, const Matrix<double>& context, const Context& job) {
  const Index rows = context.rows();
  RowScores out{std::vector<double>(static_cast<std::size_t>(rows)),
                std::vector<double>(static_cast<std::size_t>(rows))};
  job.run(static_cast<std::size_t>((rows + kScoresPerTask - 1) / kScoresPerTask), [&](std::size_t task) {
    const Index from = static_cast<Index>(task) * kScoresPerTask,
                count = std::min(kScoresPerTask, rows - from);
    Matrix<double> utilities(count, utility.classes());
    utility.utilities(context.view().row_range(from, count), {nullptr, count, 0, 0}, utilities.view());
    for (Index i = 0; i < count; ++i) {
      const std::span<double> row(utilities.row(i), static_cast<std::size_t>(utilities.cols()));
      for (double& value : row) value /= utility.temperature();
      const double normaliser = log_sum_exp<double>(row);
      const auto at = static_cast<std::size_t>(from + i);
      out.energy[at] = utility.temperature() * normaliser;
      out.max_probability[at] = std::exp(*std::max_element(row.begin(), row.end()) - normaliser);
    }
  });
  return out;
}

json score_quantiles(const FittedModel& model, const Encoder& encoder, const Table& table,
                     std::span<const Index> rows, const Context& job, const SharedTable* shared) {
  constexpr std::size_t kMost = 5000;
  std::vector<Index> chosen;
  const std::size_t count = std::min(kMost, rows.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(rows[i * rows.size() / count]);
  RowScores scores = row_scores(model.utility,
                                shared ? gathered_features<double>(encoder, *shared, chosen)
                                       : encoder.encode_features<double>(table, chosen),
                                job);
  const auto finite = [](double score) { return std::isfinite(score); };
  if (!std::all_of(scores.energy.begin(), scores.energy.end(), finite)) return json();
  return {{kEnergy, quantiles_of(std::move(scores.energy))},
          {kMaxProbability, quantiles_of(std::move(scores.max_probability))}};
}

void score_columns(const FittedModel& model, const gibbs::Utility& utility, const Matrix<double>& context,
                   const Context& job, OutputTable& out) {
  if (model.space.classes() == 0 || model.space.values() > 0)
    throw UsageError("scores of unusual rows are for models that predict a class alone");
  RowScores scores = row_scores(utility, context, job);
  add_score(model, kEnergy, std::move(scores.energy), out);
  add_score(model, kMaxProbability, std::move(scores.max_probability), out);
}

}  // namespace bl

#include "predict/row_distribution.hpp"

#include <algorithm>
#include <cmath>

#include "compute/log_sum_exp.hpp"
#include "explain/read_problem.hpp"
#include "predict/number_distribution.hpp"
#include "predict/row_quadrature.hpp"
#include "predict/row_sampler.hpp"

namespace bl {

namespace {

constexpr double kNegligibleMass = 1e-13;  // of the mass
constexpr double kLargestError = 1e-8;

// Classes alone, or one continuous response (with or without classes).
std::vector<WeightedResponse> exact_distribution(const gibbs::Utility& utility, const double* context,
                                                 std::span<const double> cuts) {
  const Index classes = std::max<Index>(1, utility.classes());
  std::vector<WeightedResponse> distribution;
  std::vector<double> log_mass;  // of each class
  std::vector<std::size_t> begin;
  for (Index c = 0; c < classes; ++c) {
    const auto class_index = static_cast<std::int32_t>(c);
    begin.push_back(distribution.size());
    if (utility.values() == 0) {
      double u = 0;
      utility.log_density(context, class_index, {nullptr, 1, 0, 0}, std::span<double>(&u, 1));
      log_mass.push_back(u);
      distribution.push_back({{{}, class_index}, 1});
      continue;
    }
    if (utility.exact()) {
      log_mass.push_back(0);
      for (const auto& [y, share] : utility.exact_distribution_of(context).cut_at(cuts).rule())
        if (share > kNegligibleMass) distribution.push_back({{{y}, class_index}, share});
      continue;
    }
    // Slopes jump at kinks, where a panel is as wide as the root of the tolerance.
    const gibbs::Distribution1d given = utility.distribution_1d(context, class_index, {.tolerance = 1e-12});
    require_error_below(given.error(), kLargestError);
    log_mass.push_back(given.log_normalizer().value);
    for (const auto& [y, share] : given.rule())
      if (share > kNegligibleMass) distribution.push_back({{{y}, class_index}, share});
  }
  begin.push_back(distribution.size());
  const double all = log_sum_exp<double>(log_mass);
  double sum = 0;
  for (std::size_t c = 0; c < log_mass.size(); ++c)
    for (std::size_t i = begin[c]; i < begin[c + 1]; ++i)
      sum += distribution[i].weight *= std::exp(log_mass[c] - all);
  for (WeightedResponse& one : distribution) one.weight /= sum;
  return distribution;
}

}  // namespace

bool has_derivative(const explain::Variable& variable) {
  return variable.kind == explain::VariableKind::number || variable.kind == explain::VariableKind::place;
}

bool has_responses(const FittedModel& model, const Table& table) {
  const auto& responses = model.stored.encoder.responses();
  return std::all_of(responses.begin(), responses.end(),
                     [&](const ResponseEncoding& r) { return table.find(r.name) != nullptr; });
}

std::vector<explain::Response> observed_responses(const FittedModel& model, const Encoded<double>& encoded) {
  const auto classes = model.space.combine(encoded.classes);
  std::vector<explain::Response> responses(static_cast<std::size_t>(encoded.features.rows()));
  for (std::size_t i = 0; i < responses.size(); ++i) {
    for (Index k = 0; k < encoded.continuous.cols(); ++k)
      responses[i].values.push_back(encoded.continuous(static_cast<Index>(i), k));
    if (!classes.empty()) responses[i].class_index = classes[i];
  }
  return responses;
}

Solution solution(const explain::Problem& problem, const double* features,
                  const explain::Response& response) {
  return {
      .output = problem.outputs.size() > 1 ? static_cast<std::size_t>(response.class_index) : 0,
      .evaluation = explain::evaluate(
          problem, explain::problem_inputs(problem, features, response.values.data(), response.class_index))};
}

std::vector<std::vector<WeightedResponse>> row_distributions(const Model::Impl& model,
                                                             const Matrix<double>& context,
                                                             const Context& job) {
  const gibbs::Utility& utility = model.utility;
  std::vector<std::vector<WeightedResponse>> distributions(static_cast<std::size_t>(context.rows()));
  if (utility.values() <= 1) {
    std::vector<double> cuts;
    for (const ResponseEncoding& response : model.stored.encoder.responses())
      if (!response.is_class()) cuts = slot_ends(response);
    job.run(distributions.size(), [&](std::size_t i) {
      distributions[i] =
          exact_distribution(utility, context.cols() ? context.row(static_cast<Index>(i)) : nullptr, cuts);
    });
    return distributions;
  }
  RowSamplerOptions sampling;
  sampling.draws = kDrawsPerRow;
  const RowSamples samples = sample_rows(utility, context, sampling, job);
  for (Index i = 0; i < context.rows() * kDrawsPerRow; ++i) {
    const double* values = samples.values.row(i);
    distributions[static_cast<std::size_t>(i / kDrawsPerRow)].push_back(
        {{{values, values + samples.values.cols()},
          samples.classes.empty() ? 0 : samples.classes[static_cast<std::size_t>(i)]},
         1.0 / kDrawsPerRow});
  }
  return distributions;
}

}  // namespace bl

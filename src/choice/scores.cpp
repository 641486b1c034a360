#include "choice/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "choice/prepared.hpp"

namespace bl {

template <class T>
Matrix<T> encode_attributes(const Matrix<double>& raw, const std::vector<double>& means,
                            const std::vector<double>& scales) {
  Matrix<T> out(raw.rows(), raw.cols());
  for (Index i = 0; i < raw.rows(); ++i)
    for (Index k = 0; k < raw.cols(); ++k)
      out(i, k) = static_cast<T>((raw(i, k) - means[static_cast<std::size_t>(k)]) /
                                 scales[static_cast<std::size_t>(k)]);
  return out;
}
template Matrix<float> encode_attributes(const Matrix<double>&, const std::vector<double>&,
                                         const std::vector<double>&);
template Matrix<double> encode_attributes(const Matrix<double>&, const std::vector<double>&,
                                          const std::vector<double>&);

ChoiceScores score_choices(const FittedModel& model, const ChoiceData& data, const Context& job,
                           UnseenLevels unseen) {
  PreparedChoices prepared(data, unseen);
  ChoiceScores scores = prepared.scores(model, job);
  scores.log_likelihood = prepared.log_likelihood(model, job);
  return scores;
}

std::vector<double> log_probabilities(const ChoiceData& data, const ChoiceScores& scores) {
  std::vector<double> out;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const std::size_t chosen =
        static_cast<std::size_t>(data.begin[i]) + static_cast<std::size_t>(data.chosen[i]);
    out.push_back(scores.by_probability ? std::log(scores.probability[chosen])
                                        : scores.utility[chosen] - scores.log_sum[i]);
  }
  return out;
}

std::vector<Metric> choice_metrics(const ChoiceData& data, const ChoiceScores& scores) {
  const std::vector<double> log_probability = log_probabilities(data, scores);
  double weight = 0, log_likelihood = 0, null = 0, hits = 0;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(data.begin[i]),
               end = static_cast<std::size_t>(data.begin[i + 1]);
    const std::size_t chosen = begin + static_cast<std::size_t>(data.chosen[i]);
    const double w = data.weight(i);
    weight += w;
    log_likelihood += w * log_probability[i];
    null -= w * std::log(static_cast<double>(end - begin));
    const auto best = std::max_element(scores.probability.begin() + static_cast<std::ptrdiff_t>(begin),
                                       scores.probability.begin() + static_cast<std::ptrdiff_t>(end));
    hits += static_cast<std::size_t>(best - scores.probability.begin()) == chosen ? w : 0;
  }
  const double of_all = scores.log_likelihood.value_or(log_likelihood);
  return {{"situations", static_cast<double>(data.situations())},
          {"log_likelihood", of_all},
          {"null_log_likelihood", null},
          {"rho_square", null == 0 ? 0 : 1 - of_all / null},
          {"cross_entropy", -log_likelihood / weight},
          {"accuracy", hits / weight}};
}

OutputTable choice_predictions(const FittedModel& model, const ChoiceData& data, const ChoiceScores& scores,
                               bool utilities) {
  const ChoiceSchema& schema = model.choice().schema;
  const std::size_t count = data.alternatives.size();
  OutputTable out;
  out.rows = static_cast<std::size_t>(data.situations());
  out.columns.push_back({schema.wide ? "line" : schema.situation, {}, data.labels});
  for (const std::string& name : data.alternatives)
    out.columns.push_back({"p(" + name + ")", std::vector<double>(out.rows, 0), {}});
  out.columns.push_back({"likeliest", {}, {}});
  const std::size_t first_utility = out.columns.size();
  for (std::size_t k = 0; utilities && k < count; ++k)
    out.columns.push_back(
        {"utility(" + data.alternatives[k] + ")", std::vector<double>(out.rows, std::nan("")), {}});
  for (std::size_t i = 0; i < out.rows; ++i) {
    const auto begin = static_cast<std::size_t>(data.begin[i]),
               end = static_cast<std::size_t>(data.begin[i + 1]);
    std::size_t best = begin;
    for (std::size_t j = begin; j < end; ++j) {
      const auto alternative = static_cast<std::size_t>(data.classes[j]);
      if (!std::isfinite(scores.probability[j]))
        throw NumericError(
            fmt::format("situation {}: the probability of '{}' is not a finite number; the "
                        "model's parameters or the attributes are too large",
                        data.labels[i], data.alternatives[alternative]));
      out.columns[1 + alternative].numbers[i] = scores.probability[j];
      if (utilities) out.columns[first_utility + alternative].numbers[i] = scores.utility[j];
      if (scores.probability[j] > scores.probability[best]) best = j;
    }
    out.columns[1 + count].texts.push_back(data.alternatives[static_cast<std::size_t>(data.classes[best])]);
  }
  return out;
}

std::vector<double> mean_shares(const ChoiceData& data, const std::vector<std::int32_t>& names,
                                const std::vector<double>& numbers) {
  std::vector<double> shares(data.alternatives.size(), 0);
  double total = 0;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const double w = data.weight(i);
    total += w;
    for (auto j = static_cast<std::size_t>(data.begin[i]); j < static_cast<std::size_t>(data.begin[i + 1]);
         ++j)
      shares[static_cast<std::size_t>(names[j])] += w * numbers[j];
  }
  for (double& share : shares) share /= total;
  return shares;
}

}  // namespace bl

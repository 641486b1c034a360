#include "choice/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "compute/log_sum_exp.hpp"
#include "features/choice_terms.hpp"

namespace bl {

namespace {

constexpr Index kSituationsPerTask = 256;  // tasks are of whole situations

// One task's situations as points of the network.
struct TaskPoints {
  std::vector<std::int32_t> begin;
  Index first_entry = 0;
  Points<double> points;

  TaskPoints(const ChoiceData& data, MatrixView<const double> context, MatrixView<const double> attributes,
             Index from, Index count) {
    first_entry = static_cast<Index>(data.begin[static_cast<std::size_t>(from)]);
    for (Index i = 0; i <= count; ++i)
      begin.push_back(
          static_cast<std::int32_t>(data.begin[static_cast<std::size_t>(from + i)] - first_entry));
    const Index entries = begin.back();
    points = {
        .context = context.row_range(from, count),
        .begin = begin,
        .values = attributes.row_range(first_entry, entries),
        .classes = std::span(data.classes)
                       .subspan(static_cast<std::size_t>(first_entry), static_cast<std::size_t>(entries))};
  }
};

using TaskAction = std::function<void(Index from, Index count, const TaskPoints&, NetworkWorkspace<double>&)>;

void for_each_task(const FittedModel& model, const ChoiceData& data, const Context& job, Part part,
                   const TaskAction& action) {
  const ChoiceResponse& choice = model.choice();
  const Matrix<double> attributes = encode_attributes<double>(data.attributes, choice.means, choice.scales);
  const Encoder& stored = model.stored.encoder;
  const Encoder encoder = part == Part::all ? stored : stored.with_unseen(UnseenPolicy::missing);
  const Matrix<double> context = encoder.encode_features<double>(data.context, all_rows(data.context.rows));
  const Index tasks = (data.situations() + kSituationsPerTask - 1) / kSituationsPerTask;
  job.run(static_cast<std::size_t>(tasks), [&](std::size_t task) {
    const Index from = static_cast<Index>(task) * kSituationsPerTask;
    const Index count = std::min(kSituationsPerTask, data.situations() - from);
    const TaskPoints at(data, context.view(), attributes.view(), from, count);
    NetworkWorkspace<double> workspace;
    model.utility.network().forward(model.utility.prepared(), at.points, workspace);
    action(from, count, at, workspace);
  });
}

}  // namespace

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

ChoiceScores score_choices(const FittedModel& model, const ChoiceData& data, const Context& job, Part part) {
  if (model.choice().schema.beyond_logit()) return score_beyond(model, data, job);
  ChoiceScores scores;
  scores.utility.resize(data.classes.size());
  scores.probability.resize(data.classes.size());
  scores.log_sum.resize(static_cast<std::size_t>(data.situations()));
  for_each_task(
      model, data, job, part,
      [&](Index from, Index count, const TaskPoints& at, NetworkWorkspace<double>& ws) {
        for (Index i = 0; i < count; ++i) {
          const auto begin = static_cast<std::size_t>(data.begin[static_cast<std::size_t>(from + i)]);
          const auto end = static_cast<std::size_t>(data.begin[static_cast<std::size_t>(from + i) + 1]);
          for (std::size_t j = begin; j < end; ++j)
            scores.utility[j] =
                ws.scores(static_cast<Index>(j) - at.first_entry, 0) / model.stored.temperature;
          const auto utilities = std::span(scores.utility).subspan(begin, end - begin);
          const auto shares = std::span(scores.probability).subspan(begin, end - begin);
          scores.log_sum[static_cast<std::size_t>(from + i)] = log_sum_exp<double>(utilities);
          std::copy(utilities.begin(), utilities.end(), shares.begin());
          log_softmax(shares);
          for (double& share : shares) share = std::exp(share);
        }
      });
  return scores;
}

namespace {

// By the chain rule: the derivative by an attribute, and by the terms of it times their own.
Matrix<double> through_terms(const ChoiceSchema& schema, const ChoiceData& data,
                             const Matrix<double>& by_input) {
  Matrix<double> out(by_input.rows(), static_cast<Index>(schema.declared));
  for (std::size_t x = 0; x < schema.declared; ++x) {
    const Matrix<double> slopes = term_slopes(schema, data, x);
    for (Index j = 0; j < out.rows(); ++j) {
      double total = by_input(j, static_cast<Index>(x));
      for (Index t = 0; t < slopes.cols(); ++t) {
        const double of_term = by_input(j, out.cols() + t);
        if (of_term != 0 && slopes(j, t) != 0) total += of_term * slopes(j, t);
      }
      out(j, static_cast<Index>(x)) = total;
    }
  }
  return out;
}

}  // namespace

Matrix<double> input_slopes(const FittedModel& model, const ChoiceData& data, const Context& job) {
  Matrix<double> out(data.attributes.rows(), data.attributes.cols());
  const std::vector<double>& scales = model.choice().scales;
  for_each_task(model, data, job, Part::all,
                [&](Index, Index, const TaskPoints& at, NetworkWorkspace<double>& ws) {
                  Matrix<double> ones(at.points.count(), 1);
                  std::fill(ones.flat().begin(), ones.flat().end(), 1 / model.stored.temperature);
                  const MatrixView<double> gradient = out.view().row_range(at.first_entry, at.points.count());
                  model.utility.network().value_gradient(model.utility.prepared(), at.points,
                                                         std::as_const(ones).view(), ws, gradient);
                  for (Index i = 0; i < gradient.rows; ++i)
                    for (Index k = 0; k < gradient.cols; ++k)
                      gradient(i, k) /= scales[static_cast<std::size_t>(k)];
                });
  return out;
}

Matrix<double> marginal_utilities(const FittedModel& model, const ChoiceData& data, const Context& job) {
  Matrix<double> out = input_slopes(model, data, job);
  const ChoiceSchema& schema = model.choice().schema;
  return schema.terms.empty() ? out : through_terms(schema, data, out);
}

std::vector<Metric> choice_metrics(const ChoiceData& data, const ChoiceScores& scores) {
  double weight = 0, log_likelihood = 0, null = 0, hits = 0;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(data.begin[i]),
               end = static_cast<std::size_t>(data.begin[i + 1]);
    const std::size_t chosen = begin + static_cast<std::size_t>(data.chosen[i]);
    const double w = data.weights.empty() ? 1 : data.weights[i];
    weight += w;
    log_likelihood += w * (scores.by_probability ? std::log(scores.probability[chosen])
                                                 : scores.utility[chosen] - scores.log_sum[i]);
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
    const double w = data.weights.empty() ? 1 : data.weights[i];
    total += w;
    for (auto j = static_cast<std::size_t>(data.begin[i]); j < static_cast<std::size_t>(data.begin[i + 1]);
         ++j)
      shares[static_cast<std::size_t>(names[j])] += w * numbers[j];
  }
  for (double& share : shares) share /= total;
  return shares;
}

}  // namespace bl

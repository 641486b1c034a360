#include "choice/prepared.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

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

  TaskPoints(const EncodedChoices<double>& encoded, Index from, Index count) {
    const ChoiceData& data = *encoded.data;
    first_entry = static_cast<Index>(data.begin[static_cast<std::size_t>(from)]);
    for (Index i = 0; i <= count; ++i)
      begin.push_back(
          static_cast<std::int32_t>(data.begin[static_cast<std::size_t>(from + i)] - first_entry));
    const Index entries = begin.back();
    points = {
        .context = encoded.context.view().row_range(from, count),
        .begin = begin,
        .values = encoded.attributes.view().row_range(first_entry, entries),
        .classes = std::span(data.classes)
                       .subspan(static_cast<std::size_t>(first_entry), static_cast<std::size_t>(entries))};
  }
};

using TaskAction = std::function<void(Index from, Index count, const TaskPoints&, NetworkWorkspace<double>&)>;

void for_each_task(const FittedModel& model, const EncodedChoices<double>& encoded, const Context& job,
                   const TaskAction& action) {
  const Index situations = encoded.data->situations();
  const Index tasks = (situations + kSituationsPerTask - 1) / kSituationsPerTask;
  job.run(static_cast<std::size_t>(tasks), [&](std::size_t task) {
    const Index from = static_cast<Index>(task) * kSituationsPerTask;
    const Index count = std::min(kSituationsPerTask, situations - from);
    const TaskPoints at(encoded, from, count);
    NetworkWorkspace<double> workspace;
    model.utility.network().forward(model.utility.prepared(), at.points, workspace);
    action(from, count, at, workspace);
  });
}

}  // namespace

const EncodedChoices<double>& PreparedChoices::encoded(const FittedModel& model) {
  if (!encoded_) encoded_.emplace(*data_, model.stored.encoder, model.choice(), unseen_);
  return *encoded_;
}

const BeyondModel& PreparedChoices::beyond(const FittedModel& model, double memory) {
  if (!beyond_) beyond_.emplace(make_beyond(model.stored, *data_, memory));
  return *beyond_;
}

ChoiceScores PreparedChoices::scores(const FittedModel& model, const Context& job) {
  if (model.choice().schema.beyond_logit())
    return score_beyond(beyond(model, job.memory()), model, *data_, job);
  const ChoiceData& data = *data_;
  ChoiceScores scores;
  scores.utility.resize(data.classes.size());
  scores.probability.resize(data.classes.size());
  scores.log_sum.resize(static_cast<std::size_t>(data.situations()));
  for_each_task(
      model, encoded(model), job,
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

std::optional<double> PreparedChoices::log_likelihood(const FittedModel& model, const Context& job) {
  if (!model.choice().schema.beyond_logit() || !data_->choices_known()) return std::nullopt;
  const BeyondModel& of = beyond(model, job.memory());
  Matrix<double> scores(of.sets->person_count(), of.model->parameters());
  return of.model->log_likelihood(model.choice().beyond, scores.view(), job);
}

ChoiceResponses PreparedChoices::responses(const FittedModel& model, Index attribute, Per per,
                                           const Context& job) {
  const BeyondModel& of = beyond(model, job.memory());
  const auto [slopes, is_new] = design_slopes_.try_emplace({attribute, per});
  if (is_new) slopes->second = design_slopes(of, model.choice().schema, *data_, attribute, per);
  return respond_beyond(of, slopes->second, model, *data_, job);
}

Matrix<double> PreparedChoices::input_slopes(const FittedModel& model, const Context& job) {
  Matrix<double> out(data_->attributes.rows(), data_->attributes.cols());
  const std::vector<double>& scales = model.choice().scales;
  for_each_task(model, encoded(model), job,
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

const std::vector<std::vector<PreparedChoices::TermSlope>>& PreparedChoices::slopes_of_terms(
    const ChoiceSchema& schema) {
  if (!slopes_of_terms_.empty()) return slopes_of_terms_;
  slopes_of_terms_.resize(schema.declared);
  for (std::size_t x = 0; x < schema.declared; ++x) {
    const Matrix<double> all = term_slopes(schema, *data_, x);
    for (Index t = 0; t < all.cols(); ++t) {
      TermSlope one{t, {}};
      for (Index j = 0; j < all.rows(); ++j) one.of_entry.push_back(all(j, t));
      const bool follows =
          std::any_of(one.of_entry.begin(), one.of_entry.end(), [](double slope) { return slope != 0; });
      if (follows) slopes_of_terms_[x].push_back(std::move(one));
    }
  }
  return slopes_of_terms_;
}

// By the chain rule: the derivative by an attribute, and by the terms of it times their own.
Matrix<double> PreparedChoices::marginal_utilities(const FittedModel& model, const Context& job) {
  Matrix<double> by_input = input_slopes(model, job);
  const ChoiceSchema& schema = model.choice().schema;
  if (schema.terms.empty()) return by_input;
  const auto& of_terms = slopes_of_terms(schema);
  const auto declared = static_cast<Index>(schema.declared);
  Matrix<double> out(by_input.rows(), declared);
  for (Index x = 0; x < declared; ++x)
    for (Index j = 0; j < out.rows(); ++j) {
      double total = by_input(j, x);
      for (const TermSlope& one : of_terms[static_cast<std::size_t>(x)]) {
        const double of_term = by_input(j, declared + one.term),
                     slope = one.of_entry[static_cast<std::size_t>(j)];
        if (of_term != 0 && slope != 0) total += of_term * slope;
      }
      out(j, x) = total;
    }
  return out;
}

}  // namespace bl

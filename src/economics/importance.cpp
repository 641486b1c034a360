// What matters: the log-likelihood that is lost without the terms of a column, in all heads or in one.
#include "economics/importance.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "choice/prepared.hpp"
#include "choice/reading.hpp"
#include "economics/economics.hpp"
#include "features/beyond_names.hpp"
#include "model/parameters.hpp"
#include "predict/evaluation.hpp"
#include "predict/predicting.hpp"

namespace bl {

namespace {

using explain::HeadPlace;

// The mean log-likelihood of rows that are read and encoded once, by models that differ in their parameters.
using LogLikelihood = std::function<double(const FittedModel&)>;

LogLikelihood of_choices(const FittedModel& model, const Table& table, Part part, const Context& job) {
  const auto data = std::make_shared<const ChoiceData>(read_part(model, table, part, true));
  const auto choices = std::make_shared<PreparedChoices>(*data, unseen_levels(part));
  return [data, choices, job](const FittedModel& judged) {
    const std::vector<double> each = log_probabilities(*data, choices->scores(judged, job));
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < each.size(); ++i) {
      sum += data->weight(i) * each[i];
      weight += data->weight(i);
    }
    return sum / weight;
  };
}

LogLikelihood of_rows(const FittedModel& model, const Table& table, Part part, const Context& job) {
  const auto rows = std::make_shared<const std::vector<Index>>(rows_to_judge(model, table, part));
  const auto encoded =
      std::make_shared<const PredictedRows>(encoder_for(model, part, {}), table, nullptr, *rows);
  return [rows, encoded, &table, job](const FittedModel& judged) {
    double sum = std::numeric_limits<double>::quiet_NaN();
    for (const Metric& metric : evaluate_rows(judged, *encoded, table, *rows, judged.utility, job)) {
      const double value = metric.name == "log_loss" ? -metric.value : metric.value;
      if (metric.name == "log_loss" || metric.name == "log_likelihood")
        sum = std::isnan(sum) ? value : sum + value;
    }
    if (std::isnan(sum))
      throw UsageError("importance needs a log-likelihood: classes, or one or two continuous responses");
    return sum;
  };
}

bool reads_variables(const Architecture& a, std::size_t layer) {
  return layer == 0 || a.skip == Skip::input || a.skip == Skip::dense;
}

// Columns of the data, and last the terms of the response alone.
struct Group {
  std::string name;
  std::function<bool(const Term&)> has;
};

// Attributes and terms of choices, and last what tells the alternatives apart by their names alone.
void add_attributes(const ChoiceResponse& choice, std::int32_t context, std::vector<Group>& groups) {
  const auto count = static_cast<std::int32_t>(choice.schema.attributes.size());
  for (std::int32_t k = 0; k < count; ++k)
    groups.push_back({choice.schema.attributes[static_cast<std::size_t>(k)], [context, k](const Term& term) {
                        return std::find(term.begin(), term.end(), context + k) != term.end();
                      }});
  groups.push_back({"(the alternative alone)", [context, count](const Term& term) {
                      return !term.empty() && std::all_of(term.begin(), term.end(), [&](std::int32_t i) {
                        return i >= context + count;
                      });
                    }});
}

std::vector<Group> groups_of(const FittedModel& model) {
  const auto& columns = model.stored.encoder.columns();
  const auto context = static_cast<std::int32_t>(model.stored.architecture.input.context);
  std::vector<Group> groups;
  for (std::size_t f = 0; f < model.stored.encoder.features().size(); ++f)
    groups.push_back({model.stored.encoder.features()[f].name, [&columns, context, f](const Term& term) {
                        return std::any_of(term.begin(), term.end(), [&](std::int32_t i) {
                          return i < context && columns[static_cast<std::size_t>(i)].reads(f);
                        });
                      }});
  if (const ChoiceResponse* choice = model.stored.choice()) {
    add_attributes(*choice, context, groups);
    return groups;
  }
  if (model.stored.architecture.input.size() > context)
    groups.push_back({"(the response alone)", [context](const Term& term) {
                        return std::all_of(term.begin(), term.end(),
                                           [&](std::int32_t i) { return i >= context; });
                      }});
  return groups;
}

}  // namespace

std::vector<Removal> removals(const FittedModel& model, bool by_head) {
  const Architecture& a = model.stored.architecture;
  std::vector<HeadPlace> heads = {HeadPlace{}};
  if (by_head) heads.clear();
  if (by_head)
    for (HeadPlace& head : explain::head_places(a))
      if (reads_variables(a, head.layer)) heads.push_back(std::move(head));
  std::vector<Removal> out;
  for (const Group& group : groups_of(model))
    for (const HeadPlace& head : heads) out.push_back({group.name, head, group.has});
  return out;
}

FittedModel without(const FittedModel& model, const Removal& removal) {
  StoredModel stored = model.stored;
  stored.inference.reset();
  const Architecture& a = stored.architecture;
  const HeadPlace& head = removal.head;
  const ParameterLayout layout(a);
  const std::vector<Term> first = basis_terms(a.basis, a.input, a.degree());
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.role != TensorRole::weight || !reads_variables(a, tensor.layer)) continue;
    const bool all = head.name.empty();
    if (!all && (tensor.layer != head.layer || tensor.kind != head.kind)) continue;
    const Index columns = tensor.layer == 0 ? tensor.cols : a.input.size();
    for (Index j = 0; j < columns; ++j) {
      const Term term =
          tensor.layer == 0 ? first[static_cast<std::size_t>(j)] : Term{static_cast<std::int32_t>(j)};
      if (!removal.has(term)) continue;
      for (Index row = all ? 0 : head.row; row < (all ? tensor.rows : head.row + 1); ++row)
        stored.parameters[static_cast<std::size_t>(tensor.offset + row * tensor.cols + j)] = 0;
    }
  }
  return FittedModel(std::move(stored));
}

OutputTable importance(const Model& model, const Data& data, const ImportanceOptions& options) {
  return importance(model, data, options, Context(options.threads));
}

OutputTable importance(const Model& model, const Data& data, const ImportanceOptions& options,
                       const Context& job) {
  const FittedModel& impl = model.impl();
  if (model.is_choice() && impl.choice().schema.beyond_logit())
    throw UsageError("importance is not computed for " + beyond_words(impl.choice().schema) +
                     "; fit without the column and compare the likelihoods");
  const LogLikelihood likelihood =
      (model.is_choice() ? of_choices : of_rows)(impl, data.impl().table, options.part, job);
  const double whole = likelihood(impl);
  struct Loss {
    std::string column, head;
    double value = 0;
  };
  std::vector<Loss> losses;
  for (const Removal& one : removals(impl, options.by_head))
    losses.push_back({one.column, one.head.name, whole - likelihood(without(impl, one))});
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.value > b.value; });
  OutputTable out{.rows = losses.size(), .columns = {{"column", {}, {}}}};
  if (options.by_head) out.columns.push_back({"head", {}, {}});
  out.columns.push_back({"log_likelihood_lost", {}, {}});
  for (const Loss& loss : losses) {
    out.columns.front().texts.push_back(loss.column);
    if (options.by_head) out.columns[1].texts.push_back(loss.head);
    out.columns.back().numbers.push_back(loss.value);
  }
  return out;
}

}  // namespace bl

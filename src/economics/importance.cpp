// What matters: the log-likelihood that is lost without the terms of a column, in all heads or in one.
#include "economics/importance.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "choice/reading.hpp"
#include "choice/scores.hpp"
#include "economics/economics.hpp"
#include "explain/head_place.hpp"
#include "model/parameters.hpp"
#include "predict/evaluation.hpp"

namespace bl {

namespace {

using explain::HeadPlace;

std::vector<Metric> metrics_of(const FittedModel& model, const Table& table, Part part, const Context& job) {
  if (model.stored.choice() == nullptr) return evaluate_table(model, table, part, {}, job);
  const ChoiceData choices = read_part(model, table, part, true);
  return choice_metrics(choices, score_choices(model, choices, job, part));
}

double log_likelihood(const Model& model, const Data& data, Part part, const Context& job) {
  double sum = std::numeric_limits<double>::quiet_NaN();
  for (const Metric& metric : metrics_of(model.impl(), data.impl().table, part, job)) {
    if (model.is_choice() && metric.name == "cross_entropy") return -metric.value;
    const double value = metric.name == "log_loss" ? -metric.value : metric.value;
    if (metric.name == "log_loss" || metric.name == "log_likelihood")
      sum = std::isnan(sum) ? value : sum + value;
  }
  if (std::isnan(sum))
    throw UsageError("importance needs a log-likelihood: classes, or one or two continuous responses");
  return sum;
}

bool reads_variables(const Architecture& a, std::size_t layer) {
  return layer == 0 || a.skip == Skip::input || a.skip == Skip::dense;
}

// The model without the terms for which `removed` holds, in one head, or in all where it has no name.
Model without(const FittedModel& model, const std::function<bool(const Term&)>& removed,
              const HeadPlace& head) {
  StoredModel stored = model.stored;
  const Architecture& a = stored.architecture;
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
      if (!removed(term)) continue;
      for (Index row = all ? 0 : head.row; row < (all ? tensor.rows : head.row + 1); ++row)
        stored.parameters[static_cast<std::size_t>(tensor.offset + row * tensor.cols + j)] = 0;
    }
  }
  return Model(std::make_shared<const FittedModel>(std::move(stored)));
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

std::vector<ReducedModel> models_without_columns(const FittedModel& model) {
  std::vector<ReducedModel> out;
  for (const Group& group : groups_of(model))
    out.push_back({group.name, without(model, group.has, HeadPlace{})});
  return out;
}

OutputTable importance(const Model& model, const Data& data, const ImportanceOptions& options) {
  return importance(model, data, options, Context(0));
}

OutputTable importance(const Model& model, const Data& data, const ImportanceOptions& options,
                       const Context& job) {
  const FittedModel& impl = model.impl();
  const double whole = log_likelihood(model, data, options.part, job);
  std::vector<HeadPlace> heads = {HeadPlace{}};
  if (options.by_head) heads.clear();
  if (options.by_head)
    for (HeadPlace& head : explain::head_places(impl.stored.architecture))
      if (reads_variables(impl.stored.architecture, head.layer)) heads.push_back(std::move(head));
  struct Loss {
    std::string column, head;
    double value = 0;
  };
  std::vector<Loss> losses;
  for (const Group& group : groups_of(impl))
    for (const HeadPlace& head : heads)
      losses.push_back({group.name, head.name,
                        whole - log_likelihood(without(impl, group.has, head), data, options.part, job)});
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

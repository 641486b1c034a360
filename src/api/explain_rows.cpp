// Explanations that need data: one row taken apart, marginal utilities, importance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/impl.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "compute/log_sum_exp.hpp"
#include "explain/best_response.hpp"
#include "explain/gradient.hpp"
#include "explain/hierarchy.hpp"
#include "explain/read_problem.hpp"
#include "explain/row_text.hpp"
#include "model/parameters.hpp"

namespace bl {

namespace {

using explain::Problem;
using explain::Variable;
using explain::VariableKind;

Problem standardised_problem(const Model::Impl& model) {
  return explain::read_problem(model.stored, {model.space.class_name, model.space.class_labels},
                               explain::Units::standardised);
}

bool has_responses(const Model::Impl& model, const Table& table, Index row) {
  const auto& responses = model.stored.encoder.responses();
  return std::all_of(responses.begin(), responses.end(), [&](const ResponseEncoding& r) {
    const Column* column = table.find(r.name);
    return column != nullptr && !column->missing(row);
  });
}

std::string response_text(const Model::Impl& model, const explain::Response& response) {
  std::string text;
  for (std::size_t k = 0; k < model.space.continuous_responses.size(); ++k) {
    const ResponseEncoding& r = model.stored.encoder.responses()[model.space.continuous_responses[k]];
    text +=
        fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", r.name, response.values[k] * r.scale + r.mean);
  }
  if (model.space.classes() > 0)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", model.space.class_name,
                        model.space.class_labels[static_cast<std::size_t>(response.class_index)]);
  return text;
}

// The utility of a response of the row, with all its parts.
explain::RowCase row_case(const Model::Impl& model, const Problem& problem, const double* features,
                          const explain::Response& response) {
  explain::RowCase one;
  one.response = response_text(model, response);
  one.output = problem.outputs.size() > 1 ? static_cast<std::size_t>(response.class_index) : 0;
  one.evaluation = explain::evaluate(
      problem, explain::problem_inputs(problem, features, response.values.data(), response.class_index));
  return one;
}

// The class of highest utility but for the one of `best`; a class response has two at least.
explain::RowCase next_best_class(const Model::Impl& model, const Problem& problem, const double* features,
                                 const explain::RowCase& best) {
  explain::RowCase next;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::int32_t c = 0; c < model.space.classes(); ++c) {
    explain::RowCase one = row_case(model, problem, features, {{}, c});
    const double utility = one.evaluation.outputs[one.output];
    if (one.response == best.response || utility <= highest) continue;
    highest = utility;
    next = std::move(one);
  }
  next.title = "next best";
  return next;
}

bool has_derivative(const Variable& v) {
  return v.kind == VariableKind::number || v.kind == VariableKind::place;
}

// Utility of one more unit of each number, at one case of the row.
std::string marginal_text(const Problem& problem, const explain::RowCase& one) {
  constexpr double kRounding = 1e-12;  // of the way to standardised units and back, in deviations
  const std::vector<double> d = explain::gradient(problem, one.evaluation, one.output);
  std::string out = fmt::format("\nMarginal utility of one unit, at the {} response\n", one.title);
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Variable& v = problem.variables[i];
    if (!has_derivative(v)) continue;
    double value = one.evaluation.variables[i] * v.scale + v.mean;
    if (std::abs(value) < kRounding * v.scale) value = 0;
    out += fmt::format("  {:<24} {:>12} {:>14}\n", v.name, explain::number_text(value),
                       fmt::format("{:+.4g}", d[i] / v.scale));
  }
  constexpr double kAtKink = 1e-6;
  for (const explain::Head* head : explain::heads_at_kinks(problem, one.evaluation, kAtKink))
    out +=
        fmt::format("  not smooth here: {} is at its kink; the slope is the one from the left\n", head->name);
  return out;
}

explain::Response observed_response(const Model::Impl& model, const Encoded<double>& encoded, Index row) {
  explain::Response response;
  for (Index k = 0; k < encoded.continuous.cols(); ++k) response.values.push_back(encoded.continuous(row, k));
  const auto classes = model.space.combine(encoded.classes);
  if (!classes.empty()) response.class_index = classes[static_cast<std::size_t>(row)];
  return response;
}

// Gradients of the utility of each class (or of the one utility) at a row; p holds the class probabilities.
struct RowGradients {
  std::vector<std::vector<double>> by_class;
  std::vector<double> p;
};

RowGradients row_gradients(const Model::Impl& model, const Problem& problem, const double* features,
                           explain::Response response) {
  RowGradients out;
  const Index classes = std::max<Index>(1, model.space.classes());
  for (Index c = 0; c < classes; ++c) {
    response.class_index = static_cast<std::int32_t>(c);
    const explain::RowCase one = row_case(model, problem, features, response);
    out.by_class.push_back(explain::gradient(problem, one.evaluation, one.output));
    out.p.push_back(one.evaluation.outputs[one.output] / problem.temperature);
  }
  const double normaliser = log_sum_exp<double>(out.p);
  for (double& p : out.p) p = std::exp(p - normaliser);
  return out;
}

double log_likelihood(const Model& model, const Data& data, Part part) {
  double sum = std::numeric_limits<double>::quiet_NaN();
  for (const Metric& metric : model.evaluate(data, part, {})) {
    const double value = metric.name == "log_loss" ? -metric.value : metric.value;
    if (metric.name == "log_loss" || metric.name == "log_likelihood")
      sum = std::isnan(sum) ? value : sum + value;
  }
  if (std::isnan(sum))
    throw UsageError("importance needs a log-likelihood: classes, or one or two continuous responses");
  return sum;
}

// The model without the terms that have a factor among `inputs`.
Model without(const Model::Impl& model, const std::vector<bool>& inputs) {
  StoredModel stored = model.stored;
  const Architecture& a = stored.architecture;
  const ParameterLayout layout(a);
  const std::vector<Term> first = basis_terms(a.basis, a.input, a.degree());
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.role != TensorRole::weight) continue;
    const bool reads = tensor.layer == 0 || a.skip == Skip::input || a.skip == Skip::dense;
    const Index columns = tensor.layer == 0 ? tensor.cols : reads ? a.input.size() : 0;
    for (Index j = 0; j < columns; ++j) {
      const Term term =
          tensor.layer == 0 ? first[static_cast<std::size_t>(j)] : Term{static_cast<std::int32_t>(j)};
      if (std::none_of(term.begin(), term.end(),
                       [&](std::int32_t f) { return inputs[static_cast<std::size_t>(f)]; }))
        continue;
      for (Index row = 0; row < tensor.rows; ++row)
        stored.parameters[static_cast<std::size_t>(tensor.offset + row * tensor.cols + j)] = 0;
    }
  }
  return Model(std::make_shared<const Model::Impl>(std::move(stored)));
}

}  // namespace

std::string explain_row(const Model& model, const Data& data, std::size_t row,
                        const ExplainOptions& options) {
  const Model::Impl& impl = model.impl();
  const Table& table = data.impl().table;
  if (row < 1 || row > static_cast<std::size_t>(table.rows))
    throw UsageError(fmt::format("row {}: the data has rows 1 to {}", row, table.rows));
  const std::vector<Index> rows = {static_cast<Index>(row) - 1};
  const Problem problem = standardised_problem(impl);
  const Matrix<double> features = impl.stored.encoder.encode_features<double>(table, rows);
  std::vector<explain::RowCase> cases;
  if (has_responses(impl, table, rows[0])) {
    const Encoded<double> encoded = impl.stored.encoder.encode<double>(table, rows);
    cases.push_back(row_case(impl, problem, features.row(0), observed_response(impl, encoded, 0)));
    cases.back().title = "observed";
  }
  cases.push_back(
      row_case(impl, problem, features.row(0), explain::best_response(impl.utility, features.row(0))));
  cases.back().title = "best";
  if (cases.size() == 2 && impl.space.values() == 0 && cases[0].response == cases[1].response) {
    cases[0].title = "observed and best";
    cases[1] = next_best_class(impl, problem, features.row(0), cases[0]);
  }
  const explain::RenderOptions render{.terms = 0, .threshold = 0, .block = options.block};
  std::string out = fmt::format("Row {} ({})\n\n", row, table.place(rows[0]));
  out += explain::render_row(problem, explain::leading_blocks(problem, render), cases);
  return out + marginal_text(problem, cases.front());
}

OutputTable marginal_utilities(const Model& model, const Data& data, const std::string& numeraire) {
  const Model::Impl& impl = model.impl();
  const Table& table = data.impl().table;
  const Problem problem = standardised_problem(impl);
  const Encoded<double> encoded = impl.stored.encoder.encode<double>(table, all_rows(table.rows));
  std::vector<std::size_t> places;
  std::vector<std::string> names;
  std::size_t base = problem.variables.size();
  for (std::size_t i = 0; i < problem.variables.size(); ++i) {
    if (!has_derivative(problem.variables[i])) continue;
    if (problem.variables[i].name == numeraire) base = places.size();
    places.push_back(i);
    names.push_back(problem.variables[i].name);
  }
  if (!numeraire.empty() && base == problem.variables.size())
    throw UsageError(
        fmt::format("no number is called {}{}", in_quotes(numeraire), did_you_mean(numeraire, names)));
  const auto classes = impl.space.values() == 0 ? static_cast<std::size_t>(impl.space.classes()) : 0;
  std::vector<double> utility(places.size(), 0);
  std::vector<std::vector<double>> chances(classes, std::vector<double>(places.size(), 0));
  for (Index row = 0; row < table.rows; ++row) {
    const explain::Response observed = observed_response(impl, encoded, row);
    const RowGradients g = row_gradients(impl, problem, encoded.features.row(row), observed);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double unit = problem.variables[places[k]].scale * static_cast<double>(table.rows);
      utility[k] += g.by_class[static_cast<std::size_t>(observed.class_index)][places[k]] / unit;
      double mean = 0;
      for (std::size_t c = 0; c < classes; ++c) mean += g.p[c] * g.by_class[c][places[k]];
      for (std::size_t c = 0; c < classes; ++c)
        chances[c][k] += g.p[c] * (g.by_class[c][places[k]] - mean) / (problem.temperature * unit);
    }
  }
  OutputTable out{.rows = places.size(),
                  .columns = {{"column", {}, names}, {"marginal_utility", utility, {}}}};
  if (!numeraire.empty()) {
    std::vector<double> rates;
    for (const double u : utility) rates.push_back(u / utility[base]);
    out.columns.push_back({"rate_for_" + numeraire, rates, {}});
  }
  for (std::size_t c = 0; c < classes; ++c)
    out.columns.push_back({"dp(" + impl.space.class_labels[c] + ")", chances[c], {}});
  return out;
}

OutputTable importance(const Model& model, const Data& data, Part part) {
  const Model::Impl& impl = model.impl();
  const double whole = log_likelihood(model, data, part);
  const auto& columns = impl.stored.encoder.columns();
  std::vector<std::pair<double, std::string>> losses;
  for (std::size_t f = 0; f < impl.stored.encoder.features().size(); ++f) {
    std::vector<bool> inputs(static_cast<std::size_t>(impl.stored.architecture.input.size()), false);
    for (std::size_t c = 0; c < columns.size(); ++c) inputs[c] = columns[c].feature == f;
    losses.emplace_back(whole - log_likelihood(without(impl, inputs), data, part),
                        impl.stored.encoder.features()[f].name);
  }
  std::stable_sort(losses.begin(), losses.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  OutputTable out{.rows = losses.size(), .columns = {{"column", {}, {}}, {"log_likelihood_lost", {}, {}}}};
  for (const auto& [loss, name] : losses) {
    out.columns[0].texts.push_back(name);
    out.columns[1].numbers.push_back(loss);
  }
  return out;
}

}  // namespace bl

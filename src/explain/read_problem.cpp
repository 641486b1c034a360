#include "explain/read_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/joined.hpp"
#include "bl/errors.hpp"
#include "explain/expansion.hpp"
#include "features/pull.hpp"
#include "model/parameters.hpp"

namespace bl::explain {

namespace {

struct Expansions {
  Expansion shown, standardised;
};

// Both lists are in graded order.
void set_sizes(const std::vector<Monomial>& standard, std::vector<Monomial>& terms) {
  auto at = standard.begin();
  for (Monomial& term : terms) {
    while (at != standard.end() && GradedOrder()(at->factors, term.factors)) ++at;
    if (at != standard.end() && at->factors == term.factors) term.size = std::abs(at->coefficient);
  }
}

class Reader {
 public:
  Reader(const StoredModel& model, const ClassNames& classes, Units units)
      : model_(model), a_(model.architecture), classes_(classes), layout_(a_) {
    problem_.units = units;
  }

  Problem read() {
    name_variables();
    for (std::size_t l = 0; l < a_.layers.size(); ++l) read_layer(l);
    read_outputs();
    return std::move(problem_);
  }

  CurveMaps maps() {
    name_variables();
    const Expansion expansion(layer_terms(a_, 0), substitutions(written_, problem_.units));
    CurveMaps out;
    for (std::size_t t = 0; t < static_cast<std::size_t>(layer_input_size(a_, 0)); ++t)
      for (const auto& [monomial, factor] : expansion.parts(t)) {
        const auto part =
            curve_part(model_.encoder, problem_, written_, variable_of_, expansion.monomials()[monomial]);
        if (!part) continue;
        CurveParts& parts = out[part->whole];
        parts.resize(part->count);
        parts[part->place].emplace_back(t, static_cast<double>(factor));
      }
    return out;
  }

 private:
  void name_variables() {
    problem_.temperature = model_.temperature;
    reserve_block_names();
    feature_variables();
    response_variables();
    written_ = network_inputs(problem_);
    if (static_cast<Index>(written_.size()) != a_.input.size())
      throw UsageError(
          fmt::format("the model reads {} inputs, but its columns and responses make {}; such a model cannot "
                      "be explained",
                      a_.input.size(), written_.size()));
    block_variables();
  }

  static std::string block_name(std::size_t layer, Index block) {
    return fmt::format("L{}.B{}", layer + 1, block + 1);
  }

  void reserve_block_names() {
    for (std::size_t l = 0; l < a_.layers.size(); ++l)
      for (Index b = 0; b < a_.layers[l].blocks; ++b) taken_.insert(block_name(l, b));
  }

  // A column called like a block or an indicator must not be mistaken for it.
  void add(Variable variable) {
    const std::string wanted = variable.name;
    for (int k = 2; !taken_.insert(variable.name).second; ++k)
      variable.name = fmt::format("{} ({})", wanted, k);
    problem_.variables.push_back(std::move(variable));
  }

  void feature_variables() {
    const auto& features = model_.encoder.features();
    std::map<std::size_t, std::size_t> variable_of_feature;
    for (const EncodedColumn& column : model_.encoder.columns()) {
      const FeatureEncoding& feature = features[column.feature];
      Variable v{.name = feature.name, .column = feature.name};
      switch (column.kind) {
        case EncodedColumn::Kind::bend:
          problem_.variables.back().bends.push_back(column.name);
          continue;
        case EncodedColumn::Kind::product:
          if (column.level == 0)
            problem_.products.push_back({.variables = {variable_of_feature.at(column.feature),
                                                       variable_of_feature.at(column.other)}});
          problem_.products.back().names.push_back(column.name);
          continue;
        case EncodedColumn::Kind::standardized:
          v.mean = column.mean;
          v.fill = feature.fill;
          v.scale = column.scale;
          v.pull = feature.pull;
          break;
        case EncodedColumn::Kind::ordinal:
          v.kind = VariableKind::place;
          v.mean = column.mean;
          v.scale = column.scale;
          v.fill = feature.fill_level;
          break;
        case EncodedColumn::Kind::one_hot:
          v.kind = VariableKind::level;
          v.level = feature.levels[static_cast<std::size_t>(column.level)];
          v.name = fmt::format("[{}={}]", feature.name, v.level);
          v.fill = column.level == feature.fill_level ? 1 : 0;
          break;
        case EncodedColumn::Kind::component:
          v.name = column.name;
          break;
        case EncodedColumn::Kind::indicator:
          v.kind = VariableKind::missing;
          v.name = fmt::format("[{} is missing]", feature.name);
          v.fill = 1;
          break;
      }
      variable_of_feature.emplace(column.feature, problem_.variables.size());
      add(std::move(v));
    }
  }

  void response_variables() {
    const auto& responses = model_.encoder.responses();
    problem_.response = joined(responses, ", ", [](const ResponseEncoding& r) { return r.name; });
    for (const ResponseEncoding& r : responses)
      if (!r.is_class())
        add({.name = r.number.name(r.name),
             .column = r.name,
             .response = true,
             .mean = r.mean,
             .scale = r.scale,
             .fill = r.mean});
    if (problem_.response.empty()) problem_.response = classes_.name;
    for (const Variable& value : classes_.values) add(value);
    for (Index c = 0; c < a_.input.classes; ++c) {
      const std::string& label = classes_.labels[static_cast<std::size_t>(c)];
      add({.name = fmt::format("[{}={}]", classes_.name, label),
           .kind = VariableKind::level,
           .column = classes_.name,
           .level = label,
           .response = true});
    }
  }

  // Inputs and blocks as terms are first written in them: a column with a curve, or whose far values are
  // pulled in, is not multiplied out.
  void write_inputs() {
    const auto& columns = model_.encoder.columns();
    std::size_t own = columns.size();  // of single columns
    for (const ProductInputs& product : problem_.products) own -= product.names.size();
    for (std::size_t v = 0; v < problem_.variables.size(); ++v) {
      variable_of_.insert(variable_of_.end(), problem_.variables[v].bends.size() + 1, v);
      if (variable_of_.size() != own) continue;
      for (const ProductInputs& product : problem_.products)
        variable_of_.insert(variable_of_.end(), product.names.size(), product.variables[0]);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool number = written_[i].kind == VariableKind::number || written_[i].kind == VariableKind::place;
      if (number && is_curved(model_.encoder.features()[columns[i].feature]))
        written_[i].kind = VariableKind::bend;
    }
    written_.insert(written_.end(), problem_.variables.begin() + static_cast<std::ptrdiff_t>(first_block_[0]),
                    problem_.variables.end());
  }

  void block_variables() {
    for (std::size_t l = 0; l < a_.layers.size(); ++l) {
      first_block_.push_back(problem_.variables.size());
      for (Index b = 0; b < a_.layers[l].blocks; ++b)
        problem_.variables.push_back({.name = block_name(l, b), .kind = VariableKind::block});
    }
    write_inputs();
  }

  double value(const TensorInfo& tensor, Index i) const {
    const double raw = model_.parameters[static_cast<std::size_t>(tensor.offset + i)];
    return tensor.sign == Sign::non_negative ? softplus(raw) : raw;
  }

  void read_layer(std::size_t l) {
    const std::vector<Term> terms = layer_terms(a_, l);
    const Expansions expansions{Expansion(terms, substitutions(written_, problem_.units)),
                                Expansion(terms, substitutions(written_, Units::standardised))};
    std::vector<Block>& blocks = problem_.layers.emplace_back();
    for (Index b = 0; b < a_.layers[l].blocks; ++b) {
      Block block{.name = block_name(l, b), .variable = first_block_[l] + static_cast<std::size_t>(b)};
      for (const HeadKind kind : kHeadKinds)
        for (Index h = 0; h < a_.layers[l].heads(kind); ++h)
          block.heads.push_back(
              read_head(l, kind, b * a_.layers[l].heads(kind) + h, h, block.name, expansions));
      carry(l, b, block);
      blocks.push_back(std::move(block));
    }
  }

  Head read_head(std::size_t l, HeadKind kind, Index row, Index number, const std::string& block,
                 const Expansions& expansions) const {
    const std::string prefix = fmt::format("layers/{}/{}/", l, letter(kind));
    const TensorInfo& weight = layout_.tensor(prefix + "weight");
    Head head{.name = fmt::format("{}.{}{}", block, letter(kind), number + 1),
              .kind = kind,
              .activation = a_.activation(kind),
              .lambda = value(layout_.tensor(prefix + "lambda"), row)};
    if (layout_.contains(prefix + "bias")) head.constant = value(layout_.tensor(prefix + "bias"), row);
    const double* weights = model_.parameters.data() + weight.offset + row * weight.cols;
    expansions.shown.combine(weights, head.constant, head.terms);
    double ignored = 0;
    std::vector<Monomial> standard;
    expansions.standardised.combine(weights, ignored, standard);
    set_sizes(standard, head.terms);
    gather_curves(model_.encoder, problem_, written_, variable_of_, head.terms);
    return head;
  }

  void carry(std::size_t l, Index b, Block& block) const {
    if (a_.skip != Skip::residual || l == 0) return;
    const std::string name = fmt::format("projections/{}", l);
    if (!layout_.contains(name)) {
      block.carried.push_back({first_block_[l - 1] + static_cast<std::size_t>(b), 1});
      return;
    }
    const TensorInfo& projection = layout_.tensor(name);
    for (Index k = 0; k < projection.cols; ++k)
      if (const double w = value(projection, b * projection.cols + k); w != 0)
        block.carried.push_back({first_block_[l - 1] + static_cast<std::size_t>(k), w});
  }

  void read_outputs() {
    const Index blocks = a_.layers.back().blocks;
    for (Index o = 0; o < a_.outputs; ++o) {
      Output output{.name = "U"};
      if (a_.form == Form::vector)
        output.name = fmt::format("U[{}={}]", classes_.name, classes_.labels[static_cast<std::size_t>(o)]);
      if (a_.readout.present && a_.readout.bias) output.constant = value(layout_.tensor("readout/bias"), o);
      for (Index b = 0; b < blocks; ++b) {
        const double w = a_.readout.present ? value(layout_.tensor("readout/weight"), o * blocks + b) : 1;
        output.blocks.push_back({first_block_.back() + static_cast<std::size_t>(b), w});
      }
      problem_.outputs.push_back(std::move(output));
    }
  }

  const StoredModel& model_;
  const Architecture& a_;
  const ClassNames& classes_;
  ParameterLayout layout_;
  Problem problem_;
  std::set<std::string> taken_;
  std::vector<Variable> written_;         // inputs and blocks, in which terms are first written
  std::vector<std::size_t> variable_of_;  // the problem's variable of each of them, of a product the first
  std::vector<std::size_t> first_block_;  // by layer: where its blocks stand among the variables
};

}  // namespace

Problem read_problem(const StoredModel& model, const ClassNames& classes, Units units) {
  return Reader(model, classes, units).read();
}

CurveMaps curve_maps(const StoredModel& model, const ClassNames& classes, Units units) {
  return Reader(model, classes, units).maps();
}

std::vector<double> problem_inputs(const Problem& problem, const double* features, const double* values,
                                   std::int32_t class_index) {
  std::vector<double> inputs;
  std::int32_t next_class = 0;
  for (const Variable& v : problem.variables) {
    if (v.kind == VariableKind::block) break;
    if (v.response && v.kind == VariableKind::level) {
      inputs.push_back(next_class++ == class_index ? 1 : 0);
      continue;
    }
    double encoded = v.response ? *values++ : *features++;
    features += v.bends.size();
    if (!v.pull.from.empty()) encoded = (unpulled(v.pull, encoded * v.scale + v.mean) - v.mean) / v.scale;
    const bool scaled = v.kind == VariableKind::number || v.kind == VariableKind::place;
    inputs.push_back(scaled && problem.units == Units::original ? encoded * v.scale + v.mean : encoded);
  }
  return inputs;
}

}  // namespace bl::explain

#include "engine/cuda/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bl/errors.hpp"
#include "engine/cuda/cuda.hpp"

namespace bl::cuda {

namespace {

int narrow(Index n) {
  return static_cast<int>(n);
}

// Hands out places for parameters and remembers which is which.
class Places {
 public:
  Places(PlannedModel& model, const ParameterLayout& layout) : model_(&model), layout_(&layout) {
    model.place.assign(static_cast<std::size_t>(layout.size()), -1);
  }

  // `count` columns from column `from` on of tensors that lie one after the other, `columns` wide.
  Piece piece(Index offset, Index rows, Index columns, Index from, Index count, Sign sign = Sign::free) {
    Piece out{.weight = size(), .stride = padded(narrow(count)), .count = narrow(count)};
    grow(rows * out.stride);
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < count; ++c)
        put(offset + r * columns + from + c, out.weight + narrow(r) * out.stride + narrow(c), sign);
    return out;
  }
  int vector(Index offset, Index count, Sign sign) {
    const int first = size();
    grow(padded(narrow(count)));
    for (Index i = 0; i < count; ++i) put(offset + i, first + narrow(i), sign);
    return first;
  }
  int size() const { return narrow(static_cast<Index>(model_->slots.size())); }

 private:
  void grow(Index count) { model_->slots.resize(model_->slots.size() + static_cast<std::size_t>(count)); }
  void put(Index parameter, int at, Sign sign) {
    const auto i = static_cast<std::size_t>(parameter);
    model_->place[i] = at;
    const bool free = layout_->free_mask().empty() || layout_->free_mask()[i];
    model_->slots[static_cast<std::size_t>(at)] = {free, sign == Sign::non_negative, 0};
  }

  PlannedModel* model_;
  const ParameterLayout* layout_;
};

const TensorInfo* find(const ParameterLayout& layout, TensorRole role, std::size_t l) {
  for (const TensorInfo& tensor : layout.tensors())
    if (tensor.role == role && tensor.layer == l) return &tensor;
  return nullptr;
}

// The tensors of one role of a layer lie one after the other, so the first says where all are.
void place_layer(const Architecture& a, const ParameterLayout& layout, std::size_t l, Plan& plan,
                 Places& places) {
  LayerPlan& out = plan.layer[l];
  const LayerSpec& spec = a.layers[l];
  out.blocks = narrow(spec.blocks);
  for (const HeadKind kind : kHeadKinds) {
    const auto k = static_cast<std::size_t>(kind);
    out.first[k] = out.heads;
    out.per_block[k] = narrow(spec.heads(kind));
    out.heads += out.per_block[k] * out.blocks;
    out.activation[k] = a.activation(kind);
  }
  const Index columns = layer_input_size(a, l);
  const Index weight = find(layout, TensorRole::weight, l)->offset;
  Index inputs = 0, reads = 0;
  if (l == 0) {
    inputs = plan.terms - plan.row_terms;
    out.inputs = places.piece(weight, out.heads, columns, plan.row_terms, inputs);
  } else {
    inputs = plan.reads_input ? a.input.size() : 0;
    reads = columns - inputs;
    out.inputs = places.piece(weight, out.heads, columns, 0, inputs);
    out.reads = places.piece(weight, out.heads, columns, inputs, reads);
  }
  if (const TensorInfo* bias = find(layout, TensorRole::bias, l))
    out.bias = places.vector(bias->offset, out.heads, Sign::free);
  out.lambda = places.vector(find(layout, TensorRole::lambda, l)->offset, out.heads, a.lambda);
  out.residual = a.skip == Skip::residual && l > 0;
  if (const TensorInfo* projection = find(layout, TensorRole::projection, l))
    out.projection =
        places.piece(projection->offset, projection->rows, projection->cols, 0, projection->cols);
}

void place_parameters(const Architecture& a, const ParameterLayout& layout, PlannedModel& model) {
  Plan& plan = model.plan;
  Places places(model, layout);
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    place_layer(a, layout, l, plan, places);
    LayerPlan& layer = plan.layer[l];
    layer.out = plan.blocks;
    layer.read = l == 0 || plan.dense ? 0 : plan.layer[l - 1].out;
    plan.blocks += layer.blocks;
  }
  const std::size_t last = a.layers.size() - 1;
  if (const TensorInfo* readout = find(layout, TensorRole::readout_weight, last))
    plan.readout =
        places.piece(readout->offset, readout->rows, readout->cols, 0, readout->cols, readout->sign);
  if (const TensorInfo* bias = find(layout, TensorRole::readout_bias, last))
    plan.readout_bias = places.vector(bias->offset, bias->rows, Sign::free);
  plan.resident = places.size();
  plan.layer[0].context = places.piece(find(layout, TensorRole::weight, 0)->offset, plan.layer[0].heads,
                                       plan.terms, 0, plan.row_terms);
  plan.parameters = places.size();
}

// Which terms there are, and how many of the first read nothing but the row.
void place_terms(const Architecture& a, bool split, PlannedModel& model) {
  Plan& plan = model.plan;
  const std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  plan.terms = narrow(static_cast<Index>(terms.size()));
  plan.first_input = terms[0][0];
  plan.single_factors = true;
  model.term_begin.push_back(0);
  bool leading = split;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    model.factors.insert(model.factors.end(), terms[t].begin(), terms[t].end());
    model.term_begin.push_back(narrow(static_cast<Index>(model.factors.size())));
    plan.single_factors = plan.single_factors && terms[t].size() == 1 &&
                          terms[t][0] == plan.first_input + narrow(static_cast<Index>(t));
    leading = leading && !reads_response(terms[t], a.input) &&
              (terms[t].size() == 1 && terms[t][0] == narrow(static_cast<Index>(t)));
    if (leading) ++plan.row_terms;
  }
}

void place_slabs(Plan& plan, bool apart, bool samples) {
  const auto slab = [&](int count) {
    const int first = plan.rows;
    plan.rows += count;
    return first;
  };
  const bool score = plan.kind != ObjectiveKind::likelihood || plan.source == Source::values;
  const int inputs = plan.terms - plan.row_terms, z = plan.context + plan.values + plan.classes;
  if (!apart) plan.row_features = slab(plan.row_terms);
  if (plan.row_terms > 0 && !samples) plan.row_heads = slab(plan.layer[0].heads);
  plan.features = slab(inputs);
  if (score) plan.features_dot = slab(inputs);
  if (plan.reads_input) plan.z = slab(z);
  if (plan.reads_input && score) plan.z_dot = slab(z);
  plan.s = slab(plan.blocks);
  plan.d_s = slab(plan.blocks);
  if (score && !samples) plan.s_dot = slab(plan.blocks);
  if (score && !samples) plan.d_s_dot = slab(plan.blocks);
  for (int l = 0; l < plan.layers; ++l) {
    LayerPlan& layer = plan.layer[l];
    layer.phi = slab(layer.heads);
    layer.slope = slab(layer.heads);
    if (score) layer.dot = samples ? layer.slope : slab(layer.heads);
  }
  const LayerPlan& last = plan.last();
  if (plan.readout.count > 0) {
    plan.out = slab(plan.outputs);
    plan.d_out = slab(plan.outputs);
    if (score && !samples) plan.out_dot = slab(plan.outputs);
  } else {
    plan.out = plan.s + last.out;
    plan.d_out = plan.d_s + last.out;
    plan.out_dot = plan.s_dot + last.out;
  }
  plan.value = slab(plan.values);
  if (score && !samples) plan.noise = slab(plan.values);
  if (plan.source == Source::random) plan.log_weight = slab(1);
  if (score) plan.residual = slab(plan.values);
  if (score && !samples) plan.direction = slab(plan.values);
}

}  // namespace

Source source_of(const Architecture& a, const ObjectiveSpec& spec, bool alternatives) {
  return alternatives             ? Source::alternatives
         : a.form == Form::vector ? Source::outputs
         : a.input.classes > 0    ? Source::classes
         : spec.random            ? Source::random
                                  : Source::nodes;
}

std::string why_processor_only(const Architecture& a, const ObjectiveSpec& spec) {
  if (spec.exact)
    return "the exact likelihood of one number is computed on the processor alone; another activation "
           "(`utility` = tanh) goes to the GPU";
  if (a.layers.size() > kMostLayers)
    return fmt::format("networks of more than {} layers, here {}, are computed on the processor alone",
                       kMostLayers, a.layers.size());
  return "";
}

PlannedModel plan_model(const Architecture& a, const ParameterLayout& layout, const ObjectiveSpec& spec,
                        Source source, int per_row, PlanUse use) {
  if (const std::string why = why_processor_only(a, spec); !why.empty()) throw UsageError(why);
  // Every member by name: a new one does not compile until it is used here or refused above. Sigma comes with
  // the noise, the rule with the rows.
  const auto& [kind, temperature, sigma, draws, label_smoothing, gamma_discrete, gamma_continuous, rule,
               exact, random] = spec;
  PlannedModel model;
  Plan& plan = model.plan;
  plan.layers = static_cast<int>(a.layers.size());
  plan.context = narrow(a.input.context);
  plan.values = narrow(a.input.values);
  plan.classes = narrow(a.input.classes);
  plan.outputs = narrow(a.outputs);
  plan.vector_form = a.form == Form::vector;
  plan.dense = a.skip == Skip::dense;
  plan.reads_input = a.layers.size() > 1 && (a.skip == Skip::input || a.skip == Skip::dense);
  plan.kind = kind;
  plan.source = source;
  plan.per_row = per_row;
  plan.draws = draws;
  plan.inverse_temperature = 1 / temperature;
  plan.gamma_discrete = gamma_discrete;
  plan.gamma_continuous = gamma_continuous;
  plan.smoothing = label_smoothing;
  place_terms(a, use.split || plan.most_per_row() > 1, model);
  place_parameters(a, layout, model);
  if (!use.apart) plan.resident = plan.parameters;
  place_slabs(plan, use.apart, use.samples);
  return model;
}

}  // namespace bl::cuda

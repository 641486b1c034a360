#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/text_parts.hpp"
#include "bl/errors.hpp"
#include "plan/number_plan.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"
#include "plan/wide_plan.hpp"

namespace bl {

namespace {

template <class Number>
std::vector<Number> number_list(const std::string& setting, const std::string& text, Number least) {
  std::vector<Number> numbers;
  if (text.find(",,") != std::string::npos)
    throw UsageError(
        fmt::format("`{}` = {}: a number is missing between two commas", setting, in_quotes(text)));
  for (const std::string& part : split_list(text)) {
    const auto value = number_of<Number>(part);
    if (!value || *value < least)
      throw UsageError(
          fmt::format("`{}` = {}: expected whole numbers from {} on, separated by commas, not {}", setting,
                      in_quotes(text), least, in_quotes(part)));
    numbers.push_back(*value);
  }
  return numbers;
}

// Degrees of the first layer's heads by kind.
std::array<std::vector<int>, 3> plan_heads(const Settings& s, bool monomials) {
  std::array<std::vector<int>, 3> degrees;
  std::vector<Index> counts = {1, 1, 1};
  if (s.heads != "auto") {
    counts = number_list<Index>("heads", s.heads, 0);
    if (counts.size() != 3)
      throw UsageError(fmt::format("`heads` = {}: expected three numbers, of U, C and T heads per block",
                                   in_quotes(s.heads)));
  } else if (s.single) {
    counts = {1, 3, 2};
  }
  const int degree = s.degree > 0 ? static_cast<int>(s.degree) : (monomials ? 2 : 1);
  for (std::size_t kind = 0; kind < 3; ++kind)
    degrees[kind].assign(static_cast<std::size_t>(counts[kind]), degree);
  const std::array<const std::string*, 3> given = {&s.degree_u.value(), &s.degree_c.value(),
                                                   &s.degree_t.value()};
  const std::array<const char*, 3> names = {"degree_u", "degree_c", "degree_t"};
  for (std::size_t kind = 0; kind < 3; ++kind)
    if (!given[kind]->empty()) degrees[kind] = number_list<int>(names[kind], *given[kind], 1);
  return degrees;
}

// "RM*MEDV" or "MEDV^2" as positions of z.
Term parse_term(const std::string& text, const std::vector<std::string>& names) {
  Term term;
  for (const std::string& factor : split_list(text, '*')) {
    const std::size_t caret = factor.rfind('^');
    int power = 1;
    std::string name = factor;
    if (caret != std::string::npos && std::find(names.begin(), names.end(), factor) == names.end()) {
      power = number_of<int>(std::string_view(factor).substr(caret + 1)).value_or(0);
      if (power < 1 || power > 64)
        throw UsageError(
            fmt::format("`terms`: the power in {} should be a whole number from 1 on", in_quotes(factor)));
      name = factor.substr(0, caret);
    }
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw UsageError(
          fmt::format("`terms`: no input is called {}{}", in_quotes(name), did_you_mean(name, names)));
    for (int k = 0; k < power; ++k) term.push_back(static_cast<std::int32_t>(found - names.begin()));
  }
  if (term.empty()) throw UsageError(fmt::format("`terms`: {} names no input", in_quotes(text)));
  std::sort(term.begin(), term.end());
  return term;
}

// Widths that did best on validation rows over the tables of experiments/tables.py.
std::vector<Index> automatic_layers(const Settings& s, Index train_rows, const UtilityInputs& inputs) {
  if (plans_wide(s, inputs, train_rows)) return {88, 42};
  if (inputs.bends > 0 && inputs.values == 0)
    return train_rows < 8000 ? std::vector<Index>{16} : std::vector<Index>{36, 6};
  if (inputs.single_continuous() && plans_exact_number(s)) return {16};
  if (inputs.single_continuous() && train_rows < 5000) return {128, 16};
  if (inputs.values > 0) return {36, 6};
  if (train_rows < 5000) return {36, 6};
  return {128, 16};
}

Activation activation_or(const std::string& chosen, Activation automatic) {
  return chosen == "auto" ? automatic : activation_from_name(chosen);
}

}  // namespace

// A head that multiplies two curves could not be read as a sum of them.
void refuse_products_of_curves(const Architecture& a, const Encoder& encoder) {
  const auto curved = [&](std::int32_t i) {
    if (i >= a.input.context) return false;
    const EncodedColumn& column = encoder.columns()[static_cast<std::size_t>(i)];
    const FeatureEncoding& feature = encoder.features()[column.feature];
    const bool in_product =
        std::any_of(encoder.products().begin(), encoder.products().end(), [&](const ProductEncoding& one) {
          return one.first == column.feature || one.second == column.feature;
        });
    return column.kind != EncodedColumn::Kind::indicator &&
           (feature.bends.size() > 0 || !feature.pull.from.empty() || in_product);
  };
  for (const Term& term : basis_terms(a.basis, a.input, a.degree()))
    if (factors_where(term, curved).size() > 1)
      throw UsageError(
          "curves, or far values pulled in, cannot be multiplied with each other by `degree` or `terms`: "
          "name "
          "their product in `curves`, for example age~*hours~, or give `curves` = none and `outliers` = "
          "plain");
}

UtilityInputs utility_inputs(const Encoder& encoder, const ResponseSpace& space) {
  UtilityInputs out{.context = static_cast<Index>(encoder.columns().size()),
                    .bends = static_cast<Index>(encoder.columns().size() - encoder.straight_columns()),
                    .components = std::count_if(encoder.columns().begin(), encoder.columns().end(),
                                                [](const EncodedColumn& column) {
                                                  return column.kind == EncodedColumn::Kind::component;
                                                }),
                    .values = space.values(),
                    .classes = space.classes()};
  for (const EncodedColumn& column : encoder.columns()) out.names.push_back(column.name);
  for (const std::size_t i : space.continuous_responses) out.names.push_back(encoder.responses()[i].name);
  for (const std::string& label : space.class_labels) out.names.push_back(space.class_name + "=" + label);
  return out;
}

Architecture plan_architecture(const Settings& s, const UtilityInputs& inputs, Index train_rows,
                               double memory) {
  const bool high_dimensional =
      inputs.context - inputs.bends > 256 || inputs.components > 0 || inputs.classes > 20;
  bool vector_form = s.form == "vector";
  if (s.form == "auto") vector_form = inputs.classes > 0 && high_dimensional && !s.single && !s.identifiable;
  if (vector_form && inputs.classes == 0)
    throw UsageError("`form` = 'vector' needs a class response; use scalar");
  if (s.single && s.layers != "auto")
    throw UsageError("`single` and `layers` exclude each other; give one of them");
  Architecture a;
  a.input = {.context = inputs.context, .values = inputs.values, .classes = vector_form ? 0 : inputs.classes};
  a.form = vector_form ? Form::vector : Form::scalar;
  a.outputs = vector_form ? inputs.classes : 1;

  const bool monomials = s.degree > 1 || ((s.single || s.identifiable) && s.degree == 0) ||
                         !s.degree_u.empty() || !s.degree_c.empty() || !s.degree_t.empty();
  a.basis.kind = monomials ? BasisKind::monomials : BasisKind::affine;
  if (!s.terms.empty()) {
    if (s.degree > 1)
      throw UsageError("`terms` and `degree` exclude each other: terms are added to the affine ones");
    a.basis.kind = BasisKind::affine_plus;
    const std::vector<std::string> names(inputs.names.begin(),
                                         inputs.names.begin() + static_cast<std::ptrdiff_t>(a.input.size()));
    for (const std::string& term : split_list(s.terms)) a.basis.extra.push_back(parse_term(term, names));
  }
  const auto degrees = plan_heads(s, a.basis.kind == BasisKind::monomials);
  const std::vector<Index> widths = s.single             ? std::vector<Index>{1}
                                    : s.layers == "auto" ? automatic_layers(s, train_rows, inputs)
                                                         : number_list<Index>("layers", s.layers, 1);
  if (widths.empty()) throw UsageError("`layers` names no layer; give for example 5,3,1");
  for (std::size_t l = 0; l < widths.size(); ++l) {
    LayerSpec layer{.blocks = widths[l], .degrees = degrees};
    if (l > 0)
      for (auto& kind : layer.degrees) std::fill(kind.begin(), kind.end(), 1);
    a.layers.push_back(std::move(layer));
  }
  if (s.skip == "input") a.skip = Skip::input;
  if (s.skip == "dense") a.skip = Skip::dense;
  if (s.skip == "residual") a.skip = Skip::residual;
  const bool exact = inputs.single_continuous() && plans_exact_number(s);
  const bool square = inputs.values > 0 && !exact;
  a.activations = {activation_or(s.utility, exact ? Activation::clip : Activation::tanh),
                   activation_or(s.inequality, Activation::relu),
                   activation_or(s.equality, square ? Activation::square : Activation::abs)};
  a.lambda = s.lambda == "free" ? Sign::free : Sign::non_negative;
  a.readout.present = !s.single;
  a.readout.bias = s.readout_bias;
  a.readout.sign =
      s.readout == "free" || (s.readout == "auto" && vector_form) ? Sign::free : Sign::non_negative;
  if (s.identifiable) {
    if (s.utility != "auto" || s.inequality != "auto" || s.equality != "auto" || s.readout_bias)
      throw UsageError(
          "`identifiable` fixes the activations and leaves out the readout bias; drop those settings");
    a = identifiable(std::move(a));
  }
  validate(a, memory);
  return a;
}

}  // namespace bl

#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "plan/number_plan.hpp"
#include "plan/table_plan.hpp"
#include "plan/wide_plan.hpp"

namespace bl {

namespace {

template <class Number>
std::vector<Number> number_list(const std::string& setting, const std::string& text, Number least) {
  std::vector<Number> numbers;
  if (text.find(",,") != std::string::npos)
    throw UsageError(
        fmt::format("{} = {}: a number is missing between two commas", setting, in_quotes(text)));
  for (const std::string& part : split_list(text)) {
    Number value{};
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value < least)
      throw UsageError(fmt::format("{} = {}: expected whole numbers from {} on, separated by commas, not {}",
                                   setting, in_quotes(text), least, in_quotes(part)));
    numbers.push_back(value);
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
      throw UsageError(fmt::format("heads = {}: expected three numbers, of U, C and T heads per block",
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
      const std::string digits = factor.substr(caret + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
      if (error != std::errc() || end != digits.data() + digits.size() || power < 1 || power > 64)
        throw UsageError(
            fmt::format("terms: the power in {} should be a whole number from 1 on", in_quotes(factor)));
      name = factor.substr(0, caret);
    }
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw UsageError(
          fmt::format("terms: no input is called {}{}", in_quotes(name), did_you_mean(name, names)));
    for (int k = 0; k < power; ++k) term.push_back(static_cast<std::int32_t>(found - names.begin()));
  }
  if (term.empty()) throw UsageError(fmt::format("terms: {} names no input", in_quotes(text)));
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

// A network for a number that is left to the defaults, learned step by step.
bool automatic_for_number(const Settings& s, bool single_continuous) {
  return single_continuous && s.layers == "auto" && s.optimizer == "auto" && s.starts == 0 && !s.single &&
         !s.identifiable;
}

Activation activation_or(const std::string& chosen, Activation automatic) {
  return chosen == "auto" ? automatic : activation_from_name(chosen);
}

}  // namespace

double automatic_decay(double train_rows) {
  return std::min(0.5, 177 / train_rows);
}

bool has_bends(const Encoder& encoder) {
  return encoder.straight_columns() < encoder.columns().size();
}

// A head that multiplies two curves could not be read as a sum of them.
void refuse_products_of_curves(const Architecture& a, const Encoder& encoder) {
  const auto curved = [&](std::int32_t i) {
    if (i >= a.input.context) return false;
    const EncodedColumn& column = encoder.columns()[static_cast<std::size_t>(i)];
    const FeatureEncoding& feature = encoder.features()[column.feature];
    return column.kind != EncodedColumn::Kind::indicator &&
           (feature.bends.size() > 0 || !feature.pull.from.empty());
  };
  for (const Term& term : basis_terms(a.basis, a.input, a.degree()))
    if (std::count_if(term.begin(), term.end(), curved) > 1)
      throw UsageError(
          "curves, or far values pulled in, cannot be multiplied with each other: give `degree` 1 and terms "
          "of "
          "other columns, or `curves` = none and `outliers` = plain");
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

Architecture plan_architecture(const Settings& s, const UtilityInputs& inputs, Index train_rows) {
  const bool high_dimensional =
      inputs.context - inputs.bends > 256 || inputs.components > 0 || inputs.classes > 20;
  bool vector_form = s.form == "vector";
  if (s.form == "auto") vector_form = inputs.classes > 0 && high_dimensional && !s.single && !s.identifiable;
  if (vector_form && inputs.classes == 0)
    throw UsageError("form = 'vector' needs a class response; use scalar");
  if (s.single && s.layers != "auto")
    throw UsageError("single and layers exclude each other; give one of them");
  Architecture a;
  a.input = {.context = inputs.context, .values = inputs.values, .classes = vector_form ? 0 : inputs.classes};
  a.form = vector_form ? Form::vector : Form::scalar;
  a.outputs = vector_form ? inputs.classes : 1;

  const bool monomials = s.degree > 1 || ((s.single || s.identifiable) && s.degree == 0) ||
                         !s.degree_u.empty() || !s.degree_c.empty() || !s.degree_t.empty();
  a.basis.kind = monomials ? BasisKind::monomials : BasisKind::affine;
  if (!s.terms.empty()) {
    if (s.degree > 1)
      throw UsageError("terms and degree exclude each other: terms are added to the affine ones");
    a.basis.kind = BasisKind::affine_plus;
    const std::vector<std::string> names(inputs.names.begin(),
                                         inputs.names.begin() + static_cast<std::ptrdiff_t>(a.input.size()));
    for (const std::string& term : split_list(s.terms)) a.basis.extra.push_back(parse_term(term, names));
  }
  const auto degrees = plan_heads(s, a.basis.kind == BasisKind::monomials);
  const std::vector<Index> widths = s.single             ? std::vector<Index>{1}
                                    : s.layers == "auto" ? automatic_layers(s, train_rows, inputs)
                                                         : number_list<Index>("layers", s.layers, 1);
  if (widths.empty()) throw UsageError("layers names no layer; give for example 5,3,1");
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
          "identifiable fixes the activations and leaves out the readout bias; drop those settings");
    a = identifiable(std::move(a));
  }
  validate(a);
  return a;
}

Index automatic_members(const Settings& s, const Encoder& encoder, Index train_rows) {
  const auto& responses = encoder.responses();
  const bool single_continuous = responses.size() == 1 && !responses[0].is_class();
  if (single_continuous && plans_exact_number(s) && train_rows < static_cast<Index>(kFewRowsForNumber))
    return 8;
  const bool classes = std::all_of(responses.begin(), responses.end(),
                                   [](const ResponseEncoding& response) { return response.is_class(); });
  return classes && has_bends(encoder) && train_rows >= 10000 ? 2 : 4;
}

Index plan_members(const Settings& s, const Architecture& a, Index automatic) {
  const bool alone = !a.readout.present || s.identifiable || s.optimizer == "lbfgs";
  if (s.members > 1 && alone)
    throw UsageError(
        "several members are for layers learned by a stochastic optimizer; single, identifiable and lbfgs "
        "have one");
  if (s.members > 0) return s.members;
  return alone || s.layers != "auto" ? 1 : automatic;
}

double plan_readout_unit(const Settings& s, bool single_continuous) {
  if (single_continuous && plans_exact_number(s)) return 3;
  return automatic_for_number(s, single_continuous) ? 10 : 1;
}

int plan_starts(const Settings& s, const Architecture& a) {
  constexpr Index kMostParameters = 500;
  constexpr int kStarts = 8;
  if (s.starts > 0 && s.optimizer != "auto" && s.optimizer != "lbfgs")
    throw UsageError("starts are for fits to the minimum by lbfgs; leave out starts or optimizer");
  if (s.starts > 0) return static_cast<int>(s.starts);
  const bool small = ParameterLayout(a).free_count() <= kMostParameters;
  return s.identifiable && s.optimizer == "auto" && small ? kStarts : 0;
}

Support plan_support(const Settings& s, const Encoder& encoder, const ResponseSpace& space,
                     const Matrix<double>& train_values) {
  // Encoded responses have standard deviation 1. On a logarithmic axis tails are long: of a Cauchy distribution,
  // one row in forty of another sample's largest lies beyond three.
  // Where the normaliser is exact a wide support costs nothing, and a row far from all others keeps a density.
  constexpr double kWider = 3, kWiderWhereExact = 10;
  const bool exact = space.single_continuous() && plans_exact_number(s);
  Support support;
  const auto given = s.support == "auto" ? std::vector<std::string>{} : split_list(s.support);
  if (!given.empty() && given.size() != space.continuous_responses.size())
    throw UsageError(fmt::format("support = {}: expected {} ranges low:high, one per continuous response",
                                 in_quotes(s.support), space.continuous_responses.size()));
  for (std::size_t k = 0; k < space.continuous_responses.size(); ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index i = 0; i < train_values.rows(); ++i) {
      low = std::min(low, train_values(i, static_cast<Index>(k)));
      high = std::max(high, train_values(i, static_cast<Index>(k)));
    }
    const ResponseEncoding& response = encoder.responses()[space.continuous_responses[k]];
    const std::vector<Slot> slots = encoded_slots(response);
    // An end that lies in a point mass is the end of its slot: nothing lies beyond the lowest or highest one.
    const auto outer = [&](double end, double otherwise, double Slot::*side) {
      for (const Slot& slot : slots)
        if (end >= slot.lower && end <= slot.upper) return slot.*side;
      return otherwise;
    };
    if (given.empty()) {
      const bool whole = response.number.whole_numbers;
      const double wider = exact ? kWiderWhereExact : kWider;
      support.lower.push_back(whole ? slots.front().lower : outer(low, low - wider, &Slot::lower));
      support.upper.push_back(whole ? slots.back().upper : outer(high, high + wider, &Slot::upper));
      continue;
    }
    const auto ends = split_list(given[k], ':');
    double from = 0, to = 0;
    const auto reads = [](const std::string& text, double& value) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
    };
    if (ends.size() != 2 || !reads(ends[0], from) || !reads(ends[1], to) || !(from < to))
      throw UsageError(
          fmt::format("support: {} should be low:high, finite, with low < high", in_quotes(given[k])));
    support.lower.push_back(outer(response.encode(from), response.encode(from), &Slot::lower));
    support.upper.push_back(outer(response.encode(to), response.encode(to), &Slot::upper));
    // In single precision, in which the rows may have been encoded: a row exactly on an end is inside.
    if (static_cast<float>(low) < static_cast<float>(support.lower.back()) ||
        static_cast<float>(high) > static_cast<float>(support.upper.back()))
      throw DataError(fmt::format(
          "the support {} of '{}' leaves out training rows, which range from {} to {}", given[k],
          response.name, format_number(response.decode(low)), format_number(response.decode(high))));
  }
  return support;
}

std::vector<double> repeated_values(const Matrix<double>& train_values) {
  constexpr Index kOften = 5, kShare = 200;  // times, and once in so many rows
  constexpr std::size_t kMost = 100;
  if (train_values.cols() != 1) return {};
  std::vector<double> sorted(train_values.flat().begin(), train_values.flat().end());
  std::sort(sorted.begin(), sorted.end());
  const auto often = static_cast<std::ptrdiff_t>(std::max(kOften, train_values.rows() / kShare));
  std::vector<std::pair<std::ptrdiff_t, double>> found;  // minus the count, value
  for (auto from = sorted.begin(); from != sorted.end();) {
    const auto to = std::upper_bound(from, sorted.end(), *from);
    if (to - from >= often) found.emplace_back(from - to, *from);
    from = to;
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kMost) found.resize(kMost);
  std::vector<double> values;
  for (const auto& [count, value] : found) values.push_back(value);
  return values;
}

ObjectiveSpec plan_objective(const Settings& s, const ResponseSpace& space, const Support& support,
                             const std::vector<double>& repeated, NormaliserUse use) {
  ObjectiveSpec spec;
  spec.temperature = s.temperature;
  spec.sigma = s.sigma;
  spec.draws = static_cast<int>(s.draws);
  if (use == NormaliserUse::training) spec.label_smoothing = s.label_smoothing;
  spec.gamma_discrete = s.gamma_d;
  spec.gamma_continuous = s.gamma_c;
  const bool mixed = space.classes() > 0 && space.values() > 0;
  const std::string kind = s.objective != "auto" ? s.objective.value()
                           : mixed               ? "hybrid"
                           : space.values() > 2  ? "dsm"
                                                 : "likelihood";
  if (mixed && kind != "hybrid")
    throw UsageError("class and continuous responses together are learned by the hybrid objective");
  if (kind == "hybrid" && !mixed)
    throw UsageError("the hybrid objective needs a class and a continuous response");
  if (kind == "dsm" && space.values() == 0)
    throw UsageError("score matching (dsm) needs a continuous response; use likelihood");
  spec.kind = kind == "hybrid" ? ObjectiveKind::hybrid
              : kind == "dsm"  ? ObjectiveKind::score_matching
                               : ObjectiveKind::likelihood;
  if (spec.kind == ObjectiveKind::likelihood && space.values() > 0) {
    const int automatic = space.values() == 1 ? 16 : 5;
    int panels = s.panels > 0 ? static_cast<int>(s.panels) : automatic;
    if (use == NormaliserUse::judging) panels = judging_panels(panels, space.values());
    spec.rule = repeated.empty() ? composite_rule(support, panels) : anchored_rule(support, panels, repeated);
  }
  return spec;
}

std::vector<double> plan_decay(const Architecture& a, const Encoder& encoder, double of_weights,
                               double of_bends) {
  const ParameterLayout layout(a);
  const std::vector<Term> first = basis_terms(a.basis, a.input, a.degree());
  const auto& columns = encoder.columns();
  const auto bent = [&](std::int32_t i) {
    return i < a.input.context && columns[static_cast<std::size_t>(i)].kind == EncodedColumn::Kind::bend;
  };
  std::vector<double> decay(static_cast<std::size_t>(layout.size()), 0);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (!tensor.decays()) continue;
    const bool reads_inputs = tensor.role == TensorRole::weight &&
                              (tensor.layer == 0 || a.skip == Skip::input || a.skip == Skip::dense);
    for (Index i = 0; i < tensor.size(); ++i) {
      const Index column = i % tensor.cols;
      Term term;
      if (reads_inputs && tensor.layer == 0) term = first[static_cast<std::size_t>(column)];
      if (reads_inputs && tensor.layer > 0 && column < a.input.size())
        term = {static_cast<std::int32_t>(column)};
      decay[static_cast<std::size_t>(tensor.offset + i)] =
          std::any_of(term.begin(), term.end(), bent) ? of_bends : of_weights;
    }
  }
  return decay;
}

TrainSpec plan_training(const Settings& s, Index train_rows, bool single_continuous, bool curves) {
  TrainSpec spec;
  const bool exact = single_continuous && plans_exact_number(s);
  const bool decays = s.weight_decay < 0 && automatic_for_number(s, single_continuous);
  spec.optimizer.kind = optimizer_from_name(s.optimizer != "auto" ? s.optimizer.value()
                                            : decays || curves    ? "adamw"
                                                                  : "adam");
  const bool lbfgs = spec.optimizer.kind == OptimizerKind::lbfgs;
  const bool sgd = spec.optimizer.kind == OptimizerKind::sgd;
  spec.optimizer.learning_rate = s.learning_rate > 0 ? s.learning_rate : sgd ? 0.1 : 0.01;
  spec.optimizer.weight_decay =
      decays ? automatic_decay(static_cast<double>(train_rows)) : std::max(0.0, s.weight_decay.value());
  spec.optimizer.momentum = s.momentum;
  const auto rows = static_cast<double>(train_rows);
  spec.batch_size =
      s.batch_size > 0 ? s.batch_size.value() : std::clamp<std::int64_t>(train_rows / 100, 32, 256);
  const double steps_per_epoch = std::ceil(rows / static_cast<double>(spec.batch_size));
  const auto epochs_of = [&](double steps, std::int64_t least, std::int64_t most) {
    return std::clamp(static_cast<std::int64_t>(steps / steps_per_epoch), least, most);
  };
  spec.epochs = s.epochs > 0 ? s.epochs.value()
                : lbfgs      ? 2000
                : exact      ? epochs_of(4000, 30, 400)
                             : epochs_of(60000, 100, 1000);
  spec.patience = s.patience > 0 ? s.patience.value() : lbfgs ? 0 : exact ? 60 : 20;
  spec.clip_norm = s.clip_norm;
  spec.schedule = s.schedule != "auto" ? schedule_from_name(s.schedule)
                  : exact              ? ScheduleKind::cosine
                                       : ScheduleKind::plateau;
  spec.gradient_tolerance = s.gradient_tolerance;
  spec.average = s.average;
  spec.sigma_final = s.sigma_final;
  spec.time_limit = s.time_limit;
  spec.seed = static_cast<std::uint64_t>(s.seed);
  return spec;
}

}  // namespace bl

#include "plan/curve_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "base/text_parts.hpp"
#include "bl/errors.hpp"
#include "features/column_kind.hpp"
#include "plan/number_plan.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"

namespace bl {

namespace {

// Every column as a curve by default: a network for classes or one number that is left to the defaults.
// Images and other wide tables are learned without.
bool automatic_curves(const Settings& s, const Schema& schema) {
  constexpr std::size_t kMostColumns = 256;
  const auto responses = schema.with_role(Role::response);
  const bool classes = std::all_of(responses.begin(), responses.end(),
                                   [](const SchemaColumn* column) { return facts(column->type).levels; });
  return !coefficients_are_read(s) && s.layers == "auto" && s.form != "vector" && s.optimizer != "lbfgs" &&
         schema.with_role(Role::feature).size() <= kMostColumns && !responses.empty() &&
         (classes || (responses.size() == 1 && plans_exact_number(s)));
}

std::vector<std::string> numeric_features(const Schema& schema) {
  std::vector<std::string> names;
  for (const SchemaColumn* column : schema.with_role(Role::feature))
    if (facts(column->type).line) names.push_back(column->name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "hour:periodic:24" as the column and what stands after it; a column may hold colons itself.
struct Entry {
  std::string column, rest;
};
Entry entry_of(const std::string& text, const std::vector<std::string>& names) {
  for (std::size_t end = text.size(); end != std::string::npos && end > 0; end = text.rfind(':', end - 1))
    if (contains(names, text.substr(0, end)))
      return {text.substr(0, end), end < text.size() ? text.substr(end + 1) : ""};
  const std::size_t colon = text.find(':');
  return {text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)};
}

// "age~*hours~" as its two columns; nothing for an entry that multiplies none. Columns may hold stars
// themselves.
using ColumnPair = std::pair<std::string, std::string>;
std::optional<ColumnPair> pair_of(const std::string& text, const std::vector<std::string>& names) {
  constexpr std::string_view kTimes = "~*";
  std::optional<ColumnPair> pair;
  if (contains(names, text)) return pair;
  for (std::size_t at = text.find(kTimes); at != std::string::npos; at = text.find(kTimes, at + 1)) {
    const std::string rest = text.substr(at + kTimes.size());
    ColumnPair one = {text.substr(0, at), rest.ends_with('~') ? rest.substr(0, rest.size() - 1) : rest};
    const bool known = contains(names, one.first) && contains(names, one.second);
    if (known || !pair) pair = std::move(one);
    if (known) break;
  }
  return pair;
}

[[noreturn]] void no_feature(const char* setting, const std::string& name,
                             const std::vector<std::string>& names) {
  throw UsageError(fmt::format("`{}`: {} is no continuous or ordinal feature{}", setting, in_quotes(name),
                               did_you_mean(name, names)));
}

[[noreturn]] void fail_entry(const Entry& entry, const std::string& what) {
  throw UsageError(fmt::format("`curves`: {}: {}", in_quotes(entry.column), what));
}

double period_of(const Entry& entry, const std::string& text) {
  const auto period = number_of<double>(text);
  if (!period) fail_entry(entry, "a periodic curve needs its period, for example hour:periodic:24");
  return *period;
}

// "cubic", "periodic:24", "increasing", "step:decreasing:buy".
CurveShape shape_of(const Entry& entry) {
  CurveShape shape;
  std::vector<std::string> parts = split_list(entry.rest, ':');
  std::size_t at = 0;
  if (const auto kind = at < parts.size() ? parse_curve_kind(parts[at]) : std::nullopt) {
    shape.kind = *kind;
    ++at;
    if (shape.kind == CurveKind::periodic)
      shape.period = period_of(entry, at < parts.size() ? parts[at++] : "");
  }
  if (at < parts.size() && (parts[at] == "increasing" || parts[at] == "decreasing")) {
    shape.direction = parts[at++] == "increasing" ? 1 : -1;
    for (; at < parts.size(); ++at) shape.toward += (shape.toward.empty() ? "" : ":") + parts[at];
  }
  if (at < parts.size())
    fail_entry(entry, fmt::format("{} is no kind of curve; it can be {}, increasing or decreasing",
                                  in_quotes(parts[at]), quoted_list(curve_kind_names())));
  return shape;
}

// What no curve can be.
void check_shape(const std::string& column, const CurveShape& shape) {
  const auto fail = [&](const std::string& what) {
    throw UsageError(fmt::format("the curve of {}: {}", in_quotes(column), what));
  };
  const bool periodic = shape.kind == CurveKind::periodic;
  if (periodic && !(std::isfinite(shape.period) && shape.period > 0)) fail("the period should be positive");
  if (shape.direction != 0 && (periodic || shape.kind == CurveKind::cubic))
    fail("a spline cannot be held to one direction; make it linear or step");
  const auto& knots = shape.knots;
  if (knots.empty()) return;
  if (knots.size() < (shape.kind == CurveKind::step ? 2U : 3U))
    fail("it takes three knots or more (steps: two)");
  if (std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) != knots.end())
    fail("knots should be ascending");
  if (periodic && !(knots.back() - knots.front() < shape.period)) fail("knots should lie within one period");
}

// A product stands beside the curves of its two columns.
void add_product(const ColumnPair& pair, const std::vector<std::string>& names, CurveOptions& curves) {
  for (const std::string& name : {pair.first, pair.second}) {
    if (!contains(names, name)) no_feature("curves", name, names);
    curves.columns.push_back(name);
  }
  if (pair.first == pair.second)
    throw UsageError(
        fmt::format("`curves`: {} is multiplied with itself; its curve says all that such a product could",
                    in_quotes(pair.first)));
  for (const ColumnPair& one : curves.products)
    if (one == pair || one == ColumnPair(pair.second, pair.first))
      throw UsageError(
          fmt::format("`curves`: the product {} stands there twice", product_name(pair.first, pair.second)));
  curves.products.push_back(pair);
}

// What a product says of a column may rise or fall.
void refuse_directed_products(const CurveOptions& curves) {
  for (const ColumnPair& pair : curves.products)
    for (const std::string& name : {pair.first, pair.second})
      if (curves.shape(name).direction != 0)
        throw UsageError(fmt::format("`curves`: {} has a direction, which the product {} would not keep",
                                     in_quotes(name), product_name(pair.first, pair.second)));
}

void read_curve_list(const Settings& s, const Schema& schema, CurveOptions& curves) {
  const std::vector<std::string> names = numeric_features(schema);
  for (const std::string& text : split_list(s.curves)) {
    if (text == "auto") curves.all |= automatic_curves(s, schema);
    if (text == "all") curves.all = true;
    if (text == "auto" || text == "all" || text == "none") continue;
    if (const auto pair = pair_of(text, names)) {
      add_product(*pair, names, curves);
      continue;
    }
    const Entry entry = entry_of(text, names);
    if (!contains(names, entry.column)) no_feature("curves", entry.column, names);
    curves.columns.push_back(entry.column);
    if (!entry.rest.empty()) curves.shapes[entry.column] = shape_of(entry);
  }
}

// The encoded columns of a feature that its heads read: the bends, or the straight part where there are none.
std::vector<std::int32_t> read_inputs(const Encoder& encoder, std::size_t feature) {
  const bool bent = encoder.features()[feature].bends.size() > 0;
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const EncodedColumn& column = encoder.columns()[i];
    if (column.feature == feature && (bent ? column.kind == EncodedColumn::Kind::bend : column.line()))
      out.push_back(static_cast<std::int32_t>(i));
  }
  return out;
}

// Straight parts of curves that go without.
std::set<std::int32_t> left_out_lines(const Encoder& encoder) {
  std::set<std::int32_t> out;
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const EncodedColumn& column = encoder.columns()[i];
    const Bends& bends = encoder.features()[column.feature].bends;
    if (column.line() && bends.size() > 0 && !bends.line) out.insert(static_cast<std::int32_t>(i));
  }
  return out;
}

// The direction of each input that has one.
std::map<std::int32_t, const FeatureDirection*> directed_inputs(
    const Encoder& encoder, const std::vector<FeatureDirection>& directions) {
  std::map<std::int32_t, const FeatureDirection*> out;
  for (const FeatureDirection& one : directions)
    for (const std::int32_t input : read_inputs(encoder, one.feature)) out[input] = &one;
  return out;
}

// Its factors that stand among these inputs.
Term factors_among(const Term& term, const auto& inputs) {
  return factors_where(term, [&](std::int32_t i) { return inputs.contains(i); });
}

}  // namespace

bool coefficients_are_read(const Settings& s) {
  return s.single || s.identifiable || s.starts > 0 || !s.terms.empty() || s.degree > 0 ||
         !s.degree_u.empty() || !s.degree_c.empty() || !s.degree_t.empty();
}

CurveOptions curve_options(const Settings& s, const Schema& schema, const ColumnSettings& columns) {
  constexpr Index kFew = 6;
  const bool few = !s.knots.given() && coefficients_are_read(s);
  CurveOptions curves{.knots = few ? kFew : static_cast<Index>(s.knots),
                      .straight_ends = s.curve_ends == "straight"};
  const std::vector<std::string> names = numeric_features(schema);
  for (const auto& [name, column] : columns) {
    const SchemaColumn* known = schema.find(name);
    if (!column.curve || s.curves == "none" || known == nullptr || known->role != Role::feature) continue;
    if (!contains(names, name)) no_feature("curve", name, names);
    curves.columns.push_back(name);
    curves.shapes[name] = *column.curve;
  }
  read_curve_list(s, schema, curves);
  for (const auto& [name, shape] : curves.shapes) check_shape(name, shape);
  refuse_directed_products(curves);
  return curves;
}

std::string entries_of_columns(const std::string& list, const std::vector<std::string>& kept) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ",") + text; };
  for (const std::string& text : split_list(list)) {
    if (const auto pair = pair_of(text, kept)) {
      const bool first = contains(kept, pair->first), second = contains(kept, pair->second);
      if (first || second) add(first && second ? text : first ? pair->first : pair->second);
    } else if (text == "all" || text == "auto" || contains(kept, entry_of(text, kept).column)) {
      add(text);
    }
  }
  return out;
}

std::vector<FeatureDirection> feature_directions(const CurveOptions& curves, const Encoder& encoder,
                                                 const ResponseSpace& space) {
  std::vector<FeatureDirection> out;
  for (std::size_t f = 0; f < encoder.features().size(); ++f) {
    const FeatureEncoding& feature = encoder.features()[f];
    const CurveShape& shape = curves.shape(feature.name);
    if (shape.direction == 0 || !feature.has_value) continue;
    if (space.values() > 0 || space.classes() == 0)
      throw UsageError(fmt::format(
          "the curve of {}: directions are for the probability of a class, and the response is a number",
          in_quotes(feature.name)));
    if (shape.toward.empty() && space.classes() > 2)
      throw UsageError(fmt::format("the curve of {}: name the class that is meant, increasing:{}",
                                   in_quotes(feature.name), space.class_labels.back()));
    const auto& labels = space.class_labels;
    const auto at =
        std::find(labels.begin(), labels.end(), shape.toward.empty() ? labels.back() : shape.toward);
    if (at == labels.end())
      throw UsageError(fmt::format("the curve of {}: {} is no class of the response{}",
                                   in_quotes(feature.name), in_quotes(shape.toward),
                                   did_you_mean(shape.toward, labels)));
    out.push_back(
        {.feature = f, .direction = shape.direction, .toward = static_cast<Index>(at - labels.begin())});
  }
  return out;
}

void require_steps(const std::vector<FeatureDirection>& directions, bool to_minimum) {
  if (to_minimum && !directions.empty())
    throw UsageError(
        "directions of columns are kept by steps: give `optimizer` adamw, and no `starts`, in place of a fit "
        "to "
        "the minimum");
}

Architecture with_curve_terms(const Settings& s, Architecture a, const Encoder& encoder,
                              const std::vector<FeatureDirection>& directions, bool to_minimum) {
  const std::set<std::int32_t> lines = left_out_lines(encoder);
  const auto directed = directed_inputs(encoder, directions);
  const bool held = a.basis.kind == BasisKind::affine && !to_minimum;
  const bool own_degree = s.degree == 0 && s.degree_u.empty() && s.degree_c.empty() && s.degree_t.empty();
  const bool products =
      a.basis.kind == BasisKind::monomials && own_degree && !a.basis.response_only && has_bends(encoder);
  if (directed.empty() && !products && (lines.empty() || held)) return a;
  if (a.skip == Skip::input || a.skip == Skip::dense)
    throw UsageError("periodic curves, steps and directions of columns need `skip` none or residual");
  if (a.form == Form::vector)
    throw UsageError("periodic curves, steps and directions of columns need `form` scalar");
  std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  std::erase_if(terms, [&](const Term& term) {
    const bool two = factors_where(term, [&](std::int32_t i) { return i < a.input.context; }).size() > 1;
    return !factors_among(term, lines).empty() || !factors_among(term, directed).empty() || (products && two);
  });
  for (const auto& [input, direction] : directed)
    for (Index k = 0; k < a.input.classes; ++k)
      terms.push_back({input, static_cast<std::int32_t>(a.input.context + a.input.values + k)});
  a.basis.kind = BasisKind::listed;
  a.basis.extra = std::move(terms);
  for (auto& kind : a.layers.front().degrees) std::fill(kind.begin(), kind.end(), 1);
  validate(a);
  return a;
}

std::vector<Bound> curve_bounds(const Architecture& a, const Encoder& encoder,
                                const std::vector<FeatureDirection>& directions) {
  const std::set<std::int32_t> lines = left_out_lines(encoder);
  const auto directed = directed_inputs(encoder, directions);
  if (lines.empty() && directed.empty()) return {};
  const auto movement = [&](const Term& term) {
    if (!factors_among(term, lines).empty()) return Movement::held;
    const Term found = factors_among(term, directed);
    if (found.empty()) return Movement::none;
    const FeatureDirection& one = *directed.at(found[0]);
    return (parts_of(term, a.input).class_index == one.toward) == (one.direction > 0) ? Movement::up
                                                                                      : Movement::down;
  };
  std::vector<Bound> bounds = monotone_bounds(a, movement);
  const bool any = std::any_of(bounds.begin(), bounds.end(), [](Bound one) { return one != Bound::none; });
  return any ? bounds : std::vector<Bound>{};
}

}  // namespace bl

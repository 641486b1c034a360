#include "explain/factor_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bl/errors.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr std::size_t kMostTerms = 5, kMostVariables = 4;

// A form's coefficients: [0] the constant, then one for each variable.
using Signs = std::array<int, kMostVariables + 1>;

// Every form of -1, 0, 1 over `variables` that has a variable and starts with a positive sign: the other sign
// is the scale's.
std::vector<Signs> all_forms(std::size_t variables) {
  std::vector<Signs> forms;
  int count = 1;
  for (std::size_t i = 0; i <= variables; ++i) count *= 3;
  for (int code = 0; code < count; ++code) {
    Signs signs{};
    int rest = code;
    for (std::size_t i = 0; i <= variables; ++i, rest /= 3) signs[i] = rest % 3 - 1;
    const auto lead = std::find_if(signs.begin(), signs.end(), [](int s) { return s != 0; });
    const bool has_variable = std::any_of(signs.begin() + 1, signs.end(), [](int s) { return s != 0; });
    if (has_variable && *lead > 0) forms.push_back(signs);
  }
  return forms;
}

// Where the coefficient of z_i z_j (i <= j, 0 the constant) stands.
constexpr std::size_t kCorners = kMostVariables + 1;
using Quadratic = std::array<double, kCorners * kCorners>;

class Search {
 public:
  // False where these terms cannot be a product of two forms.
  bool set_terms(std::span<const Monomial* const> terms) {
    variables_.clear();
    for (const Monomial* term : terms)
      for (const Factor& factor : term->factors)
        if (std::find(variables_.begin(), variables_.end(), factor.variable) == variables_.end())
          variables_.push_back(factor.variable);
    std::sort(variables_.begin(), variables_.end());
    if (variables_.size() > kMostVariables) return false;
    target_.fill(0);
    norm_ = 0;
    bool product = false;
    for (const Monomial* term : terms) {
      if (term->curve || term->product) return false;
      std::vector<std::size_t> places;
      for (const Factor& factor : term->factors)
        for (int k = 0; k < factor.power; ++k) places.push_back(place(factor.variable));
      if (places.size() > 2) return false;
      product = product || places.size() == 2;
      const std::size_t low = places.size() == 2 ? places[0] : 0;
      target_[low * kCorners + places.back()] = term->coefficient;
      norm_ += term->coefficient * term->coefficient;
    }
    return product && norm_ > 0;
  }

  // The closest product; the first found, and so the one of fewer forms, where several are equally close.
  FactorReading closest() const {
    FactorReading best{.error = 1};
    const std::vector<Signs> forms = all_forms(variables_.size());
    for (std::size_t a = 0; a < forms.size(); ++a)
      for (std::size_t b = a; b < forms.size(); ++b) consider(forms[a], forms[b], best);
    return best;
  }

 private:
  std::size_t place(std::size_t variable) const {
    return static_cast<std::size_t>(std::find(variables_.begin(), variables_.end(), variable) -
                                    variables_.begin()) +
           1;
  }

  // Least squares over the scale; the constant is left out.
  void consider(const Signs& a, const Signs& b, FactorReading& best) const {
    double inner = 0, square = 0;
    const std::size_t size = variables_.size() + 1;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = std::max<std::size_t>(i, 1); j < size; ++j) {
        const double c = i == j ? a[i] * b[i] : a[i] * b[j] + a[j] * b[i];
        inner += c * target_[i * kCorners + j];
        square += c * c;
      }
    if (square == 0) return;
    const double error = std::sqrt(std::max(0.0, 1 - inner * inner / (square * norm_)));
    if (error >= best.error - 1e-12) return;
    best = {.scale = inner / square, .first = form(a), .second = form(b), .error = error};
  }

  FactorReading::Form form(const Signs& signs) const {
    FactorReading::Form out{.constant = signs[0]};
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (signs[i + 1] != 0) out.variables.emplace_back(variables_[i], signs[i + 1]);
    return out;
  }

  std::vector<std::size_t> variables_;
  Quadratic target_{};
  double norm_ = 0;
};

// The sign of a negative scale is given to the form whose leading variable then reads better: one without a
// constant, or the first.
void settle_sign(FactorReading& reading) {
  if (reading.scale >= 0) return;
  FactorReading::Form& form = reading.first.constant == 0 ? reading.second : reading.first;
  if (form.constant == 0) return;  // the scale keeps its sign
  form.constant = -form.constant;
  for (auto& [variable, sign] : form.variables) sign = -sign;
  reading.scale = -reading.scale;
}

std::string form_text(const Problem& problem, const FactorReading::Form& form) {
  std::string text = form.constant == 0 ? "" : form.constant > 0 ? "1" : "-1";
  // Positive variables first where there is no constant to start with.
  for (const int wanted : {1, -1})
    for (const auto& [variable, sign] : form.variables) {
      if (sign != wanted) continue;
      const std::string& name = problem.variables[variable].name;
      if (text.empty())
        text = (sign < 0 ? "-" : "") + name;
      else
        text += (sign < 0 ? " - " : " + ") + name;
    }
  const bool plain = form.constant == 0 && form.variables.size() == 1 && form.variables[0].second > 0;
  return plain ? text : "(" + text + ")";
}

}  // namespace

std::optional<FactorReading> common_factors(const Head& head, double tolerance) {
  const std::vector<const Monomial*> leading =
      shown_terms(head, {.terms = kMostTerms, .threshold = 0, .block = {}}).terms;
  Search search;
  for (std::size_t count = leading.size(); count >= 2; --count) {
    if (!search.set_terms({leading.data(), count})) continue;
    FactorReading reading = search.closest();
    if (reading.error > tolerance) continue;
    reading.head = head.name;
    reading.terms = count;
    settle_sign(reading);
    return reading;
  }
  return std::nullopt;
}

std::vector<FactorReading> common_factors(const Problem& problem) {
  if (problem.units != Units::standardised)
    throw UsageError("common factors are looked for in standardised units");
  std::vector<FactorReading> readings;
  for (const auto& layer : problem.layers)
    for (const Block& block : layer)
      for (const Head& head : block.heads)
        if (auto reading = common_factors(head)) readings.push_back(std::move(*reading));
  return readings;
}

std::string reading_text(const Problem& problem, const FactorReading& reading) {
  std::string first = form_text(problem, reading.first), second = form_text(problem, reading.second);
  if (first.front() == '(' && second.front() != '(') std::swap(first, second);
  const std::string between = first.back() == ')' && second.front() == '(' ? "" : " ";
  return fmt::format("{} {}{}{}", number_text(reading.scale), first, between, second);
}

}  // namespace bl::explain

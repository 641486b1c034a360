#include "explain/linear_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "explain/fixed_level.hpp"
#include "explain/render.hpp"

namespace bl::explain {

std::string linear_text(const Problem& problem, const std::string& column,
                        const std::vector<std::string>& levels) {
  std::string out = "The utilities of the alternatives, in the data's own units\n";
  for (const std::string& name : levels) {
    const Problem one = at_level(problem, column, name);
    const Head& head = one.layers[0][0].heads[0];
    std::string formula = head.constant == 0 ? "" : number_text(head.constant);
    for (const Monomial& term : head.terms)
      formula += fmt::format(
          "{}{} {}", term.coefficient < 0 ? (formula.empty() ? "-" : " - ") : (formula.empty() ? "" : " + "),
          number_text(std::abs(term.coefficient)), factors_text(one, term));
    out += fmt::format("  V[{}] = {}\n", name, formula.empty() ? "0" : formula);
  }
  return out;
}

}  // namespace bl::explain

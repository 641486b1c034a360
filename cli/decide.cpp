#include "decide.hpp"

#include "bl/errors.hpp"

namespace bl::cli {

void add_decide(CLI::App& command, std::vector<std::string>& given) {
  command
      .add_option(
          "--decide", given,
          "How the class is chosen: the most probable one (accuracy), by weights found at the fit for the "
          "highest macro F1 (macro_f1), or by the least expected cost (cost FILE: a line for every true "
          "class, a column for every class to decide for)")
      ->option_text("accuracy|macro_f1|cost FILE")
      ->expected(1, 2);
}

std::optional<Decision> decision_of(const Model& model, const std::vector<std::string>& given) {
  if (given.empty()) return {};
  const Aim aim = aim_from_name(given[0]);
  if ((aim == Aim::cost) != (given.size() == 2))
    throw UsageError(aim == Aim::cost ? "--decide cost needs the file of costs: --decide cost FILE"
                                      : "--decide " + given[0] + " takes no file");
  return aim == Aim::cost ? decision_by_costs(model, given[1]) : Decision{.aim = aim};
}

}  // namespace bl::cli

#include "explain/row_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr double kBindingShare = 0.01;

std::string state_text(ConstraintState state) {
  switch (state) {
    case ConstraintState::slack:
      return "slack";
    case ConstraintState::binding:
      return "binding";
    case ConstraintState::violated:
      return "violated";
    case ConstraintState::met:
      return "met";
    case ConstraintState::off:
      return "off";
  }
  return {};
}

std::string cells(const std::string& value, const std::string& adds, const std::string& state) {
  return fmt::format("{:>10} {:>10} {:<9}", value, adds, state);
}

std::string finished(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Where a block stands among the evaluation's heads.
const std::vector<double>& head_values(const Problem& problem, const Block& block, const Evaluation& at) {
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    const std::size_t first = problem.layers[l].front().variable;
    if (block.variable >= first && block.variable < first + problem.layers[l].size())
      return at.heads[l][block.variable - first];
  }
  return at.heads.front().front();
}

std::string block_line(const Problem& problem, const Block& block, const std::vector<RowCase>& cases) {
  std::string line = fmt::format("{:<16}", block.name);
  for (const RowCase& one : cases) {
    const double value = one.evaluation.variables[block.variable];
    std::string adds;
    for (const BlockWeight& weight : problem.outputs[one.output].blocks)
      if (weight.variable == block.variable) adds = fmt::format("{:+.4g}", weight.weight * value);
    line += cells(number_text(value), adds, "");
  }
  return finished(std::move(line));
}

std::string head_line(const Problem& problem, const Block& block, std::size_t h,
                      const std::vector<RowCase>& cases) {
  const Head& head = block.heads[h];
  const char* relation = head.kind == HeadKind::utility      ? ""
                         : head.kind == HeadKind::inequality ? " <= 0"
                                                             : " = 0";
  std::string line = fmt::format("  {:<14}", head.name.substr(block.name.size() + 1) + relation);
  for (const RowCase& one : cases) {
    const double value = head_values(problem, block, one.evaluation)[h];
    const std::string state = head.kind == HeadKind::utility
                                  ? ""
                                  : state_text(constraint_state(head, value, one.evaluation.variables));
    line += cells(number_text(value), fmt::format("{:+.4g}", contribution(head, value) + 0.0), state);
  }
  return finished(std::move(line));
}

}  // namespace

ConstraintState constraint_state(const Head& head, double value, const std::vector<double>& variables) {
  double size = std::abs(head.constant);
  for (const Monomial& term : head.terms) size += std::abs(value_of(term, variables));
  const bool at_zero = std::abs(value) <= kBindingShare * size;
  if (head.kind == HeadKind::equality) return at_zero ? ConstraintState::met : ConstraintState::off;
  if (at_zero) return ConstraintState::binding;
  return value < 0 ? ConstraintState::slack : ConstraintState::violated;
}

std::string render_row(const Problem& problem, const std::vector<const Block*>& blocks,
                       const std::vector<RowCase>& cases) {
  std::string title = fmt::format("{:<16}", ""), header = fmt::format("{:<16}", "");
  std::string out, total = fmt::format("{:<16}", "utility");
  for (const RowCase& one : cases) {
    out += fmt::format("{}: {}\n", one.title, one.response);
    title += fmt::format("{:>21} {:<9}", one.title, "");
    header += cells("value", "adds", "");
    total += cells("", number_text(one.evaluation.outputs[one.output]), "");
  }
  out += "\n" + finished(std::move(title)) + finished(std::move(header)) + finished(std::move(total));
  for (const Block* block : blocks) {
    out += block_line(problem, *block, cases);
    for (std::size_t h = 0; h < block->heads.size(); ++h) out += head_line(problem, *block, h, cases);
  }
  return out +
         "\nA head adds to its block, a block of the last layer, weighted, to the utility.\n"
         "binding, met: within 1% of the sum of the formula's absolute terms of zero.\n";
}

}  // namespace bl::explain

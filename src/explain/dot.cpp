#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "explain/hierarchy.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr double kWidest = 4;  // points

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

std::string style(double value, double largest) {
  return fmt::format("color={}, penwidth={:.2f}", value < 0 ? "\"#b2182b\"" : "\"#2166ac\"",
                     0.3 + (largest > 0 ? kWidest * std::abs(value) / largest : 0));
}

// One head: linear terms are edges, a square a loop at its variable, an interaction a point where its
// variables meet.
std::string head_graph(const Problem& problem, const Head& head, const RenderOptions& options) {
  const ShownTerms shown = shown_terms(head, options);
  const double largest = shown.terms.empty() ? 0 : shown.terms[0]->size;
  std::string out =
      fmt::format("  {} [shape=box, style=filled, fillcolor=\"#eeeeee\", label={}];\n", quoted(head.name),
                  quoted(fmt::format("{}\nweight {}", head.name, number_text(head.lambda))));
  std::set<std::size_t> nodes;
  const auto node = [&](std::size_t variable) {
    const std::string id = quoted(head.name + " " + problem.variables[variable].name);
    if (nodes.insert(variable).second)
      out += fmt::format("  {} [label={}];\n", id, quoted(problem.variables[variable].name));
    return id;
  };
  for (std::size_t t = 0; t < shown.terms.size(); ++t) {
    const Monomial& term = *shown.terms[t];
    const double size = std::copysign(term.size, term.coefficient);
    const std::string edge =
        fmt::format("[{}, tooltip={}]", style(size, largest), quoted(number_text(term.coefficient)));
    if (term.factors.size() == 1) {
      const std::string id = node(term.factors[0].variable);
      out += fmt::format("  {} -- {} {};\n", id, term.factors[0].power == 1 ? quoted(head.name) : id, edge);
      continue;
    }
    const std::string meeting = quoted(fmt::format("{} term {}", head.name, t + 1));
    out += fmt::format("  {} [shape=point];\n", meeting);
    for (const Factor& factor : term.factors)
      for (int k = 0; k < factor.power; ++k)
        out += fmt::format("  {} -- {} {};\n", node(factor.variable), meeting, edge);
    out += fmt::format("  {} -- {} {};\n", meeting, quoted(head.name), edge);
  }
  return out;
}

std::string block_graph(const Problem& problem, const Block& block, const RenderOptions& options) {
  std::string out =
      fmt::format("graph {} {{\n  layout=neato; overlap=false; node [shape=ellipse, fontname=Helvetica];\n",
                  quoted(block.name));
  for (const Head& head : block.heads) out += head_graph(problem, head, options);
  return out + "}\n";
}

// Largest terms of each first-layer block by variable, with the sign of the larger part.
void variable_edges(const Problem& problem, const Block& block, const RenderOptions& options,
                    std::set<std::size_t>& used, std::string& out) {
  std::vector<double> sizes(problem.variables.size(), 0), signs(problem.variables.size(), 0);
  for (const Head& head : block.heads)
    for (const Monomial& term : head.terms)
      for (const Factor& factor : term.factors) {
        const double size = head.lambda * term.size;
        sizes[factor.variable] += std::abs(size);
        signs[factor.variable] +=
            std::copysign(size, (head.kind == HeadKind::utility ? 1 : -1) * head.lambda * term.coefficient);
      }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 0 && problem.variables[i].kind != VariableKind::block) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  order.resize(std::min(order.size(), options.terms));
  for (const std::size_t i : order) {
    used.insert(i);
    out += fmt::format("  {} -> {} [{}];\n", quoted(problem.variables[i].name), quoted(block.name),
                       style(std::copysign(sizes[i], signs[i]), sizes[order[0]]));
  }
}

std::string network_graph(const Problem& problem, const RenderOptions& options) {
  std::string out = "digraph network {\n  rankdir=BT; node [shape=box, fontname=Helvetica];\n", edges;
  std::set<std::size_t> used;
  for (const auto& layer : hierarchy(problem, 1)) {
    out += "  { rank=same;";
    for (const BlockProfile& profile : layer) out += " " + quoted(profile.block->name) + ";";
    out += " }\n";
    for (const BlockProfile& profile : layer) {
      variable_edges(problem, *profile.block, options, used, edges);
      for (const Aggregation& one : profile.reads) {
        double sum = one.carried;
        for (std::size_t h = 0; h < one.head_weights.size(); ++h) {
          const Head& head = profile.block->heads[h];
          sum += (head.kind == HeadKind::utility ? 1 : -1) * head.lambda * one.head_weights[h];
        }
        edges += fmt::format("  {} -> {} [{}];\n", quoted(problem.variables[one.variable].name),
                             quoted(profile.block->name),
                             style(std::copysign(one.share, sum), profile.reads[0].share));
      }
    }
  }
  for (const Output& output : problem.outputs) {
    double largest = 0;
    for (const BlockWeight& one : output.blocks) largest = std::max(largest, std::abs(one.weight));
    out += fmt::format("  {} [shape=doublecircle];\n", quoted(output.name));
    for (const BlockWeight& one : output.blocks)
      edges += fmt::format("  {} -> {} [{}, label={}];\n", quoted(problem.variables[one.variable].name),
                           quoted(output.name), style(one.weight, largest),
                           quoted(fmt::format("{:+.3g}", one.weight)));
  }
  for (const std::size_t i : used)
    out += fmt::format("  {} [shape=ellipse];\n", quoted(problem.variables[i].name));
  return out + edges + "}\n";
}

}  // namespace

std::string render_dot(const Problem& problem, const RenderOptions& options) {
  return options.block.empty() ? network_graph(problem, options)
                               : block_graph(problem, problem.block(options.block), options);
}

}  // namespace bl::explain

// The problem for people: what to show of it, and the forms it can take.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/factor_reading.hpp"
#include "explain/problem.hpp"

namespace bl::explain {

struct RenderOptions {
  std::size_t terms = 5;                     // largest terms of each head; the others are gathered in R
  double threshold = 0;                      // leave out terms smaller than this share of the head's largest
  std::string block;                         // only this block; empty: all
  std::vector<FactorReading> readings = {};  // to be told beside their heads
};

// "0.577 (1 - P)(1 + P - RM), 3% off its 3 largest terms", or empty where the head has no reading.
std::string reading_note(const Problem& problem, const Head& head, const RenderOptions& options);

// The terms to show, the largest (by Monomial::size) first, and how many are not shown.
struct ShownTerms {
  std::vector<const Monomial*> terms;
  std::size_t rest = 0;
};
ShownTerms shown_terms(const Head& head, const RenderOptions& options);

// "RM*MEDV^2".
std::string factors_text(const Problem& problem, const Monomial& term);
// Four significant digits.
std::string number_text(double value);

// How a block of the last layer enters the outputs; empty for others.
struct ReadoutWeight {
  std::string output;
  double weight = 0;
};
std::vector<ReadoutWeight> readout_of(const Problem& problem, const Block& block);

// The blocks that options ask for, layer by layer. UsageError for one that is not there.
std::vector<const Block*> chosen_blocks(const Problem& problem, const RenderOptions& options);

// Every block, in lines of at most 80 columns (a longer name stands alone on its line).
std::string render_text(const Problem& problem, const RenderOptions& options);

// A document that compiles with amsmath alone.
std::string render_latex(const Problem& problem, const RenderOptions& options);

// Tables in the layout of the paper's appendix: rows lambda, terms, constant; columns U, C, T of each block.
std::string render_markdown(const Problem& problem, const RenderOptions& options);

// Graphviz: the whole network, or with options.block the terms of one block.
std::string render_dot(const Problem& problem, const RenderOptions& options);

}  // namespace bl::explain

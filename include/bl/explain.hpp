// A trained model, read as the optimization problem that it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bl/model.hpp"

namespace bl {

enum class ExplainFormat {
  text,      // 80 columns
  json,      // complete and exact, whatever terms, threshold and block say
  latex,     // a document that compiles
  markdown,  // tables: lambda, terms, constant by U, C, T of each block
  dot,       // Graphviz: the network, or the terms of one block
};

struct ExplainOptions {
  bool standardised = false;  // coefficients for standardised columns instead of the data's own units
  std::optional<std::size_t> terms =
      5;                 // the largest of each formula, the others gathered in R; nothing: all
  double threshold = 0;  // leave out terms smaller than this share of the formula's largest
  std::string block;     // only this block, for example "L1.B2"; empty: all
};

// max U subject to C <= 0 and T = 0 with their weights, of every block. UsageError for a block that is not
// there.
std::string explain_model(const Model& model, ExplainFormat format, const ExplainOptions& options = {});

}  // namespace bl

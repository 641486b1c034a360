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
  svg,       // picture of one block; options.block names it where there are several
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

// One row (1 is the first of the data): what every block and head adds to the utility of the observed
// response, where the data has it, and of the best one; which constraints are slack, binding or violated;
// marginal utilities.
std::string explain_row(const Model& model, const Data& data, std::size_t row,
                        const ExplainOptions& options = {});

// By numeric column, averaged over the rows: the marginal utility of one unit at the observed response, the
// rate at which the column substitutes for `numeraire` (a column; empty: left out), and for class responses
// the change of each class's probability per unit. Indicators have no derivative and are left out.
OutputTable marginal_utilities(const Model& model, const Data& data, const std::string& numeraire);

// By column of the data: what the mean log-likelihood loses when every term with a factor of the column is
// removed (a standardised number is then at its mean, and no level of a nominal column counts). The largest
// first.
OutputTable importance(const Model& model, const Data& data, Part part);

}  // namespace bl

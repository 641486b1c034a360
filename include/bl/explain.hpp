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
  svg,       // picture of the network, or of one block
};

struct ExplainOptions {
  bool standardised = false;  // coefficients for standardised columns instead of the data's own units
  // The largest of each formula, the others gathered in R; nothing: all.
  std::optional<std::size_t> terms = 5;
  double threshold = 0;          // leave out terms smaller than this share of the formula's largest
  std::string block;             // only this block, for example "L1.B2"; empty: all
  std::string alternative = {};  // of a choice: only the utility of this one; empty: of all
  bool color = false;            // of text, by escapes for a terminal
  // Of text: every block. Otherwise a problem of more than 5 blocks is shown on one screen: the columns and
  // blocks that matter, and what the rest amounts to.
  bool full = false;
};

// max U subject to C <= 0 and T = 0 with their weights, of every block. Of a choice: its utility, with
// [alternative=NAME] as 1 or 0; as text, a linear one is a line per alternative. UsageError for a block or an
// alternative that is not there.
std::string explain_model(const Model& model, ExplainFormat format, const ExplainOptions& options = {});

// One row (1 is the first of the data): what every block and head adds to the utility of the observed
// response, where the data has it, and of the best one; which constraints are slack, binding or violated;
// marginal utilities.
std::string explain_row(const Model& model, const Data& data, std::size_t row,
                        const ExplainOptions& options = {});

// Columns that `responses` evaluates at most: every one costs a few hundred predictions.
inline constexpr std::size_t kMostResponseColumns = 200;

struct ResponsesOptions {
  Part part = Part::all;
  std::size_t threads = 0;
  std::function<void(const std::string&)> on_note = {};  // as of PredictOptions
};

// By column: what is predicted on average over at most 200 rows where the column is low (10% quantile), at
// its median and high (90%), or at each of its levels, the other columns as they are. Class probabilities, or
// the median of a number. Columns with the widest span first. UsageError for several numbers and for more
// columns.
OutputTable responses(const Model& model, const Data& data, const ResponsesOptions& options = {});

// The same for people, the columns that move it most.
std::string explain_responses(const Model& model, const Data& data, const ResponsesOptions& options = {});

struct EconomicsOptions {
  std::string numeraire = {};  // rates of substitution and willingness to pay are in units of this column
  std::size_t row = 0;         // at this row alone (1 is the first); 0: averaged over the rows of the part
  Part part = Part::all;
  std::size_t threads = 0;
};

// By numeric column: its value, the marginal utility of one unit at the observed response (left out where the
// data has none), the rate at which it substitutes for the numeraire, MU / MU of the numeraire, and its
// negative, what would be paid for a unit of it; then for each predicted number E[y] and each class
// probability its derivative and its elasticity (averaged: sum of d * value over sum of outcomes). At a kink
// the marginal utility is that of a rise; rows_at_kink counts such rows. Indicators have no derivative and
// are left out.
OutputTable economics(const Model& model, const Data& data, const EconomicsOptions& options);

struct ConstraintOptions {
  std::string numeraire = {};  // shadow prices in units of this column as well
  bool at_best = false;        // at the best response of each row instead of the observed one
  Part part = Part::all;
  std::size_t threads = 0;
};

// By constraint: its weight; the shares of rows in which it is slack, binding (an equality: met) and violated
// (off); quantiles of its slack, minus the head's value; and its shadow price, the mean utility gained when
// the head is lowered by one unit, also as so many units of the numeraire (over the latter's mean marginal
// utility).
OutputTable constraint_diagnostics(const Model& model, const Data& data, const ConstraintOptions& options);

struct ImportanceOptions {
  bool by_head = false;  // in one head at a time
  Part part = Part::all;
  std::size_t threads = 0;
};

// By column of the data: what the mean log-likelihood loses when every term with a factor of the column is
// removed (a standardised number is then at its mean, and no level of a nominal column counts); apart from
// these, what it loses without the terms of the response alone. The largest first. UsageError for choices
// beyond the logit.
OutputTable importance(const Model& model, const Data& data, const ImportanceOptions& options);

}  // namespace bl

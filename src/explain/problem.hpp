// The problem that a trained model poses, as plain data with names: what every renderer prints and every
// reading (rows, importance, prices) evaluates.
//
// A block's value is sum over its heads of +lambda phi(U) or -lambda rho(C), -lambda psi(T), plus what a
// residual network carries over; heads are polynomials of the variables and, above the first layer, linear in
// earlier blocks. An output is a constant plus its readout weights times the blocks of the last layer.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explain/monomial.hpp"
#include "features/encoding.hpp"
#include "model/architecture.hpp"

namespace bl::explain {

enum class Units {
  original,      // numbers as in the data, ordinal levels as their place 0, 1, 2, ...
  standardised,  // (number - mean) / scale, as the network reads them
};

enum class VariableKind {
  number,   // of a numeric column
  place,    // of an ordinal column's level in the order
  level,    // 1 where the column (or the combined class) has this level, else 0
  missing,  // 1 where the column's cell is empty, else 0
  block,    // value of an earlier block
  bend,     // of a column's curve, or of a product of two; only among the network's inputs
};

struct Variable {
  std::string name = {};  // age, [color=red], [age is missing], L1.B2; unique in a problem
  VariableKind kind = VariableKind::number;
  std::string column = {};  // of the data; for a class of several responses their names joined by ", "
  std::string level = {};
  bool response = false;
  // One standard deviation of the variable in the data's units (1 for indicators and blocks), and the mean
  // that standardising takes off.
  double mean = 0;
  double scale = 1;
  double fill = 0;  // what stands for an empty cell, in the data's units
  Pull pull = {};   // of a number whose far values are pulled in before it is standardised
  std::vector<std::string> bends =
      {};  // names of the encoded columns of a curve that follow the number's own
  bool operator==(const Variable&) const = default;
};

struct Head {
  std::string name = {};  // L1.B2.C1
  HeadKind kind = HeadKind::utility;
  Activation activation = Activation::tanh;
  double lambda = 0;  // effective
  double constant = 0;
  std::vector<Monomial> terms = {};  // graded order; those with coefficient 0 are left out
  bool operator==(const Head&) const = default;
};

// A block of the last layer in an output, or an earlier block that a residual network adds.
struct BlockWeight {
  std::size_t variable = 0;
  double weight = 0;
  bool operator==(const BlockWeight&) const = default;
};

struct Block {
  std::string name = {};  // L1.B2
  std::size_t variable = 0;
  std::vector<Head> heads = {};
  std::vector<BlockWeight> carried = {};
  bool operator==(const Block&) const = default;
};

struct Output {
  std::string name = {};  // "U", or of one class of the vector form "U[y=red]"
  double constant = 0;
  std::vector<BlockWeight> blocks = {};
  bool operator==(const Output&) const = default;
};

// The encoded columns of a product of two curves, which follow those of all columns of the data.
struct ProductInputs {
  std::array<std::size_t, 2> variables = {};
  std::vector<std::string> names = {};
  bool operator==(const ProductInputs&) const = default;
};

struct Problem {
  Units units = Units::original;
  std::string response = {};  // names of the response columns
  double temperature = 1;
  std::vector<Variable> variables = {};  // columns in the model's order, then every block
  std::vector<ProductInputs> products = {};
  std::vector<std::vector<Block>> layers = {};
  std::vector<Output> outputs = {};
  bool operator==(const Problem&) const = default;

  // UsageError naming the nearest block.
  const Block& block(const std::string& name) const;
};

// What the network reads: the variables but for the blocks, each followed by its bends, with the products of
// curves between those of the data and those of the response.
std::vector<Variable> network_inputs(const Problem& problem);

// Values of everything in a problem at one point.
struct Evaluation {
  std::vector<double> variables = {};                        // inputs as given, blocks computed
  std::vector<std::vector<std::vector<double>>> heads = {};  // [layer][block][head], before the activation
  std::vector<double> outputs = {};
};

// What the head adds to its block at this value: +lambda phi, or -lambda rho and -lambda psi.
double contribution(const Head& head, double value);

// `inputs` in the problem's units and the order of its variables.
Evaluation evaluate(const Problem& problem, const std::vector<double>& inputs);

}  // namespace bl::explain

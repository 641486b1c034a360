// Problems whose utility, constraints and response distribution are known: what data are drawn from, and what
// a model learned from those data should find again. p(y | x) is proportional to exp(BL(x, y) / temperature).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/parameters.hpp"
#include "objective/quadrature_rule.hpp"

namespace bl::simulation {

enum class ColumnDistribution {
  uniform,  // between `first` and `second`
  normal,   // mean `first`, standard deviation `second`
};

// A column drawn independently in every row (for attributes: for every alternative).
struct Column {
  std::string name;
  ColumnDistribution distribution = ColumnDistribution::uniform;
  double first = 0;
  double second = 1;
};

// Every row has its own alternatives: their number is uniform in smallest ... largest, and each after the
// first is available with this probability.
struct ChoiceSets {
  int smallest = 2;
  int largest = 2;
  double availability = 1;
  std::vector<Column> attributes;
};

enum class ResponseKind { classes, alternatives, continuous, hybrid };

struct PlantedProblem {
  std::string name;
  std::string description;  // one sentence
  Architecture architecture;
  std::vector<double> parameters;  // raw, in the order of the architecture's layout
  std::vector<Column> context;
  std::string response;                  // what is chosen
  std::vector<std::string> value_names;  // the continuous responses, or the attributes of an alternative
  std::vector<std::string> class_names;
  Support support;  // of the continuous responses
  double temperature = 1;
  std::optional<ChoiceSets> choice_sets;

  ResponseKind kind() const;
};

}  // namespace bl::simulation

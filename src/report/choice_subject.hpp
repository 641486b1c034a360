// A model of choices and the situations it is shown with.
#pragma once

#include <string>
#include <vector>

#include "bl/report.hpp"
#include "economics/typical.hpp"
#include "features/choice_data.hpp"
#include "fitted/fitted_model.hpp"
#include "report/chart.hpp"

namespace bl::report {

struct ChoiceSubject {
  const Model& model;
  const FittedModel& fitted;
  const Data& data;
  const Context& job;
  ChoiceData all = {};
  ChoiceData judged = {};
  std::string judged_text = {};
  std::vector<ColumnView> columns = {};                  // of the context
  std::vector<std::vector<ColumnView>> attributes = {};  // [alternative][attribute], where it is available
  std::vector<double> availability = {};                 // share of situations
  std::vector<Cell> start = {};                          // the context that curves and what-if begin at
  Matrix<double> start_attributes = {};                  // alternatives x attributes
  std::vector<bool> start_available = {};
  std::string start_text = {};
  std::string money = {};  // an attribute, or empty
};

// `row`: the situation (1 is the first) that curves and what-if begin at; 0: a typical one. `money`: as that
// of ReportOptions.
ChoiceSubject choice_subject(const Model& model, const Data& data, std::size_t row, const std::string& money,
                             const Context& job);

// One situation in which every alternative is available, repeated; attributes are those of the start.
ChoiceData repeated_situation(const ChoiceSubject& subject, Index count);

// Probabilities along each attribute of each alternative that varies; of these attributes alone where there
// are names.
std::vector<NamedChart> choice_charts(const ChoiceSubject& subject, const std::vector<std::string>& names);
std::vector<std::string> choice_legend(const ChoiceSubject& subject);
std::string choice_curves(const ChoiceSubject& subject);
// What the log-likelihood loses without each column and attribute, with standard errors over situations.
std::string choice_importance(const ChoiceSubject& subject);
// Trade-offs and elasticities, with errors where the model has a covariance.
std::string economics_html(const ChoiceSubject& subject);

// Tables and bars of every constraint at the chosen alternatives; a sentence where there are none.
std::string constraints_html(const ChoiceSubject& subject);

// Market shares and surplus with one attribute of one alternative multiplied by each of these factors.
struct AttributeScenario {
  std::size_t alternative = 0, attribute = 0;
  std::vector<std::vector<double>> shares = {};  // [factor][alternative]
  std::vector<double> surplus = {};              // mean change of the log-sum, in units of utility
  std::vector<double> money = {};                // the same in units of the cost; empty without one
};
const std::vector<double>& scenario_factors();
struct Scenarios {
  std::size_t situations = 0;
  std::vector<AttributeScenario> entries;
};
Scenarios attribute_scenarios(const ChoiceSubject& subject);
std::string scenarios_html(const ChoiceSubject& subject, const Scenarios& scenarios);

}  // namespace bl::report

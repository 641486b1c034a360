// Choices among alternatives that carry attributes: learning a utility, predicting, and the economics of it.
// What the file means is said in a choice schema (TOML, see docs/choice.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bl/explain.hpp"
#include "bl/fit.hpp"

namespace bl {

// A coefficient of a linear utility; errors are NaN where it is held at its bound or not identified.
struct ChoiceCoefficient {
  std::string name;
  double estimate = 0;
  double standard_error = 0;   // H^-1
  double robust_error = 0;     // H^-1 B H^-1, B the sum of score products over situations
  double clustered_error = 0;  // the same with scores summed by person first; NaN without persons
};

// What may be changed before choices are made again.
struct ChoiceScenario {
  // A further alternative, like another one: available with it, with its constant and coefficients, and with
  // its attributes until they are changed.
  struct Addition {
    std::string name, like;
  };
  struct Change {
    std::string alternative, attribute;
    std::string expression;  // over the alternative's own attributes: "cost * 1.1"
  };
  std::vector<Addition> added = {};  // first
  std::vector<Change> changes = {};
  std::vector<std::string> withdrawn = {};  // alternatives; last
};

// Errors are by the delta method with the robust covariance; NaN in a network that stores none, here and
// below.
struct WhatIf {
  std::vector<std::string> alternatives;  // those of the model, then the added ones
  std::vector<double> before, after;      // market shares
  std::vector<double> change_error;       // of after - before
  std::vector<double> diversion;          // share of what all losers lose that each gains; 0 for losers
  double surplus_change = 0;              // mean change of the log-sum, in units of utility
  double surplus_error = 0;
  double money_change = 0;  // the same divided by the marginal utility of money; NaN unless asked for
  double money_error = 0;
};

struct ChoiceElasticities {
  std::vector<std::string> alternatives;
  // by[j][k]: percent change of the share of j per percent of the attribute of k, over all situations
  // together.
  std::vector<std::vector<double>> by;
  std::vector<std::vector<double>> errors;
};

// dV/d(attribute) of each alternative, over the situations where it is available.
struct ChoiceSlopes {
  std::vector<std::string> alternatives;
  std::vector<double> mean;
  std::vector<double> negative;  // share of situations in which it is below zero
};

// dV/d(attribute) over dV/d(money), as money per unit of the attribute.
struct ChoiceTradeOff {
  double value = 0;  // the ratio of coefficients where it is the same for all alternatives; else the median
                     // over alternatives and situations
  double standard_error = 0;  // NaN where it is a median
  double lower_quartile = 0, upper_quartile = 0;
  std::vector<std::string> alternatives;
  std::vector<double> by;      // per alternative; a median in a network; NaN where money does not count
  std::vector<double> errors;  // of `by`
};

class ChoiceModel {
 public:
  // ModelFileError where the file is damaged or not a choice model.
  static ChoiceModel load(const std::string& path);
  void save(const std::string& path) const;
  // The bytes of the file, and back; `name` stands for the file in messages.
  std::string to_bytes() const;
  static ChoiceModel from_bytes(std::string_view bytes, const std::string& name);
  std::string describe() const;
  // Everything in the file but the parameters' values, as JSON.
  std::string information_json() const;
  const std::vector<std::string>& alternatives() const;
  // Of a linear utility; empty otherwise.
  const std::vector<ChoiceCoefficient>& coefficients() const;
  const std::vector<std::string>& attributes() const;

  // One row per situation: its label, a probability per alternative (0 where not available), the likeliest.
  OutputTable predict(const Data& data, Part part = Part::all, std::size_t threads = 0) const;
  // The same with V over the temperature, of which probabilities are the softmax; NaN where not available.
  OutputTable utilities(const Data& data, Part part = Part::all, std::size_t threads = 0) const;
  // Mean probability of every alternative, and how often it was chosen where that is known.
  OutputTable market_shares(const Data& data, Part part = Part::all, std::size_t threads = 0) const;
  // situations, log_likelihood, null_log_likelihood (all available equally likely), rho_square,
  // cross_entropy, accuracy.
  std::vector<Metric> evaluate(const Data& data, Part part = Part::all, std::size_t threads = 0) const;
  // money: the attribute that is a cost; empty: surplus in utility alone.
  WhatIf what_if(const Data& data, const ChoiceScenario& scenario, const std::string& money = "",
                 std::size_t threads = 0) const;
  ChoiceElasticities elasticities(const Data& data, const std::string& attribute,
                                  std::size_t threads = 0) const;
  ChoiceSlopes slopes(const Data& data, const std::string& attribute, std::size_t threads = 0) const;
  ChoiceTradeOff trade_off(const Data& data, const std::string& attribute, const std::string& money,
                           std::size_t threads = 0) const;

  struct Impl;
  explicit ChoiceModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

struct ChoiceFitSummary {
  ChoiceModel model;
  std::string plan = {};
  std::vector<std::string> notes = {};
  std::string stop_cause = {};
  bool interrupted = false;
  std::int64_t epochs = 0;
  double seconds = 0;
  std::vector<Metric> train = {}, validation = {}, test = {};  // empty where the part is
};

// What a file of choices means and which utility is learned, said without a schema file. Lists of names may
// be "name=other": of alternatives the code that stands in the data for it, of attributes the column (in a
// wide file what stands for it in the pattern).
struct ChoiceDeclaration {
  bool wide = false;                   // a line per situation; else a line per alternative
  std::string situation, alternative;  // long: columns
  std::string chosen;  // wide: column of the chosen alternative's code; long: expression, true where chosen
  std::string available;  // long: expression; wide: what stands for it in the pattern
  std::string outside;    // long: name of an option with utility 0 that is in every set
  std::string filter, person, weight;
  std::vector<std::string> alternatives = {}, attributes = {};
  // wide: how columns are called. An alternative without a column of an attribute has it at 0.
  std::string pattern = "{alternative}_{attribute}";
  bool network = false;  // else linear; context makes it a network too
  std::vector<std::string> context = {}, nominal = {};
  std::string reference;                   // linear: the alternative without a constant
  std::vector<std::string> specific = {};  // linear: attributes with a coefficient per alternative
  std::vector<std::string> negative = {}, positive = {};  // attributes that never please, never displease
};

// The TOML schema that says the same. UsageError, DataError.
std::string choice_schema(const ChoiceDeclaration& declaration, const Data& data);

// The schema file's [settings] first, then those of `settings` that differ from their defaults. A linear
// utility takes all situations for training unless fractions are given. UsageError, DataError, NumericError.
ChoiceFitSummary fit_choice(const Data& data, const std::string& schema_path, const Settings& settings,
                            const FitOptions& options = {});
// The same with the text of a schema; `name` stands for the file in messages.
ChoiceFitSummary fit_choice_text(const Data& data, const std::string& schema_text, const std::string& name,
                                 const Settings& settings, const FitOptions& options = {});

// Whether a file is a model of choices; false for any other file, and for one that cannot be read.
bool is_choice_model(const std::string& path);

// The utility as formulas: of all alternatives, with [alternative=NAME] as 1 or 0, or of one of them. As
// text, a linear utility is one line per alternative.
std::string explain_choice(const ChoiceModel& model, ExplainFormat format, const ExplainOptions& options = {},
                           const std::string& alternative = "");

}  // namespace bl

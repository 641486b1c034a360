// The economics of choices among alternatives that carry attributes. What is asked of a model throws
// UsageError for one that is not of choices, unless it says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

// A coefficient of a linear utility; errors are NaN where it is held at its bound or not identified.
struct ChoiceCoefficient {
  std::string name;
  double estimate = 0;
  double standard_error = 0;   // H^-1
  double robust_error = 0;     // H^-1 B H^-1, B the sum of score products over situations
  double clustered_error = 0;  // the same with scores summed by person first; NaN without persons
};

// How errors of shares, elasticities, trade-offs and surplus are computed: by the delta method, and where
// draws are asked for also as intervals of Krinsky and Robb, quantiles over draws of the coefficients.
struct EconomicsErrors {
  std::string covariance = "robust";  // robust, classical, cluster (by person)
  int draws = 0;                      // 0: no intervals
  double level = 0.95;
  std::uint64_t seed = 1;
  std::vector<double> estimated = {};  // Inference::covariance; in place of a stored one
};

struct Interval {
  double lower = 0, upper = 0;
};

// What may be changed before choices are made again.
struct ChoiceScenario {
  // A further alternative, like another one: available with it, with its constant and coefficients, and with
  // its attributes until they are changed.
  struct Addition {
    std::string name, like;
  };
  struct Change {
    std::string alternative, attribute;  // a declared attribute; terms follow it
    // Over the alternative's own attributes: "cost * 1.1". Another attribute that was declared with the same
    // column must be changed as well, or kept in so many words ("cost_high").
    std::string expression;
  };
  std::vector<Addition> added = {};  // first
  std::vector<Change> changes = {};
  std::vector<std::string> withdrawn = {};  // alternatives; last
};

// Errors are NaN in a model that stores none, intervals unless asked for, here and below.
struct WhatIf {
  std::vector<std::string> alternatives;  // those of the model, then the added ones
  std::vector<double> before, after;      // market shares
  std::vector<double> change_error;       // of after - before
  // Of what the alternatives that were changed win or lose together, the part that each other one gives or
  // takes; 0 for those that were changed. Where some of these win and others lose: the part
  // of what all losers lose that each gains.
  std::vector<double> diversion;
  double surplus_change = 0;  // mean change of the log-sum, in units of utility
  double surplus_error = 0;
  double money_change = 0;  // the same divided by the marginal utility of money; NaN unless asked for
  double money_error = 0;
  std::vector<Interval> change_interval = {};
  Interval surplus_interval = {}, money_interval = {};
  // Why a number that would stand here does not: networks that read their rivals have no surplus (NaN).
  std::vector<std::string> notes = {};
  OutputTable rows = {};  // what_if_rows
};

// Numbers of a network depend on where training began. `members` has what each of the networks says that were
// joined into one, by itself; it is empty for linear utilities and for one network alone. `warnings` say in
// sentences why a number should not be trusted: members that differ by more than half of it, both signs, a
// cost that pleases, quartiles further apart than its size.

struct ChoiceElasticities {
  std::vector<std::string> alternatives;
  // by[j][k]: percent change of the share of j per percent of the attribute of k, over all situations
  // together.
  std::vector<std::vector<double>> by;
  std::vector<std::vector<double>> errors;
  std::vector<std::vector<Interval>> intervals = {};
  std::vector<std::vector<Interval>> members = {};  // like `by`: lowest and highest over the members
  std::vector<std::string> warnings = {};  // about elasticities of an alternative by its own attribute
};

// dV/d(attribute) of each alternative, over the situations where it is available.
struct ChoiceSlopes {
  std::vector<std::string> alternatives;
  std::vector<double> mean;
  std::vector<double> negative;  // share of situations in which it is below zero
  std::vector<double> lower_quartile = {}, upper_quartile = {};  // over situations; empty beyond the logit
  std::vector<std::vector<double>> members = {};                 // means, by member and alternative
  std::vector<std::string> warnings = {};
};

// dV/d(attribute) over dV/d(money), as money per unit of the attribute.
struct ChoiceTradeOff {
  double value =
      0;  // the ratio of coefficients where it is the same for all alternatives and situations; else
          // the median over them
  double standard_error = 0;  // NaN where it is a median
  Interval interval = {};
  double lower_quartile = 0, upper_quartile = 0;
  std::vector<std::string> alternatives;
  // Per alternative; a median in a network, or where terms make it differ between situations; NaN where money
  // does not count.
  std::vector<double> by;
  std::vector<double> errors;  // of `by`; NaN in a network
  std::vector<Interval> intervals = {};
  bool varies = false;               // between the situations of an alternative
  std::vector<double> members = {};  // the value by member
  std::vector<std::string> warnings = {};
};

// What each person's choices say about the random coefficients: their mean and standard deviation given these
// choices. Of a mixed logit; shares of classes of a latent-class model.
OutputTable posterior_means(const Model& model, const Data& data, std::size_t threads = 0);

// The rows of each level of a column of the person or the situation (of the file, or derived), to ask about
// them alone: numbers in ascending order, texts in that of the file. UsageError where there are more than 50,
// DataError where the lines of a situation differ or the column is missing.
struct Segment {
  std::string level;
  Data data;
  std::size_t situations = 0;
};
std::vector<Segment> segments(const Model& model, const Data& data, const std::string& column);

const std::vector<std::string>& alternatives(const Model& model);
// Those that are declared; terms are computed from them.
std::vector<std::string> attributes(const Model& model);

// Of a linear utility; empty for any other model. As text: a line each.
std::vector<ChoiceCoefficient> coefficients(const Model& model);
std::string coefficients_text(const Model& model);

// Mean probability of every alternative, and how often it was chosen where that is known.
OutputTable market_shares(const Model& model, const Data& data, Part part = Part::all,
                          std::size_t threads = 0);

// money: the attribute that is a cost; empty: surplus in utility alone.
WhatIf what_if(const Model& model, const Data& data, const ChoiceScenario& scenario,
               const std::string& money = "", std::size_t threads = 0, const EconomicsErrors& errors = {});
// Situation by situation alone: probabilities before and after, and the change of the log-sum.
OutputTable what_if_rows(const Model& model, const Data& data, const ChoiceScenario& scenario,
                         std::size_t threads = 0);
ChoiceElasticities elasticities(const Model& model, const Data& data, const std::string& attribute,
                                std::size_t threads = 0, const EconomicsErrors& errors = {});
ChoiceSlopes slopes(const Model& model, const Data& data, const std::string& attribute,
                    std::size_t threads = 0);
ChoiceTradeOff trade_off(const Model& model, const Data& data, const std::string& attribute,
                         const std::string& money, std::size_t threads = 0,
                         const EconomicsErrors& errors = {});

// All three of each attribute, from situations that are read once; without money, and of money itself, there
// is no trade-off.
struct AttributeEconomics {
  std::string attribute;
  ChoiceSlopes slopes;
  ChoiceElasticities elasticities;
  std::optional<ChoiceTradeOff> trade_off;
};
std::vector<AttributeEconomics> attribute_economics(const Model& model, const Data& data,
                                                    const std::vector<std::string>& attributes,
                                                    const std::string& money = "", std::size_t threads = 0,
                                                    const EconomicsErrors& errors = {});

}  // namespace bl

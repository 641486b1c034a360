// A choice declaration, checked and ready to read data with. docs/choice.md explains every key. A wide file
// has one line per situation:
//
//   [data]                                        [[alternatives]]
//   choice = "CHOICE"                             name = "train"
//   filter = "PURPOSE in (1, 3)"                  code = 1
//   person = "ID"                                 available = "TRAIN_AV"
//   [utility]                                     attributes = { time = "TRAIN_TT / 100" }
//   reference = "train"
//
// A long file has one line per alternative; [data] then names situation, alternative and chosen, and the
// expressions stand in [attributes].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bl/choice_declaration.hpp"
#include "data/expression.hpp"

namespace bl {

struct ChoiceAlternative {
  std::string name;
  std::string code;                     // what stands in the data for it
  std::optional<Expression> available;  // wide; absent: always
  std::vector<Expression> attributes;   // wide: one per attribute of the schema
  std::vector<bool> lacks;              // wide: the attributes that it does not declare, which are 0
};

// A further input of the utility, computed from the attributes of an alternative, from terms before it and
// from columns of the person or the situation.
struct ChoiceTerm {
  std::string name;
  Expression expression;
  std::vector<std::size_t> reads;    // attributes, directly or through other terms
  std::vector<std::string> columns;  // others that it names itself
};

// Coefficients of the linear utility V = sum of coefficient * attribute.
struct LinearUtility {
  bool constants = true;
  std::string reference;  // the alternative without a constant
  struct Coefficient {
    std::string attribute;
    std::string alternative;  // empty: generic, the same for all
    int sign = 0;             // 1: never negative, -1: never positive
  };
  std::vector<Coefficient> coefficients;
};

// How a coefficient differs between persons. With a location m and a spread s, z a draw: normal m + s z;
// log_normal exp(m + s z), with the sign of its attribute; triangular and uniform m + s z, z from -1 to 1.
enum class Mixing : std::uint8_t { normal, log_normal, triangular, uniform };

enum class DrawSequence : std::uint8_t { halton, scrambled_halton, sobol, pseudo_random };

// Mixed logit.
struct RandomCoefficients {
  struct One {
    std::string name;  // of a term of the linear utility
    Mixing mixing;
  };
  std::vector<One> coefficients;
  std::vector<std::string> correlated;  // names, in the order of `coefficients`
  std::int64_t draws = 500;             // per person
  DrawSequence sequence = DrawSequence::sobol;
  std::int64_t dropped = 0;          // first points of the sequence that are left out
  std::vector<std::int64_t> primes;  // Halton: one per coefficient
  std::uint64_t seed = 1;
};

// Nested and, where an alternative is in two nests, cross-nested logit.
struct ChoiceNest {
  std::string name;
  std::vector<std::string> alternatives;
};

struct LatentClasses {
  std::int64_t classes = 2;
  std::int64_t starts = 10;
  std::uint64_t seed = 1;
  std::vector<Expression> membership;
};

// A scale of the utility by data source, as for stated and revealed choices.
struct SourceScale {
  std::string column;
  std::string reference;            // empty: the first in the data
  std::vector<std::string> levels;  // the reference first; empty until the data tell
};

// What a utility reads of the other alternatives of a situation: the mean, smallest or largest of an
// attribute over them, or where its own stands among all, from 0 (the smallest) to 1.
struct RivalSummary {
  enum class Kind : std::uint8_t { mean, smallest, largest, rank };
  std::string name;
  std::size_t attribute = 0;
  Kind kind = Kind::mean;
};

struct ChoiceSchema {
  bool wide = true;
  std::string choice;                   // wide: column that holds the code of the chosen alternative
  std::string situation, alternative;   // long: columns
  std::optional<Expression> chosen;     // long: true on the line of the chosen alternative
  std::optional<Expression> available;  // long; absent: always
  std::string outside;  // long: name of an option without attributes that is in every set; empty: none
  // Rankings: an expression (long), one per alternative (wide), or `choice` holds codes from best to worst.
  std::vector<Expression> ranks;
  bool choice_is_ranking = false;
  std::optional<Expression> filter, weight;
  std::string person;  // column; empty: every situation is another person's
  std::vector<std::pair<std::string, Expression>> derived;
  std::vector<std::string> attributes;          // those that are declared, the terms, the rivals' summaries
  std::size_t declared = 0;                     // of the attributes
  std::vector<ChoiceTerm> terms;                // behind them
  std::vector<RivalSummary> rivals;             // the rest
  std::vector<Expression> expressions;          // long: one per declared attribute
  std::vector<ChoiceAlternative> alternatives;  // long: may be empty, then the data tell
  std::vector<std::string> context,
      nominal;             // columns of the decision maker; those of them that are categories
  bool linear = true;      // else a network
  bool smooth = false;     // a network: small, for economics
  LinearUtility utility;   // linear
  std::vector<int> signs;  // per attribute: 1 it never lowers the utility, -1 it never raises it, 0 free
  std::optional<RandomCoefficients> random;  // at most one of these three, and a scale
  std::vector<ChoiceNest> nests;
  std::optional<LatentClasses> latent;
  std::optional<SourceScale> scale;

  // A linear utility in a model other than the conditional logit.
  bool beyond_logit() const { return random || !nests.empty() || latent || scale; }
  bool ranked() const { return choice_is_ranking || !ranks.empty(); }
  // Attributes that follow from the declared ones.
  std::size_t computed() const { return terms.size() + rivals.size(); }

  std::vector<std::string> alternative_names() const;
  // The column of the choice, or of the alternatives in a long file.
  const std::string& response() const { return wide ? choice : alternative; }
};

// What a declaration says, with names looked up and expressions parsed. UsageError naming the place for keys
// that are absent or do not go together, for names that are not there and for expressions that make no sense.
ChoiceSchema choice_schema(const ChoiceDeclaration& declaration);

}  // namespace bl

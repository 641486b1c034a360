// What a file of choices means: who chooses among which alternatives, what attributes these carry, and which
// utility is to be learned. Written as TOML; docs/choice.md explains every key. A wide file has one line per
// situation:
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

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/expression.hpp"

namespace bl {

struct ChoiceAlternative {
  std::string name;
  std::string code;                     // what stands in the data for it
  std::optional<Expression> available;  // wide; absent: always
  std::vector<Expression> attributes;   // wide: one per attribute of the schema
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

struct ChoiceSchema {
  bool wide = true;
  std::string choice;                   // wide: column that holds the code of the chosen alternative
  std::string situation, alternative;   // long: columns
  std::optional<Expression> chosen;     // long: true on the line of the chosen alternative
  std::optional<Expression> available;  // long; absent: always
  std::string outside;  // long: name of an option without attributes that is in every set; empty: none
  std::optional<Expression> filter, weight;
  std::string person;  // column; empty: every situation is another person's
  std::vector<std::pair<std::string, Expression>> derived;
  std::vector<std::string> attributes;
  std::vector<Expression> expressions;          // long: one per attribute
  std::vector<ChoiceAlternative> alternatives;  // long: may be empty, then the data tell
  std::vector<std::string> context,
      nominal;             // columns of the decision maker; those of them that are categories
  bool linear = true;      // else a network
  LinearUtility utility;   // linear
  std::vector<int> signs;  // per attribute: 1 it never lowers the utility, -1 it never raises it, 0 free
  std::vector<std::pair<std::string, std::string>> settings;  // [settings]: name and value

  std::vector<std::string> alternative_names() const;
};

// A schema that a program wrote ends each line with a comment "#: WHAT": the argument that the line is
// from, which messages name in place of file and line.
inline constexpr std::string_view kSchemaMark = "#: ";

// UsageError naming file and line for what is not TOML, unknown or absent keys, and expressions that make no
// sense.
ChoiceSchema read_choice_schema(std::string_view text, const std::string& name);

}  // namespace bl

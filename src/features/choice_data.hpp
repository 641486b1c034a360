// Choices as a model reads them: ragged sets of available alternatives, one after the other, and one row of
// context per situation. What is not available is not there, so nothing is padded.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "features/choice_schema.hpp"

namespace bl {

inline constexpr std::int32_t kUnknownChoice = -1;

struct ChoiceData {
  std::vector<std::string> alternatives;  // names; classes are indices into them
  std::vector<std::int64_t> begin;        // situations + 1
  Matrix<double> attributes;              // entries x attributes, with the terms behind them
  std::vector<std::int32_t> classes;      // entries
  std::vector<std::int32_t> chosen;       // situations: position in the own set, or kUnknownChoice
  std::vector<double> ranks;          // entries: 1 for the best; 0: below all that have one. Rankings alone
  std::vector<double> weights;        // situations; empty: all 1
  std::vector<std::int32_t> persons;  // situations: code from 0; empty without a person column
  std::vector<std::string> labels;    // situations: long: the situation's id, wide: the line of the file
  std::vector<Index> rows;            // situations: a row of the table, the first
  Table context;                      // one row per situation, the schema's context columns
  Table term_columns;                 // one row per situation, other columns that terms read
  // Long: columns behind several attributes that are the same on all lines of a situation, so the person's.
  std::set<std::string> person_columns;
  Matrix<double> membership;          // situations x expressions of latent classes
  std::vector<std::int32_t> sources;  // situations: level of the scale's column

  Index situations() const { return static_cast<Index>(begin.size()) - 1; }
  std::int64_t size(Index situation) const {
    const auto i = static_cast<std::size_t>(situation);
    return begin[i + 1] - begin[i];
  }
  double weight(std::size_t situation) const { return weights.empty() ? 1 : weights[situation]; }
  bool choices_known() const;
};

// The situations in these rows of the table that the filter keeps. DataError naming the line for a choice
// that is not among the alternatives or not available, for none or two chosen, an unknown or repeated
// alternative, an empty set and a missing value. Where the file has no column of choices they are unknown,
// unless `need_choice`.
ChoiceData read_choices(const Table& table, const ChoiceSchema& schema, bool need_choice);

// Codes of a column's values in these rows, from 0 in order of appearance. DataError naming the line of a
// missing one, which is called a `what`.
std::vector<std::int32_t> group_codes(const Table& table, const ChoiceSchema& schema,
                                      const std::string& column, const std::vector<Index>& rows,
                                      const char* what);

// The person of a row of the table, as the file spells it.
std::string person_name(const Table& table, const ChoiceSchema& schema, Index row);

// The levels of the scale's column in the rows that the filter keeps, the reference first. UsageError where
// there is one alone.
std::vector<std::string> scale_levels(const Table& table, const ChoiceSchema& schema);

// The given situations alone, in this order.
ChoiceData select_situations(const ChoiceData& data, const std::vector<Index>& situations);

}  // namespace bl

// Situations of choices as rows of the learned problem: every alternative is a response.
#pragma once

#include <vector>

#include "choice/scores.hpp"
#include "explain/best_response.hpp"

namespace bl {

struct Situations {
  ChoiceData data;
  Matrix<double> context, attributes;  // encoded
  ChoiceScores scores;

  Situations(const FittedModel& model, const Table& table, Part part, bool need_choice, const Context& job);
  Situations(const FittedModel& model, ChoiceData situations, Part part, const Context& job);

  std::size_t count() const { return data.chosen.size(); }
  explain::Response response(std::size_t entry) const;
  // Entries of a situation: the chosen one, which must be known, and the likeliest.
  std::size_t chosen(std::size_t situation) const;
  std::size_t likeliest(std::size_t situation) const;
};

// One situation decomposed, as explain_row does with a row.
std::string explain_situation(const FittedModel& model, const Table& table, std::size_t situation,
                              const std::string& block, const Context& job);

}  // namespace bl

// Choices as models of random utility read them: ragged sets of alternatives with the columns that a
// utility reads, ordered by person.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"

namespace bl::random_utility {

struct ChoiceSets {
  Matrix<double> design;                  // entries x columns
  std::vector<std::int64_t> begin;        // situations + 1: entries
  std::vector<std::int32_t> chosen;       // situations: position in the own set; 0 where nobody knows
  std::vector<std::int32_t> alternative;  // entries
  std::vector<std::int64_t> persons;      // persons + 1: situations
  std::vector<double> weights;            // persons
  Matrix<double> membership;              // persons x columns, of latent classes
  std::vector<std::int32_t> source;       // situations: whose scale they have; 0: 1

  Index situations() const { return static_cast<Index>(begin.size()) - 1; }
  Index person_count() const { return static_cast<Index>(persons.size()) - 1; }
  Index size(Index situation) const {
    const auto i = static_cast<std::size_t>(situation);
    return static_cast<Index>(begin[i + 1] - begin[i]);
  }
};

}  // namespace bl::random_utility

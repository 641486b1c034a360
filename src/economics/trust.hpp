// Whether economics that are read off a network can be trusted: what its members say one by one, and
// sentences where they differ, where a sign is wrong and where a number differs too much between situations.
#pragma once

#include <string>
#include <vector>

#include "bl/choice.hpp"

namespace bl {

// The networks that were joined into this one, each as a model; empty where there is one.
std::vector<Model> members_of(const Model& model);

// Shares of cases (an alternative in a situation, by weight).
struct SignShares {
  double below = 0, above = 0;
};

using Sentences = std::vector<std::string>;

// Both signs, each in 5% of cases or more.
void warn_of_signs(const std::string& what, const SignShares& shares, Sentences& out);
// Money that pleases in more than 1% of cases.
void warn_of_pleasing_cost(const std::string& money, const SignShares& shares, Sentences& out);
// Members of which one has another sign, or that lie further apart than half of the value.
void warn_of_members(const std::string& what, double value, const std::vector<double>& members,
                     Sentences& out);
// Quartiles further apart than the value is large.
void warn_of_quartiles(const std::string& what, double value, double lower, double upper, Sentences& out);
// Ends warnings of a network by what to do, and says what cannot be known of one network alone.
void advise(const Model& model, std::size_t members, Sentences& out);

}  // namespace bl

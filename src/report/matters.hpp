// Which columns matter, and how constraints bind.
#pragma once

#include <string>
#include <vector>

#include "report/subject.hpp"

namespace bl::report {

// Columns of the subject with what the mean log-likelihood loses without them, the largest first, and the
// standard error over parts of the rows. Where there are too many columns for that, or no likelihood: their
// share of what the blocks read, without errors.
struct ColumnImportance {
  std::size_t column = 0;
  double value = 0, error = 0;
};
struct Importance {
  std::vector<ColumnImportance> columns;
  bool likelihood = true;
  std::size_t rows = 0;
};
Importance column_importance(const TableSubject& subject);
// By the shares alone: needs no responses.
Importance reading_shares(const TableSubject& subject);
std::string importance_html(const TableSubject& subject, const Importance& importance);

// Tables and bars of every constraint; a sentence where there are none.
std::string constraints_html(const TableSubject& subject);
// Names of the constraints that move the utility most, for the switches of the page.
std::vector<std::string> leading_constraints(const explain::Problem& problem, std::size_t most);

}  // namespace bl::report

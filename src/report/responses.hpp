// How what is predicted changes with one column: for one row, and on average over rows.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"
#include "report/subject.hpp"

namespace bl::report {

// What is followed: class probabilities, or the mean of a number.
std::vector<std::string> outcome_labels(const TableSubject& subject);

struct ResponseCurve {
  std::size_t column = 0;           // among the subject's columns
  std::vector<double> places = {};  // of a number; levels have their own order
  // [outcome][place]
  std::vector<std::vector<double>> at_start = {}, average = {};
  std::vector<double> lower = {},
                      upper = {};  // of a number's distribution at the start: 10% and 90% quantiles
};

// What the lines of the charts are.
std::vector<std::string> curve_legend(const TableSubject& subject);

ResponseCurve response_curve(const TableSubject& subject, std::size_t column);

// One chart or more per curve, for pages and for pictures of their own.
std::vector<NamedChart> curve_charts(const TableSubject& subject, const ResponseCurve& curve);
// The same as HTML; levels of several outcomes as a table.
std::string curve_figure(const TableSubject& subject, const ResponseCurve& curve);

}  // namespace bl::report

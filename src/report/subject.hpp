// What a report is about: a model and the rows it is shown with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "bl/report.hpp"
#include "economics/typical.hpp"
#include "fitted/fitted_model.hpp"

namespace bl::report {

struct Rows {
  std::vector<Index> places;
  std::string text;  // "101 test rows, which the fit has not seen"
};

// Rows to judge quality by: of the fit's file the test part, or else validation, or else all; of another file
// all. Choices count situations.
Rows judged_rows(const FittedModel& model, const Table& table);

// A model of a table's responses.
struct TableSubject {
  const Model& model;
  const FittedModel& fitted;
  const Table& table;
  Encoder encoder;  // lenient: levels of no training row are missing
  const Context& job;
  Rows judged;
  std::vector<Index> shown;         // rows that columns and curves describe
  std::vector<ColumnView> columns;  // of the features
  std::vector<Cell> start;          // the row that curves and what-if begin at
  std::string start_text;           // "a typical row", "row 17"
};

// `row` of the table (1 is the first) is the start of curves and what-if; 0: a typical row.
TableSubject table_subject(const Model& model, const Data& data, std::size_t row, const Context& job);

// The table of some rows as data to be asked about.
Data data_of(Table table);

}  // namespace bl::report

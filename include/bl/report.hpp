// A model shown to people: one HTML file that needs nothing else, neither a network nor this library.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "bl/model.hpp"

namespace bl {

struct ReportOptions {
  std::string title = {};    // empty: made from the response
  std::string command = {};  // how the report was asked for, to be repeated in its record
  // This row of the data (1 is the first; of a choice a situation) as the start of what can be changed in the
  // page: its values then stand in the file. 0: a typical row, made from medians and most frequent levels.
  std::size_t row = 0;
  // Of choices: the attribute that is a cost, in which trade-offs and surplus are told; empty: one that is
  // called cost, price, fare or toll, if there is one.
  std::string money = {};
  std::size_t threads = 0;
  // should_stop ends the work with Interrupted.
  std::function<bool()> should_stop = {};
  std::function<void(double seconds, const std::string& text)> on_progress = {};
};

// The learned problem, response curves, constraints, quality, uncertainty, what-if and the record, of a model
// and rows with known responses. The file holds the model's parameters and aggregates of the data (quantiles,
// shares, counts, means over rows), never a row unless `row` asks for it.
std::string report_html(const Model& model, const Data& data, const ReportOptions& options = {});

}  // namespace bl

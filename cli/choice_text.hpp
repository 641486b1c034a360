// Pieces of text that answers about choices share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bl/choice.hpp"

namespace bl::cli {

// "(s.e. 0.1)", or nothing where there is no error; with the interval where there is one.
std::string error_text(double error, const Interval& interval);
// What intervals and errors are, in a line.
std::string errors_note(const EconomicsErrors& errors, const std::string& clusters = "");
// Why there are none.
std::string no_errors_note(const Model& model);
// "INCOME = 3 (1,024 situations)", underlined.
std::string segment_title(const std::string& column, const Segment& segment);
nlohmann::ordered_json interval_json(const Interval& one);
nlohmann::ordered_json intervals_json(const std::vector<Interval>& all);

}  // namespace bl::cli

// Charts side by side in one SVG file that any viewer draws.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"

namespace bl::report {

// In rows of three, with a legend of the lines above them. Colours stand in the file: it has no page around
// it.
std::string picture_sheet(const std::string& title, const std::vector<std::string>& legend,
                          const std::vector<NamedChart>& charts);

}  // namespace bl::report

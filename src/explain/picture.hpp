// Pictures as data URIs, for pages and drawings.
#pragma once

#include <string>
#include <vector>

#include "data/table.hpp"

namespace bl::explain {

// Numbers row by row: white for 0, blue for positive, red for negative ones, the largest in full color.
std::string picture_uri(const std::vector<double>& values, const ImageShape& shape);

// Bytes of three channels, red, green, blue, row by row.
std::string png_uri(const std::vector<unsigned char>& rgb, const ImageShape& shape);

}  // namespace bl::explain

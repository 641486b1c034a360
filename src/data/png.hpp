// Grey values of a PNG image (https://www.w3.org/TR/png): 8 bits a channel, not interlaced; colours are
// weighed to grey as in ITU-R 601, transparency is passed over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/table.hpp"

namespace bl {

struct GreyImage {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  // row by row
};

// DataError, naming the file, for what is damaged or of another kind.
GreyImage read_png(std::string_view bytes, const std::string& name);

}  // namespace bl

#include "explain/picture.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/base64.hpp"

namespace bl::explain {

namespace {

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 255U);
  return out;
}

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string checked = kind + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + checked +
         big_endian(static_cast<std::uint32_t>(sum));
}

// White for 0, blue for positive, red for negative values, as in the other pictures.
std::vector<unsigned char> colors(const std::vector<double>& values) {
  constexpr std::array<double, 3> kFullBlue = {33, 102, 172}, kFullRed = {178, 24, 43};
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  std::vector<unsigned char> rgb;
  for (const double value : values) {
    const double share = largest > 0 ? std::abs(value) / largest : 0;
    const auto& full = value > 0 ? kFullBlue : kFullRed;
    for (const double channel : full)
      rgb.push_back(static_cast<unsigned char>(std::lround(255 + share * (channel - 255))));
  }
  return rgb;
}

}  // namespace

std::string png_uri(const std::vector<unsigned char>& rgb, const ImageShape& shape) {
  std::string lines;
  for (Index row = 0; row < shape.height; ++row) {
    lines += '\0';  // no filter
    lines.append(reinterpret_cast<const char*>(rgb.data()) + 3 * row * shape.width,
                 static_cast<std::size_t>(3 * shape.width));
  }
  std::string packed(compressBound(static_cast<uLong>(lines.size())), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(lines.data()),
           static_cast<uLong>(lines.size()));
  packed.resize(size);
  const std::string header = big_endian(static_cast<std::uint32_t>(shape.width)) +
                             big_endian(static_cast<std::uint32_t>(shape.height)) +
                             std::string("\x08\x02\0\0\0", 5);
  return "data:image/png;base64," +
         base64("\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", ""));
}

std::string picture_uri(const std::vector<double>& values, const ImageShape& shape) {
  return png_uri(colors(values), shape);
}

}  // namespace bl::explain

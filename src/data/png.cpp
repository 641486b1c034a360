#include "data/png.hpp"

#include <zlib.h>

#include <array>
#include <cstdlib>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::uint32_t kLargestSide = 1 << 14;

class PngReader {
 public:
  PngReader(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  GreyImage read() {
    if (!rest_.starts_with(kSignature)) fail("is no PNG image");
    rest_.remove_prefix(kSignature.size());
    std::string packed;
    for (bool last = false; !last;) last = chunk(packed);
    if (channels_ == 0) fail("has no header");
    const std::size_t line = std::size_t{width_} * channels_ + 1;
    std::vector<std::uint8_t> lines(line * height_);
    uLongf size = lines.size();
    if (uncompress(lines.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) !=
            Z_OK ||
        size != lines.size())
      fail("is damaged: its pixels cannot be unpacked");
    GreyImage image{{static_cast<Index>(height_), static_cast<Index>(width_)}, {}};
    for (std::uint32_t row = 0; row < height_; ++row) {
      unfilter(lines, row, line);
      for (std::uint32_t column = 0; column < width_; ++column)
        image.pixels.push_back(grey(&lines[row * line + 1 + std::size_t{column} * channels_]));
    }
    return image;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw DataError(name_ + ": " + message); }

  std::uint32_t number() {
    if (rest_.size() < 4) fail("is cut short");
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
      value = (value << 8) | static_cast<unsigned char>(rest_[static_cast<std::size_t>(i)]);
    rest_.remove_prefix(4);
    return value;
  }

  // Takes one chunk; true for the last.
  bool chunk(std::string& packed) {
    const std::uint32_t length = number();
    if (rest_.size() < std::size_t{length} + 8) fail("is cut short");
    const std::string_view kind = rest_.substr(0, 4), data = rest_.substr(4, length);
    if (kind == "IHDR") header(data);
    if (kind == "PLTE") palette_ = data;
    if (kind == "IDAT") packed += data;
    rest_.remove_prefix(std::size_t{length} + 8);
    return kind == "IEND";
  }

  void header(std::string_view data) {
    if (data.size() != 13) fail("has a damaged header");
    std::string_view rest = rest_;
    rest_ = data;
    width_ = number();
    height_ = number();
    rest_ = rest;
    const auto depth = data[8], colour = data[9], interlaced = data[12];
    if (width_ == 0 || height_ == 0 || width_ > kLargestSide || height_ > kLargestSide)
      fail("has no pixels, or too many");
    if (depth != 8 || interlaced != 0)
      fail("has " + std::to_string(depth) +
           " bits a channel or is interlaced; save it with 8 bits, not interlaced");
    constexpr std::array<std::size_t, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
    colour_ = static_cast<unsigned char>(colour);
    channels_ = colour_ < kChannels.size() ? kChannels[colour_] : 0;
    if (channels_ == 0) fail("has a colour type that is not known");
  }

  // Undoes the prediction of a line from its neighbours.
  void unfilter(std::vector<std::uint8_t>& lines, std::uint32_t row, std::size_t line) const {
    std::uint8_t* at = &lines[row * line + 1];
    const std::uint8_t* above = row > 0 ? at - line : nullptr;
    const std::uint8_t filter = at[-1];
    if (filter > 4) fail("is damaged: filter " + std::to_string(filter));
    for (std::size_t i = 0; i + 1 < line; ++i) {
      const int a = i >= channels_ ? at[i - channels_] : 0, b = above != nullptr ? above[i] : 0;
      const int c = above != nullptr && i >= channels_ ? above[i - channels_] : 0;
      const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
      const int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      const std::array<int, 5> predicted = {0, a, b, (a + b) / 2, paeth};
      at[i] = static_cast<std::uint8_t>(at[i] + predicted[filter]);
    }
  }

  std::uint8_t grey(const std::uint8_t* pixel) const {
    constexpr std::uint8_t kGrey = 0, kPalette = 3, kGreyAlpha = 4;
    if (colour_ == kGrey || colour_ == kGreyAlpha) return *pixel;
    std::array<int, 3> rgb{};
    for (std::size_t i = 0; i < 3; ++i) {
      if (colour_ == kPalette && std::size_t{3} * *pixel + 2 >= palette_.size())
        fail("names a colour that its palette lacks");
      rgb[i] =
          colour_ == kPalette ? static_cast<unsigned char>(palette_[std::size_t{3} * *pixel + i]) : pixel[i];
    }
    return static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
  }

  std::string_view rest_, palette_;
  const std::string& name_;
  std::uint32_t width_ = 0, height_ = 0;
  std::size_t channels_ = 0;
  std::uint8_t colour_ = 0;
};

}  // namespace

GreyImage read_png(std::string_view bytes, const std::string& name) {
  return PngReader(bytes, name).read();
}

}  // namespace bl

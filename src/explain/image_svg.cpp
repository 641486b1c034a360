#include "explain/image_svg.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "data/table.hpp"
#include "explain/svg_parts.hpp"
#include "model/parameters.hpp"

namespace bl::explain {

namespace {

constexpr double kSide = 84, kImageGap = 10, kBlockWidth = 3 * kSide + 2 * kImageGap,
                 kBlockHeight = kSide + 44;
constexpr Index kColumns = 3;
constexpr double kImageMargin = 20, kImageTop = 58;

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

std::string base64(const std::string& bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = (three << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? kLetters[(three >> (18 - 6 * k)) & 63U] : '=';
  }
  return out;
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

std::string png_uri(const std::vector<unsigned char>& rgb, Index height, Index width) {
  std::string lines;
  for (Index row = 0; row < height; ++row) {
    lines += '\0';  // no filter
    lines.append(reinterpret_cast<const char*>(rgb.data()) + 3 * row * width,
                 static_cast<std::size_t>(3 * width));
  }
  std::string packed(compressBound(static_cast<uLong>(lines.size())), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(lines.data()),
           static_cast<uLong>(lines.size()));
  packed.resize(size);
  const std::string header = big_endian(static_cast<std::uint32_t>(width)) +
                             big_endian(static_cast<std::uint32_t>(height)) +
                             std::string("\x08\x02\0\0\0", 5);
  return "data:image/png;base64," +
         base64("\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", ""));
}

std::vector<double> head_image(const StoredModel& model, const ImageShape& shape, HeadKind kind,
                               Index block) {
  std::vector<double> image(static_cast<std::size_t>(shape.height * shape.width), 0);
  const ParameterLayout layout(model.architecture);
  const Index heads = model.architecture.layers[0].heads(kind);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.role != TensorRole::weight || tensor.layer != 0 || tensor.kind != kind) continue;
    const auto& columns = model.encoder.columns();
    for (Index head = block * heads; head < (block + 1) * heads; ++head)
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const Index pixel = pixel_of(columns[c].name);
        if (pixel >= 0 && pixel < static_cast<Index>(image.size()))
          image[static_cast<std::size_t>(pixel)] +=
              model.parameters[static_cast<std::size_t>(tensor.offset + head * tensor.cols) + c];
      }
  }
  return image;
}

std::string image_svg(const StoredModel& model, const ImageShape& shape,
                      const std::vector<ImageBlock>& blocks) {
  const auto count = static_cast<Index>(blocks.size());
  const double width =
      2 * kImageMargin + static_cast<double>(std::min(count, kColumns)) * (kBlockWidth + 2 * kImageGap);
  const Index lines = (count + kColumns - 1) / kColumns;
  const double height = kImageTop + static_cast<double>(lines) * kBlockHeight + kImageMargin;
  std::string out = svg_start(std::max(width, 640.0), height);
  out +=
      svg_text({12, 22}, "What the blocks of the first layer look for", "font-weight='bold' font-size='14'");
  out += svg_text({12, 40}, "U: wants to see. C: forbids. T: balances. Blue raises a head, red lowers it.");
  for (Index i = 0; i < count; ++i) {
    const double x = kImageMargin + static_cast<double>(i % kColumns) * (kBlockWidth + 2 * kImageGap);
    const Index line = i / kColumns;
    const double y = kImageTop + static_cast<double>(line) * kBlockHeight;
    const ImageBlock& one = blocks[static_cast<std::size_t>(i)];
    out += svg_text({x, y + 12},
                    fmt::format("L1.B{}", one.block + 1) +
                        (one.influence > 0 ? fmt::format(", influence {:.1f}%", 100 * one.influence) : ""));
    double at = x;
    for (const auto& [kind, letter] :
         {std::pair{HeadKind::utility, "U"}, std::pair{HeadKind::inequality, "C"},
          std::pair{HeadKind::equality, "T"}}) {
      if (model.architecture.layers[0].heads(kind) == 0) continue;
      const auto rgb = colors(head_image(model, shape, kind, one.block));
      out += fmt::format(
          "<image x='{:.0f}' y='{:.0f}' width='{:.0f}' height='{:.0f}' style='image-rendering:pixelated' "
          "href='{}'/>\n<rect x='{:.0f}' y='{:.0f}' width='{:.0f}' height='{:.0f}' fill='none' "
          "stroke='#bbb'/>\n",
          at, y + 18, kSide, kSide, png_uri(rgb, shape.height, shape.width), at, y + 18, kSide, kSide);
      out += svg_text({at + kSide / 2, y + 32 + kSide}, letter, "text-anchor='middle'");
      at += kSide + kImageGap;
    }
  }
  return out + "</svg>\n";
}

}  // namespace bl::explain

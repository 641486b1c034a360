#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/item_reader.hpp"

namespace bl {

namespace {

constexpr std::uint32_t kImageMagic = 2051;
constexpr std::uint32_t kLabelMagic = 2049;
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 20;

// One IDX file of bytes: items of the same size, one after the other. What the header claims is believed only
// when the first item has arrived, at most kMostPixels bytes; further items are read one by one. Their
// numbers are 0 to 255: pixels row by row of the image, or a label.
class IdxItems {
 public:
  explicit IdxItems(Input input) : input_(std::move(input)) { start(); }

  std::size_t numbers() const { return item_.size(); }
  std::uint32_t items_read() const { return read_; }
  std::optional<ImageShape> image() const { return images() ? std::optional(shape_) : std::nullopt; }
  std::string column(std::size_t i) const { return images() ? "pixel_" + std::to_string(i) : kImageLabel; }

  void check_labels(const IdxItems& labels) const {
    if (!images()) fail("holds labels where images should be");
    if (labels.images()) labels.fail("holds images where labels should be");
    if (labels.count_ != count_) {
      labels.fail("holds " + std::to_string(labels.count_) + " labels for the " + std::to_string(count_) +
                  " images of " + input_.name());
    }
  }

  // Behind the last item nothing may follow.
  bool next(std::span<double> out) {
    if (read_ == count_) {
      if (!input_.peek(1).empty())
        fail("the file goes on after the " + std::to_string(count_) + " items it declares");
      return false;
    }
    if (input_.fill(item_) < item_.size()) fail_short();
    std::ranges::transform(item_, out.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
    ++read_;
    return true;
  }

  void rewind() {
    input_.rewind();
    start();
  }

 private:
  bool images() const { return magic_ == kImageMagic; }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(input_.name() + ": " + message);
  }

  [[noreturn]] void fail_short() const {
    fail("the header declares " + std::to_string(count_) + " items, the file ends within item " +
         std::to_string(read_ + 1) + "; copy or download it again");
  }

  void start() {
    read_ = 0;
    magic_ = big_endian();
    if (magic_ != kImageMagic && magic_ != kLabelMagic) {
      fail("the magic number is " + std::to_string(magic_) + "; IDX images have 2051, IDX labels 2049");
    }
    count_ = big_endian();
    std::uint64_t size = 1;
    if (images()) {
      const std::uint64_t height = big_endian();
      const std::uint64_t width = big_endian();
      size = height * width;
      shape_ = {static_cast<Index>(height), static_cast<Index>(width)};
      if (size == 0 || size > kMostPixels) {
        fail("images of " + std::to_string(height) + " x " + std::to_string(width) +
             " pixels are declared; between 1 and 1048576 pixels are possible");
      }
    }
    if (count_ > 0 && input_.peek(size).size() < size) fail_short();
    item_.resize(size);
  }

  std::uint32_t big_endian() {
    std::array<char, 4> bytes;
    if (input_.fill(bytes) < bytes.size()) fail("the file ends within its header");
    std::uint32_t value = 0;
    for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
    return value;
  }

  Input input_;
  std::uint32_t magic_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t read_ = 0;
  ImageShape shape_ = {};
  std::vector<char> item_;
};

}  // namespace

std::unique_ptr<RowReader> open_idx(Input input, const ReadOptions& options) {
  return std::make_unique<ItemReader<IdxItems>>(IdxItems(std::move(input)), std::nullopt, options);
}

std::unique_ptr<RowReader> open_idx(Input images, Input labels, const ReadOptions& options) {
  return std::make_unique<ItemReader<IdxItems>>(IdxItems(std::move(images)), IdxItems(std::move(labels)),
                                                options);
}

}  // namespace bl

// NumPy's .npy files: an array of rows, or of images, and an array of labels beside it.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/item_reader.hpp"

namespace bl {

namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 22;  // in one row
constexpr std::size_t kLongestHeader = std::size_t{1} << 16;

template <class T>
double number_at(const char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

// How an element is stored: its size and how to read it.
struct Element {
  std::size_t size = 0;
  double (*read)(const char*) = nullptr;
};

std::optional<Element> element_of(std::string_view type) {
  if (type == "|u1" || type == "|b1") return Element{1, number_at<std::uint8_t>};
  if (type == "|i1") return Element{1, number_at<std::int8_t>};
  if (type == "<u2") return Element{2, number_at<std::uint16_t>};
  if (type == "<i2") return Element{2, number_at<std::int16_t>};
  if (type == "<u4") return Element{4, number_at<std::uint32_t>};
  if (type == "<i4") return Element{4, number_at<std::int32_t>};
  if (type == "<u8") return Element{8, number_at<std::uint64_t>};
  if (type == "<i8") return Element{8, number_at<std::int64_t>};
  if (type == "<f4") return Element{4, number_at<float>};
  if (type == "<f8") return Element{8, number_at<double>};
  return std::nullopt;
}

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in the file");

// The items of one array: rows along its first axis.
class NpyItems {
 public:
  explicit NpyItems(Input input) : input_(std::move(input)) { start(); }

  std::size_t numbers() const { return numbers_; }
  std::int64_t items_read() const { return read_; }
  std::optional<ImageShape> image() const {
    if (shape_.size() != 3) return std::nullopt;
    return ImageShape{static_cast<Index>(shape_[1]), static_cast<Index>(shape_[2])};
  }

  std::string column(std::size_t i) const {
    return is_list() ? "value" : (image() ? "pixel_" : "x") + std::to_string(i);
  }

  void check_labels(const NpyItems& labels) const {
    if (!labels.is_list() || labels.count() != count())
      labels.fail("should be a list of " + std::to_string(count()) + " labels, one for each item of " +
                  input_.name());
  }

  bool next(std::span<double> out) {
    if (read_ == count()) return false;
    item_.resize(numbers_ * element_.size);
    if (input_.fill(item_) < item_.size())
      fail("the header declares " + std::to_string(count()) + " items, the file ends within item " +
           std::to_string(read_ + 1) + "; copy or download it again");
    ++read_;
    for (std::size_t i = 0; i < numbers_; ++i) {
      out[i] = element_.read(item_.data() + i * element_.size);
      if (std::isinf(out[i])) fail("item " + std::to_string(read_) + " is infinite");
    }
    return true;
  }

  void rewind() {
    input_.rewind();
    start();
  }

 private:
  std::int64_t count() const { return shape_[0]; }
  bool is_list() const { return shape_.size() == 1; }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(input_.name() + ": " + message);
  }

  void start() {
    read_ = 0;
    std::array<char, 8> first{};
    if (input_.fill(first) < first.size()) fail("the file ends within its header");
    std::array<char, 4> length{};
    const std::size_t width = first[6] == 1 ? 2 : 4;
    if (input_.fill(std::span(length).first(width)) < width) fail("the file ends within its header");
    const auto bytes = static_cast<std::size_t>(number_at<std::uint32_t>(length.data()));
    if (bytes > kLongestHeader)
      fail("the header is longer than " + std::to_string(kLongestHeader) + " bytes");
    std::string header(bytes, ' ');
    if (input_.fill(header) < bytes) fail("the file ends within its header");
    read_header(header);
  }

  void read_header(const std::string& header) {
    const std::string type = quoted_after(header, "'descr'");
    const auto element = element_of(type);
    if (!element)
      fail("an array of " + in_quotes(type) +
           " is not numeric; save it as integers or floats in little-endian order");
    element_ = *element;
    if (header.find("'fortran_order': True") != std::string::npos)
      fail("the array is in Fortran order; save numpy.ascontiguousarray of it");
    shape_ = shape_of(header);
    std::int64_t numbers = 1;
    for (std::size_t i = 1; i < shape_.size(); ++i) {
      if (shape_[i] < 1 || shape_[i] > kMostNumbers / numbers)
        fail("an item has no numbers, or more than " + std::to_string(kMostNumbers));
      numbers *= shape_[i];
    }
    numbers_ = static_cast<std::size_t>(numbers);
  }

  std::string quoted_after(const std::string& header, std::string_view key) const {
    const std::size_t at = header.find(key);
    const std::size_t from = at == std::string::npos ? at : header.find('\'', at + key.size());
    const std::size_t to = from == std::string::npos ? from : header.find('\'', from + 1);
    if (to == std::string::npos) fail("the header has no plain 'descr'; records cannot be read");
    return header.substr(from + 1, to - from - 1);
  }

  std::vector<std::int64_t> shape_of(const std::string& header) const {
    const std::size_t key = header.find("'shape'");
    const std::size_t from = key == std::string::npos ? key : header.find('(', key);
    const std::size_t to = from == std::string::npos ? from : header.find(')', from);
    if (to == std::string::npos) fail("the header has no 'shape'");
    std::vector<std::int64_t> shape;
    for (const char* at = header.data() + from + 1; at < header.data() + to;) {
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(at, header.data() + to, size);
      if (error == std::errc() && size >= 0) shape.push_back(size);
      at = error == std::errc() ? end : at + 1;
    }
    if (shape.empty() || shape.size() > 3)
      fail("the array has " + std::to_string(shape.size()) +
           " axes; rows have one or two, grey images three");
    return shape;
  }

  Input input_;
  Element element_;
  std::vector<std::int64_t> shape_;
  std::size_t numbers_ = 1;
  std::int64_t read_ = 0;
  std::vector<char> item_;
};

}  // namespace

std::unique_ptr<RowReader> open_npy(Input input, const ReadOptions& options) {
  return std::make_unique<ItemReader<NpyItems>>(NpyItems(std::move(input)), std::nullopt, options);
}

std::unique_ptr<RowReader> open_npy(Input items, Input labels, const ReadOptions& options) {
  return std::make_unique<ItemReader<NpyItems>>(NpyItems(std::move(items)), NpyItems(std::move(labels)),
                                                options);
}

}  // namespace bl

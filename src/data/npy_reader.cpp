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
#include "data/row_reader.hpp"

namespace bl {

namespace {

using Reading = ColumnPlan::Reading;

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

  const std::string& name() const { return input_.name(); }
  std::int64_t count() const { return shape_[0]; }
  std::size_t numbers() const { return numbers_; }
  std::int64_t items_read() const { return read_; }
  bool is_list() const { return shape_.size() == 1; }
  std::optional<ImageShape> image() const {
    if (shape_.size() != 3) return std::nullopt;
    return ImageShape{static_cast<Index>(shape_[1]), static_cast<Index>(shape_[2])};
  }

  // False behind the last item.
  bool next(std::span<double> out) {
    if (read_ == count()) return false;
    item_.resize(numbers_ * element_.size);
    if (input_.fill(item_) < item_.size())
      fail("the header declares " + std::to_string(count()) + " items, the file ends within item " +
           std::to_string(read_ + 1) + "; copy or download it again");
    for (std::size_t i = 0; i < numbers_; ++i) out[i] = element_.read(item_.data() + i * element_.size);
    ++read_;
    return true;
  }

  void rewind() {
    input_.rewind();
    start();
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(input_.name() + ": " + message);
  }

 private:
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

// Columns pixel_0, ... of images, x0, x1, ... of rows, value of a list; then label.
class NpyReader final : public RowReader {
 public:
  NpyReader(NpyItems items, std::optional<NpyItems> labels, const ReadOptions& options)
      : items_(std::move(items)), labels_(std::move(labels)), options_(options) {
    if (labels_ && (!labels_->is_list() || labels_->count() != items_.count()))
      labels_->fail("should be a list of " + std::to_string(items_.count()) +
                    " labels, one for each item of " + items_.name());
    values_.resize(items_.numbers() + (labels_ ? 1 : 0));
  }

  std::vector<ColumnPlan> plans(Reading undeclared) const override {
    std::vector<ColumnPlan> plans;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bool label = i == items_.numbers();
      std::string name = label              ? kImageLabel
                         : items_.is_list() ? "value"
                                            : (items_.image() ? "pixel_" : "x") + std::to_string(i);
      const bool skipped = undeclared == Reading::skip && !options_.types.contains(name);
      plans.push_back({std::move(name), skipped ? Reading::skip : Reading::numeric, {}});
    }
    return plans;
  }

  CellRules cell_rules() const override { return {}; }
  std::optional<ImageShape> image() const override { return items_.image(); }

  void read(Index max_rows, TableBuilder& out) override {
    for (Index added = 0; added < max_rows; ++added) {
      if (!items_.next(std::span(values_).first(items_.numbers()))) return;
      if (labels_) labels_->next(std::span(values_).last(1));
      for (const double value : values_)
        if (std::isinf(value)) items_.fail("item " + std::to_string(items_.items_read()) + " is infinite");
      out.add_numbers(values_, items_.items_read());
    }
  }

  void rewind() override {
    items_.rewind();
    if (labels_) labels_->rewind();
  }

 private:
  NpyItems items_;
  std::optional<NpyItems> labels_;
  const ReadOptions& options_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RowReader> open_npy(Input input, const ReadOptions& options) {
  return std::make_unique<NpyReader>(NpyItems(std::move(input)), std::nullopt, options);
}

std::unique_ptr<RowReader> open_npy(Input items, Input labels, const ReadOptions& options) {
  return std::make_unique<NpyReader>(NpyItems(std::move(items)), NpyItems(std::move(labels)), options);
}

}  // namespace bl

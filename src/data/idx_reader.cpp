#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/row_reader.hpp"

namespace bl {

namespace {

using Reading = ColumnPlan::Reading;

constexpr std::uint32_t kImageMagic = 2051;
constexpr std::uint32_t kLabelMagic = 2049;
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 20;

// One IDX file of bytes: items of the same size, one after the other. What the header claims is believed only
// when the first item has arrived, at most kMostPixels bytes; further items are read one by one.
class IdxItems {
 public:
  explicit IdxItems(Input input) : input_(std::move(input)) { start(); }

  const std::string& name() const { return input_.name(); }
  bool images() const { return magic_ == kImageMagic; }
  std::uint32_t count() const { return count_; }
  std::size_t item_size() const { return item_.size(); }
  std::uint32_t items_read() const { return read_; }
  ImageShape shape() const { return shape_; }

  // The bytes of the next item; empty behind the last one, where nothing may follow.
  std::span<const char> next() {
    if (read_ == count_) {
      if (!input_.peek(1).empty())
        fail("the file goes on after the " + std::to_string(count_) + " items it declares");
      return {};
    }
    if (input_.fill(item_) < item_.size()) fail_short();
    ++read_;
    return item_;
  }

  void rewind() {
    input_.rewind();
    start();
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(input_.name() + ": " + message);
  }

 private:
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

// Columns pixel_0, pixel_1, ... row by row of the image, each 0 to 255, and label. Lines are counted as
// items.
class IdxReader final : public RowReader {
 public:
  IdxReader(IdxItems items, std::optional<IdxItems> labels, const ReadOptions& options)
      : items_(std::move(items)), labels_(std::move(labels)), options_(options) {
    check_pair();
    values_.resize(items_.item_size() + (labels_ ? 1 : 0));
  }

  std::vector<ColumnPlan> plans(Reading undeclared) const override {
    std::vector<ColumnPlan> plans;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bool label = !items_.images() || i == items_.item_size();
      ColumnPlan plan{label ? kImageLabel : "pixel_" + std::to_string(i), Reading::numeric, {}};
      if (undeclared == Reading::skip && !options_.types.contains(plan.name)) plan.reading = Reading::skip;
      plans.push_back(std::move(plan));
    }
    return plans;
  }

  CellRules cell_rules() const override { return {}; }

  std::optional<ImageShape> image() const override {
    return items_.images() ? std::optional(items_.shape()) : std::nullopt;
  }

  void read(Index max_rows, TableBuilder& out) override {
    for (Index added = 0; added < max_rows; ++added) {
      const auto item = items_.next();
      const auto label = labels_ ? labels_->next() : std::span<const char>{};
      if (item.empty()) return;
      const auto to_number = [](char byte) { return static_cast<double>(static_cast<unsigned char>(byte)); };
      std::transform(item.begin(), item.end(), values_.begin(), to_number);
      if (labels_) values_.back() = to_number(label[0]);
      out.add_numbers(values_, items_.items_read());
    }
  }

  void rewind() override {
    items_.rewind();
    if (labels_) labels_->rewind();
  }

 private:
  void check_pair() const {
    if (!labels_) return;
    if (!items_.images()) items_.fail("holds labels where images should be");
    if (labels_->images()) labels_->fail("holds images where labels should be");
    if (labels_->count() != items_.count()) {
      labels_->fail("holds " + std::to_string(labels_->count()) + " labels for the " +
                    std::to_string(items_.count()) + " images of " + items_.name());
    }
  }

  IdxItems items_;
  std::optional<IdxItems> labels_;
  const ReadOptions& options_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RowReader> open_idx(Input input, const ReadOptions& options) {
  return std::make_unique<IdxReader>(IdxItems(std::move(input)), std::nullopt, options);
}

std::unique_ptr<RowReader> open_idx(Input images, Input labels, const ReadOptions& options) {
  return std::make_unique<IdxReader>(IdxItems(std::move(images)), IdxItems(std::move(labels)), options);
}

}  // namespace bl

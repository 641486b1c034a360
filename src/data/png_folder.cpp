// A folder of PNG images of one size. Images in folders inside it are labelled by these folders' names.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/png.hpp"
#include "data/row_reader.hpp"

namespace bl {

namespace {

using Reading = ColumnPlan::Reading;
namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 26;

bool is_png(const fs::path& path) {
  std::string end = path.extension().string();
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == ".png";
}

struct LabelledFile {
  std::string label;
  fs::path path;
  auto operator<=>(const LabelledFile&) const = default;
};

std::vector<LabelledFile> images_in(const std::string& folder) {
  std::vector<LabelledFile> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) {
      for (const auto& image : fs::directory_iterator(entry.path()))
        if (is_png(image.path())) found.push_back({entry.path().filename().string(), image.path()});
    } else if (is_png(entry.path())) {
      found.push_back({"", entry.path()});
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

class PngFolderReader final : public RowReader {
 public:
  PngFolderReader(const std::string& folder, const ReadOptions& options)
      : files_(images_in(folder)), options_(options) {
    if (files_.empty())
      throw DataError(folder + ": the folder holds no PNG images, neither itself nor in folders inside it");
    labelled_ = !files_.back().label.empty();
    if (labelled_ && files_.front().label.empty())
      throw DataError(files_.front().path.string() +
                      ": stands beside folders of images, so it has no label; move it into one");
    shape_ = load(0).shape;
    for (std::size_t value = 0; value < texts_.size(); ++value) texts_[value] = std::to_string(value);
  }

  std::vector<ColumnPlan> plans(Reading undeclared) const override {
    std::vector<std::string> names;
    for (Index i = 0; i < shape_.height * shape_.width; ++i) names.push_back("pixel_" + std::to_string(i));
    if (labelled_) names.emplace_back(kImageLabel);
    return plan_columns(names, options_, undeclared);
  }

  CellRules cell_rules() const override { return {}; }
  std::optional<ImageShape> image() const override { return shape_; }

  void read(Index max_rows, TableBuilder& out) override {
    std::vector<std::string_view> cells;
    for (Index added = 0; added < max_rows && at_ < files_.size(); ++added, ++at_) {
      const GreyImage image = load(at_);
      if (!(image.shape == shape_))
        throw DataError(files_[at_].path.string() + ": " + size_text(image.shape) + " pixels, but " +
                        files_[0].path.string() + " has " + size_text(shape_) +
                        "; bring all images to one size");
      cells.clear();
      for (const std::uint8_t value : image.pixels) cells.emplace_back(texts_[value]);
      if (labelled_) cells.emplace_back(files_[at_].label);
      out.add_row(cells, static_cast<std::int64_t>(at_) + 1);
    }
  }

  void rewind() override { at_ = 0; }

 private:
  GreyImage load(std::size_t i) const {
    const std::string path = files_[i].path.string();
    return read_png(read_whole_file(path, kLargestFile), path);
  }

  static std::string size_text(const ImageShape& shape) {
    return std::to_string(shape.height) + " x " + std::to_string(shape.width);
  }

  std::vector<LabelledFile> files_;
  const ReadOptions& options_;
  bool labelled_ = false;
  ImageShape shape_;
  std::array<std::string, 256> texts_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<RowReader> open_png_folder(const std::string& folder, const ReadOptions& options) {
  return std::make_unique<PngFolderReader>(folder, options);
}

}  // namespace bl

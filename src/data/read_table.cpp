#include "data/read_table.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>

#include "bl/errors.hpp"
#include "data/column_builder.hpp"
#include "data/csv_parts.hpp"
#include "data/file_list.hpp"
#include "data/row_reader.hpp"

namespace bl {

namespace {

using Reading = ColumnPlan::Reading;

constexpr std::size_t kSniff = 4096;
constexpr std::string_view kIdxImages("\0\0\x08\x03", 4);
constexpr std::string_view kNpy("\x93NUMPY", 6);
constexpr std::string_view kIdxLabels("\0\0\x08\x01", 4);

bool starts_with_word(std::string_view text, std::string_view lower_word) {
  return text.size() >= lower_word.size() &&
         std::equal(lower_word.begin(), lower_word.end(), text.begin(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

// The first line that is neither blank nor a comment is @relation.
bool looks_like_arff(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return false;
    text.remove_prefix(first);
    if (text[0] != '%') return starts_with_word(text, "@relation");
    text.remove_prefix(std::min(text.size(), text.find('\n')));
  }
  return false;
}

bool has_extension(std::string name, std::string_view extension) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name.ends_with(extension);
}

// The neighbor "labels-idx1" of an "images-idx3" file; empty when there is none.
std::string labels_beside(const std::string& path) {
  constexpr std::string_view kImages = "images-idx3";
  const std::size_t at = path.rfind(kImages);
  if (at == std::string::npos) return "";
  std::string labels = path;
  labels.replace(at, kImages.size(), "labels-idx1");
  return std::filesystem::exists(labels) ? labels : "";
}

std::unique_ptr<RowReader> open_rows(Input input, bool rewindable, const std::string& path,
                                     const ReadOptions& options) {
  const std::string_view first = input.peek(kSniff);
  if (first.starts_with(kIdxImages)) {
    const std::string labels = options.labels.empty() ? labels_beside(path) : options.labels;
    if (labels.empty()) return open_idx(std::move(input), options);
    return open_idx(std::move(input), open_input(labels, rewindable), options);
  }
  if (first.starts_with(kIdxLabels)) return open_idx(std::move(input), options);
  if (first.starts_with(kNpy)) {
    if (options.labels.empty()) return open_npy(std::move(input), options);
    return open_npy(std::move(input), open_input(options.labels, rewindable), options);
  }
  if (has_extension(input.name(), ".arff") || looks_like_arff(first))
    return open_arff(std::move(input), options);
  return open_csv(std::move(input), options);
}

[[noreturn]] void fail_without_rows(const std::string& source) {
  throw DataError(source + ": the file has column names but no rows");
}

// Reads all rows, once more from the start each time a column that looked numeric turns out to be text.
Table read_whole(RowReader& rows, const std::string& source) {
  std::vector<ColumnPlan> plans = rows.plans(Reading::find_out);
  for (;;) {
    TableBuilder builder(source, plans, rows.cell_rules());
    rows.read(kProbeRows, builder);
    plans = builder.revised_plans();
    if (plans.empty()) {
      rows.read(std::numeric_limits<Index>::max(), builder);
      plans = builder.revised_plans();
    }
    if (plans.empty()) {
      if (builder.rows() == 0) fail_without_rows(source);
      Table table = builder.take();
      table.image = rows.image();
      return table;
    }
    rows.rewind();
  }
}

}  // namespace

bool is_csv(const std::string& path) {
  if (std::filesystem::is_directory(path)) return false;
  Input input = open_input(path, false);
  const std::string_view first = input.peek(kSniff);
  return !first.starts_with(kIdxImages) && !first.starts_with(kIdxLabels) && !first.starts_with(kNpy) &&
         !has_extension(path, ".arff") && !looks_like_arff(first);
}

bool is_packed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1F && file.get() == 0x8B;
}

Table read_table(const std::string& path, const ReadOptions& options) {
  const std::vector<std::string> files = files_of({path});
  if (files.size() > 1) return read_files(files, options);
  if (files[0] != path) return read_table(files[0], options);
  if (std::filesystem::is_directory(path)) return read_whole(*open_png_folder(path, options), path);
  Input input = open_input(path, true);
  const std::string source = input.name();
  return read_whole(*open_rows(std::move(input), true, path, options), source);
}

Table read_table_from_memory(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return read_whole(*open_rows(memory_input(bytes, name), true, "", options), name);
}

TableReader::TableReader(const std::string& path, ReadOptions options)
    : options_(std::make_unique<ReadOptions>(std::move(options))) {
  open_alone(path);
  make_builder();
}

TableReader::TableReader(const std::vector<std::string>& files, ReadOptions options)
    : options_(std::make_unique<ReadOptions>(std::move(options))), source_(name_of_files(files)) {
  if (files.size() == 1)
    open_alone(files[0]);
  else
    rows_ = open_files(files, *options_);
  make_builder();
}

TableReader::TableReader(const std::vector<std::string>& files, ReadOptions options, const RowMark& from)
    : options_(std::make_unique<ReadOptions>(std::move(options))),
      rows_(open_files(files, *options_, from)),
      source_(name_of_files(files)) {
  make_builder();
}

void TableReader::open_alone(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    source_ = path;
    rows_ = open_png_folder(path, *options_);
  } else {
    Input input = open_input(path, false);
    source_ = input.name();
    rows_ = open_rows(std::move(input), false, path, *options_);
  }
}

void TableReader::make_builder() {
  builder_ = std::make_unique<TableBuilder>(source_, rows_->plans(Reading::skip), rows_->cell_rules());
  for (const ColumnPlan& plan : rows_->plans(Reading::skip)) names_.push_back(plan.name);
}

TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

std::optional<Table> TableReader::next(Index max_rows) {
  rows_->read(max_rows, *builder_);
  if (builder_->rows() == 0) {
    if (!any_row_) fail_without_rows(source_);
    return std::nullopt;
  }
  any_row_ = true;
  Table table = builder_->take();
  table.source = source_;
  return table;
}

void TableReader::skip(Index rows) {
  std::vector<ColumnPlan> nothing = rows_->plans(Reading::skip);
  for (ColumnPlan& plan : nothing) plan.reading = Reading::skip;
  TableBuilder passed_over(source_, std::move(nothing), rows_->cell_rules());
  rows_->read(rows, passed_over);
}

}  // namespace bl

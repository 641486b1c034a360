#include "data/csv_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/column_builder.hpp"
#include "data/file_list.hpp"
#include "data/read_table.hpp"

namespace bl {

CsvPartsReader::CsvPartsReader(std::vector<std::string> files, const ReadOptions& options)
    : files_(std::move(files)), options_(options) {
  for (const std::string& file : files_)
    if (!is_csv(file)) throw DataError(file + ": several files are one table only where all are CSV files");
  const auto first = open_csv(open_input(files_[0], true), options_);
  plans_ = first->plans(ColumnPlan::Reading::find_out);
  rules_ = first->cell_rules();
}

void CsvPartsReader::check_columns(const RowReader& reader, const std::string& file) const {
  const std::vector<ColumnPlan> here = reader.plans(ColumnPlan::Reading::find_out);
  for (std::size_t i = 0; i < std::min(here.size(), plans_.size()); ++i)
    if (here[i].name != plans_[i].name)
      throw DataError(file + ": column " + std::to_string(i + 1) + " is " + in_quotes(here[i].name) +
                      ", in " + files_[0] + " it is " + in_quotes(plans_[i].name) +
                      "; files of one table have the same columns in the same order");
  if (here.size() != plans_.size())
    throw DataError(file + ": there are " + std::to_string(here.size()) + " columns, in " + files_[0] + " " +
                    std::to_string(plans_.size()) + "; files of one table have the same columns");
}

std::unique_ptr<RowReader> CsvPartsReader::open(const FilePart& part, CsvPassed& passed) const {
  const std::string& file = files_[part.file];
  auto reader = open_csv_part(open_input(file, true), options_, part.part, passed);
  check_columns(*reader, file);
  return reader;
}

std::vector<RowMark> CsvPartsReader::marks(const std::vector<FilePart>& parts, Index every, Index& rows) {
  std::vector<ColumnPlan> nothing = plans_;
  for (ColumnPlan& plan : nothing) plan.reading = ColumnPlan::Reading::skip;
  TableBuilder counter(files_[0], nothing, rules_);
  passed_.assign(parts.size(), {});
  std::vector<RowMark> marks;
  rows = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto reader = open(parts[i], passed_[i]);
    for (;;) {
      const RowMark mark{rows, parts[i].file, passed_[i].offset, passed_[i].end_line, 0};
      reader->read(every, counter);
      const Index count = counter.take().rows;
      rows += count;
      if (count > 0) marks.push_back(mark);
      if (count < every) break;
    }
  }
  return marks;
}

TableBuilder CsvPartsReader::read(const std::vector<FilePart>& parts, const std::vector<ColumnPlan>& plans) {
  TableBuilder builder(files_[0], plans, rules_);
  passed_.assign(parts.size(), {});
  first_rows_.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& file = files_[parts[i].file];
    builder.begin_file(file);
    first_rows_.push_back(builder.rows());
    const auto reader = open(parts[i], passed_[i]);
    reader->read(kProbeRows, builder);
    if (!builder.revised_plans().empty()) break;
    reader->read(std::numeric_limits<Index>::max(), builder);
  }
  return builder;
}

namespace {

class FilesReader final : public RowReader {
 public:
  FilesReader(const std::vector<std::string>& files, const ReadOptions& options, const RowMark& from)
      : parts_(files, options), from_(from) {
    rewind();
  }
  std::vector<ColumnPlan> plans(ColumnPlan::Reading undeclared) const override {
    return reader_->plans(undeclared);
  }
  CellRules cell_rules() const override { return parts_.cell_rules(); }

  void read(Index max_rows, TableBuilder& out) override {
    for (const Index end = out.rows() + max_rows;;) {
      out.begin_file(parts_.files()[file_], lines_before_);
      reader_->read(end - out.rows(), out);
      if (out.rows() == end || file_ + 1 == parts_.files().size()) return;
      lines_before_ += passed_.end_line - 1;
      reader_ = parts_.open({++file_, {}}, passed_);
    }
  }

  void rewind() override {
    file_ = from_.file;
    lines_before_ = from_.lines_before;
    CsvPart part;
    if (from_.offset > 0) part = {.from = from_.offset, .line = from_.line};
    reader_ = parts_.open({file_, part}, passed_);
  }

 private:
  CsvPartsReader parts_;
  RowMark from_;
  std::size_t file_ = 0;
  std::int64_t lines_before_ = 0;
  CsvPassed passed_;
  std::unique_ptr<RowReader> reader_;
};

}  // namespace

std::unique_ptr<RowReader> open_files(const std::vector<std::string>& files, const ReadOptions& options,
                                      const RowMark& from) {
  return std::make_unique<FilesReader>(files, options, from);
}

Table read_files(const std::vector<std::string>& files, const ReadOptions& options) {
  CsvPartsReader reader(files, options);
  std::vector<FilePart> parts;
  for (std::size_t file = 0; file < files.size(); ++file) parts.push_back({file, {}});
  std::vector<ColumnPlan> plans = reader.plans();
  TableBuilder builder = reader.read(parts, plans);
  for (; !(plans = builder.revised_plans()).empty(); builder = reader.read(parts, plans)) continue;
  Table table = builder.take();
  table.source = name_of_files(files);
  if (table.rows == 0) throw DataError(table.source + ": the files have column names but no rows");
  LineNumbers through_all;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Index end = i + 1 < parts.size() ? reader.first_rows()[i + 1] : table.rows;
    for (Index row = reader.first_rows()[i]; row < end; ++row) through_all.append(before + table.lines[row]);
    before += reader.passed()[i].end_line - 1;
  }
  table.lines = std::move(through_all);
  return table;
}

}  // namespace bl

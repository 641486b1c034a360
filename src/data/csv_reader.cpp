#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/csv_records.hpp"
#include "data/number.hpp"
#include "data/row_reader.hpp"

namespace bl {

namespace {

constexpr std::size_t kSample = std::size_t{1} << 16;  // bytes looked at to find the delimiter
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

class CsvReader final : public RowReader {
 public:
  CsvReader(Input input, const ReadOptions& options, const CsvPart& part = {}, CsvPassed* passed = nullptr)
      : input_(std::move(input)), options_(options), part_(part), passed_(passed) {
    start();
    if (part_.from > 0) go_to_part();
    first_row_waits_ ? pass_to_waiting() : pass();
  }

  std::vector<ColumnPlan> plans(ColumnPlan::Reading undeclared) const override {
    return plan_columns(names_, options_, undeclared);
  }

  CellRules cell_rules() const override { return {options_.missing, options_.decimal_comma}; }

  void read(Index max_rows, TableBuilder& out) override {
    for (Index added = 0; added < max_rows;) {
      if (!std::exchange(first_row_waits_, false) && !records_->next()) break;
      if (records_->offset() >= part_.to) {
        first_row_waits_ = true;
        return pass_to_waiting();
      }
      // In a table of one column a blank line is a missing value, elsewhere it is nothing.
      if (records_->blank() && names_.size() > 1) continue;
      check_width();
      out.add_row(records_->cells(), records_->line());
      ++added;
    }
    pass();
  }

  void rewind() override {
    input_.rewind();
    start();
  }

 private:
  void start() {
    const std::string_view sample = skip_mark();
    delimiter_ =
        options_.delimiter != '\0' ? options_.delimiter : find_delimiter(sample, options_.decimal_comma);
    if (options_.decimal_comma && delimiter_ == ',') {
      throw UsageError(input_.name() + ": the comma cannot be both the delimiter and the decimal sign");
    }
    records_.emplace(input_, delimiter_, mark_);
    do {
      if (!records_->next())
        throw DataError(input_.name() + ": the file is empty; it should start with column names");
    } while (records_->blank());
    first_row_waits_ = options_.header == false;
    name_columns();
  }

  // To the first record that starts in the part. Line ends inside quotes are seen for what they are only by
  // who reads from the start.
  void go_to_part() {
    first_row_waits_ = false;
    if (part_.line > 0) {
      input_.seek(part_.from);
      records_.emplace(input_, delimiter_, part_.from, part_.line);
      return;
    }
    if (part_.seek) {
      input_.seek(part_.from - 1);
      records_.emplace(input_, delimiter_, part_.from - 1, kSomewhere);
      records_->skip_line();
      return;
    }
    while (records_->next()) {
      first_row_waits_ = records_->offset() >= part_.from;
      if (first_row_waits_) return;
    }
  }

  void pass() const { pass(records_->next_line(), records_->next_offset()); }
  void pass_to_waiting() const { pass(records_->line(), records_->offset()); }
  void pass(std::int64_t end_line, std::uint64_t offset) const {
    if (passed_ != nullptr) *passed_ = {end_line, offset, passed_->quotes || records_->quotes_seen()};
  }

  std::string_view skip_mark() {
    const std::string_view first = input_.peek(kSample);
    mark_ = 0;
    if (first.starts_with("\xFF\xFE") || first.starts_with("\xFE\xFF")) {
      throw DataError(input_.name() + ": the file is UTF-16; convert it to UTF-8, for example with iconv");
    }
    if (!first.starts_with(kUtf8Mark)) return first;
    std::array<char, kUtf8Mark.size()> mark;
    mark_ = input_.read(mark);
    return input_.peek(kSample);
  }

  void name_columns() {
    names_.clear();
    const auto cells = records_->cells();
    if (first_row_waits_) {
      for (std::size_t i = 0; i < cells.size(); ++i) names_.push_back(default_name(i));
      return;
    }
    for (const std::string_view cell : cells) names_.emplace_back(cell);
    check_names();
  }

  static std::string default_name(std::size_t index) { return "column_" + std::to_string(index + 1); }

  void check_names() {
    const std::string place = input_.name() + ":" + std::to_string(records_->line()) + ": ";
    const auto is_number = [&](const std::string& name) {
      return parse_number(name, options_.decimal_comma).kind == NumberKind::finite;
    };
    if (!options_.header && std::all_of(names_.begin(), names_.end(), is_number)) {
      throw DataError(
          place + "the first line holds numbers (" + quoted_list(names_) +
          ") where column names should be; add a line of names, or say whether the file has a header");
    }
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].empty()) names_[i] = default_name(i);
      if (!is_utf8(names_[i])) {
        throw DataError(place + "the name of column " + std::to_string(i + 1) + ", " + in_quotes(names_[i]) +
                        ", is not UTF-8; convert the file, for example with iconv");
      }
      const auto [first, is_new] = seen.emplace(names_[i], i);
      if (!is_new) {
        throw DataError(place + "columns " + std::to_string(first->second + 1) + " and " +
                        std::to_string(i + 1) + " have the same name " + in_quotes(names_[i]) +
                        "; rename one of them");
      }
    }
  }

  void check_width() const {
    const auto cells = records_->cells();
    if (cells.size() == names_.size()) return;
    const std::string remedy =
        cells.size() > names_.size()
            ? "; quote cells that hold a " + in_quotes(std::string_view(&delimiter_, 1))
            : "; add the missing cells (empty ones count as missing values)";
    throw DataError(input_.name() + ":" + std::to_string(records_->line()) + ": the row has " +
                    std::to_string(cells.size()) + " cells, the first line " + std::to_string(names_.size()) +
                    "; the last cell is " + in_quotes(cells.back()) + remedy);
  }

  Input input_;
  const ReadOptions& options_;
  CsvPart part_;
  CsvPassed* passed_;
  std::size_t mark_ = 0;  // bytes before the first record
  char delimiter_ = ',';
  std::optional<CsvRecords> records_;
  std::vector<std::string> names_;
  bool first_row_waits_ = false;  // without a header the first record is a row still to be read
};

}  // namespace

std::unique_ptr<RowReader> open_csv(Input input, const ReadOptions& options) {
  return std::make_unique<CsvReader>(std::move(input), options);
}

std::unique_ptr<RowReader> open_csv_part(Input input, const ReadOptions& options, const CsvPart& part,
                                         CsvPassed& passed) {
  return std::make_unique<CsvReader>(std::move(input), options, part, &passed);
}

}  // namespace bl

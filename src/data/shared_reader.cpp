// Each rank reads the records that start in its part of the bytes of all files. What only all rows can tell,
// the types and levels of columns and the numbers of lines, is settled together.
#include <algorithm>
#include <utility>

#include "base/rank_gather.hpp"
#include "bl/errors.hpp"
#include "data/file_list.hpp"
#include "data/file_parts.hpp"
#include "data/read_table.hpp"
#include "data/rows_in_memory.hpp"
#include "data/shared_table.hpp"

namespace bl {

namespace {

using Held = TableBuilder::Held;
using Reading = ColumnPlan::Reading;

class SharedReader {
 public:
  SharedReader(std::vector<std::string> files, std::vector<FilePart> parts, const ReadOptions& options,
               std::shared_ptr<Ranks> ranks)
      : reader_(files, options),
        files_(std::move(files)),
        parts_(std::move(parts)),
        ranks_(std::move(ranks)),
        plans_(reader_.plans()) {}

  SharedTable read() {
    if (!try_reading()) {
      read_from_start(parts_);
      plans_ = reader_.plans();
      try_reading();
    }
    SharedTable table;
    table.own = std::move(table_);
    table.ranks = ranks_;
    table.own.source = name_of_files(files_);
    table.begins = {0};
    for (const Index rows : gather_one(*ranks_, table.own.rows))
      table.begins.push_back(table.begins.back() + rows);
    if (table.rows() == 0) throw DataError(table.own.source + ": there are column names but no rows");
    number_lines(table);
    for (Column& column : table.own.columns)
      if (column.raw == RawType::text) join_levels(column, *ranks_);
    return table;
  }

 private:
  // False where it is to be tried again without going straight to the parts; otherwise all ranks have their
  // table, or throw.
  bool try_reading() {
    const auto may_go_on = [&](const std::string& failure) {
      return have_read(*ranks_, parts_, reader_.passed(), failure);
    };
    for (bool stale = true;;) {
      std::string failure = stale ? read_own() : std::string();
      if (!may_go_on(failure)) return false;
      stale = revise_plans();
      const std::vector<std::uint8_t> any = gather_one<std::uint8_t>(*ranks_, stale);
      if (std::none_of(any.begin(), any.end(), [](std::uint8_t one) { return one != 0; })) break;
    }
    std::string failure;
    try {
      table_ = builder_->take();
    } catch (const DataError& error) {
      failure = error.what();
    }
    return may_go_on(failure);
  }

  // Until the columns of these rows are settled; the message where it fails.
  std::string read_own() {
    try {
      for (;;) {
        builder_.emplace(reader_.read(parts_, plans_));
        std::vector<ColumnPlan> revised = builder_->revised_plans();
        if (revised.empty()) return "";
        plans_ = std::move(revised);
      }
    } catch (const DataError& error) {
      return error.what();
    }
  }

  // Columns that are text anywhere are text everywhere. Whether the rows here have to be read again for that.
  bool revise_plans() {
    const std::vector<Held> here = builder_->held();
    std::vector<Held> all(here.size() * ranks_->size());
    std::copy(here.begin(), here.end(),
              all.begin() + static_cast<std::ptrdiff_t>(here.size() * ranks_->rank()));
    ranks_->all_gather(std::as_writable_bytes(std::span<Held>(all)),
                       std::vector<std::size_t>(ranks_->size(), here.size() * sizeof(Held)));
    bool again = false;
    for (std::size_t i = 0; i < here.size(); ++i) {
      bool text = false;
      for (std::size_t rank = 0; rank < ranks_->size(); ++rank)
        text = text || all[rank * here.size() + i] == Held::text;
      if (!text || here[i] == Held::text || plans_[i].reading != Reading::find_out) continue;
      plans_[i].reading = Reading::text;
      again = true;
    }
    return again;
  }

  // Counted through all files, as the table of all rows has them.
  void number_lines(SharedTable& table) const {
    const FileLines of_files(files_.size(), parts_, reader_.passed(), *ranks_);
    LineNumbers settled;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::int64_t before = of_files.before(parts_[i].file);
      const Index end = i + 1 < parts_.size() ? reader_.first_rows()[i + 1] : table.own.rows;
      for (Index row = reader_.first_rows()[i]; row < end; ++row)
        settled.append(before + of_files.settled(parts_[i].file, table.own.lines[row]));
    }
    table.own.lines = std::move(settled);
    gather_lines(table);
  }

  // Of all rows: runs of neighbouring lines are few.
  void gather_lines(SharedTable& table) const {
    std::vector<std::int64_t> runs;  // length and first line of each
    for (Index row = 0; row < table.own.rows; ++row) {
      const std::int64_t line = table.own.lines[row];
      if (!runs.empty() && runs.back() + runs[runs.size() - 2] == line)
        ++runs[runs.size() - 2];
      else
        runs.insert(runs.end(), {1, line});
    }
    for (const std::string& text : gather_texts(
             *ranks_, {reinterpret_cast<const char*>(runs.data()), runs.size() * sizeof(std::int64_t)})) {
      std::vector<std::int64_t> theirs(text.size() / sizeof(std::int64_t));
      std::copy(text.begin(), text.end(), reinterpret_cast<char*>(theirs.data()));
      for (std::size_t i = 0; i < theirs.size(); i += 2)
        for (std::int64_t row = 0; row < theirs[i]; ++row) table.lines.append(theirs[i + 1] + row);
    }
  }

  CsvPartsReader reader_;
  std::vector<std::string> files_;
  std::vector<FilePart> parts_;
  std::shared_ptr<Ranks> ranks_;
  std::vector<ColumnPlan> plans_;
  std::optional<TableBuilder> builder_;
  Table table_;
};

}  // namespace

std::optional<SharedTable> read_shared_table(const std::vector<std::string>& files,
                                             const ReadOptions& options, std::shared_ptr<Ranks> ranks) {
  auto parts = own_parts(files, *ranks);
  if (!parts) return std::nullopt;
  return SharedReader(files, std::move(*parts), options, std::move(ranks)).read();
}

}  // namespace bl

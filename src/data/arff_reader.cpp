#include <algorithm>
#include <optional>
#include <type_traits>
#include <unordered_set>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/arff_text.hpp"
#include "data/line_reader.hpp"
#include "data/row_reader.hpp"

namespace bl {

namespace {

using Reading = ColumnPlan::Reading;

class ArffReader final : public RowReader {
 public:
  ArffReader(Input input, const ReadOptions& options) : input_(std::move(input)), options_(options) {
    start();
  }

  std::vector<ColumnPlan> plans(Reading undeclared) const override {
    std::vector<ColumnPlan> plans;
    for (const ArffAttribute& attribute : attributes_) {
      const bool numeric = attribute.kind == ArffAttribute::Kind::numeric;
      ColumnPlan plan{attribute.name, numeric ? Reading::numeric : Reading::text, {}};
      if (attribute.kind == ArffAttribute::Kind::nominal) plan.declared_levels = attribute.levels;
      const auto declared = options_.types.find(attribute.name);
      if (declared != options_.types.end()) {
        plan.reading = declared->second == RawType::numeric ? Reading::numeric : Reading::text;
      } else if (undeclared == Reading::skip) {
        plan.reading = Reading::skip;
      }
      plans.push_back(std::move(plan));
    }
    return plans;
  }

  CellRules cell_rules() const override { return {{"?"}, false}; }

  void read(Index max_rows, TableBuilder& out) override {
    std::string_view line;
    for (Index added = 0; added < max_rows && next_line(line); ++added) {
      if (line[0] == '{') {
        fail("sparse rows ({index value, ...}) are not supported; write all values of each row");
      }
      const auto& cells = placed([&]() -> const auto& { return values_.split(line); });
      if (cells.size() != attributes_.size()) {
        fail("the row has " + std::to_string(cells.size()) + " values, but " +
             std::to_string(attributes_.size()) + " attributes are declared; the last value is " +
             in_quotes(cells.back()));
      }
      out.add_row(cells, lines_->line());
    }
  }

  void rewind() override {
    input_.rewind();
    start();
  }

 private:
  void start() {
    lines_.emplace(input_);
    attributes_.clear();
    std::unordered_set<std::string> names;
    std::string_view line;
    while (next_line(line)) {
      if (take_keyword(line, "@relation")) continue;
      if (take_keyword(line, "@data")) {
        if (attributes_.empty()) fail("no attributes are declared before @data");
        return;
      }
      if (!take_keyword(line, "@attribute")) {
        fail(in_quotes(line) + " stands where @relation, @attribute or @data should be");
      }
      attributes_.push_back(placed([&] { return parse_arff_attribute(line); }));
      if (!names.insert(attributes_.back().name).second) {
        fail("two attributes have the same name " + in_quotes(attributes_.back().name) +
             "; rename one of them");
      }
    }
    if (lines_->line() == 0) throw DataError(input_.name() + ": the file is empty");
    throw DataError(input_.name() + ": the file has no @data line");
  }

  // The next line that is neither blank nor a comment, spaces around it removed.
  bool next_line(std::string_view& line) {
    while (lines_->next(line)) {
      if (lines_->line() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      if (line.find('\0') != std::string_view::npos) fail("a zero byte: this is not a text file");
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos || line[first] == '%') continue;
      line = line.substr(first, line.find_last_not_of(" \t") - first + 1);
      return true;
    }
    return false;
  }

  // Adds file and line to the errors of the grammar.
  template <class Parse>
  std::invoke_result_t<Parse> placed(const Parse& parse) const {
    try {
      return parse();
    } catch (const DataError& error) {
      fail(error.what());
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(input_.name() + ":" + std::to_string(lines_->line()) + ": " + message);
  }

  Input input_;
  const ReadOptions& options_;
  std::optional<LineReader> lines_;
  std::vector<ArffAttribute> attributes_;
  ArffValues values_;
};

}  // namespace

std::unique_ptr<RowReader> open_arff(Input input, const ReadOptions& options) {
  return std::make_unique<ArffReader>(std::move(input), options);
}

}  // namespace bl

#include "data/column_builder.hpp"

#include <functional>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

using Reading = ColumnPlan::Reading;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFirstSlots = 16;

std::size_t first_slot(std::string_view text, std::size_t slots) {
  return std::hash<std::string_view>{}(text) & (slots - 1);
}

}  // namespace

std::int32_t LevelList::code(std::string_view text, bool may_add) {
  if (levels_.size() * 2 >= slots_.size()) grow();
  std::size_t slot = first_slot(text, slots_.size());
  while (slots_[slot] >= 0) {
    if (levels_[static_cast<std::size_t>(slots_[slot])] == text) return slots_[slot];
    slot = (slot + 1) & (slots_.size() - 1);
  }
  if (!may_add) return -1;
  slots_[slot] = static_cast<std::int32_t>(levels_.size());
  levels_.emplace_back(text);
  return slots_[slot];
}

std::vector<std::string> LevelList::take() {
  slots_.clear();
  return std::exchange(levels_, {});
}

void LevelList::grow() {
  slots_.assign(slots_.empty() ? kFirstSlots : slots_.size() * 2, -1);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    std::size_t slot = first_slot(levels_[i], slots_.size());
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::int32_t>(i);
  }
}

std::vector<ColumnPlan> plan_columns(std::span<const std::string> names, const ReadOptions& options,
                                     Reading undeclared) {
  std::vector<ColumnPlan> plans;
  plans.reserve(names.size());
  for (const std::string& name : names) {
    const auto declared = options.types.find(name);
    Reading reading = undeclared;
    if (declared != options.types.end()) {
      reading = declared->second == RawType::numeric ? Reading::numeric : Reading::text;
    }
    plans.push_back({name, reading, {}});
  }
  return plans;
}

TableBuilder::TableBuilder(std::string source, std::vector<ColumnPlan> plans, const CellRules& rules)
    : source_(std::move(source)), missing_(rules.missing), decimal_comma_(rules.decimal_comma) {
  columns_.reserve(plans.size());
  for (ColumnPlan& plan : plans) {
    columns_.emplace_back();
    columns_.back().plan = std::move(plan);
  }
  start_columns();
}

void TableBuilder::start_columns() {
  for (Building& building : columns_) {
    building.column = Column{};
    building.column.name = building.plan.name;
    building.column.raw = building.plan.reading == Reading::text ? RawType::text : RawType::numeric;
    building.numbers_seen = building.too_late = false;
    building.not_finite.clear();
    for (const std::string& level : building.plan.declared_levels) building.levels.code(level);
  }
  lines_ = LineNumbers{};
  rows_ = 0;
}

void TableBuilder::add_row(std::span<const std::string_view> cells, std::int64_t line) {
  for (std::size_t i = 0; i < columns_.size(); ++i) add_cell(columns_[i], cells[i], line);
  lines_.append(lines_before_ + line);
  ++rows_;
}

void TableBuilder::add_numbers(std::span<const double> values, std::int64_t line) {
  constexpr std::size_t kRows = 64;  // so many in a column lie side by side when they are written
  waiting_.insert(waiting_.end(), values.begin(), values.end());
  if (waiting_.size() >= kRows * columns_.size()) spread_numbers();
  lines_.append(line);
  ++rows_;
}

void TableBuilder::spread_numbers() {
  if (waiting_.empty()) return;
  const std::size_t columns = columns_.size(), rows = waiting_.size() / columns;
  for (std::size_t i = 0; i < columns; ++i) {
    if (columns_[i].plan.reading == Reading::skip) continue;
    auto& numbers = columns_[i].column.numbers.own();
    const std::size_t before = numbers.size();
    numbers.resize(before + rows);
    for (std::size_t r = 0; r < rows; ++r) numbers[before + r] = waiting_[r * columns + i];
  }
  waiting_.clear();
}

void TableBuilder::add_cell(Building& building, std::string_view cell, std::int64_t line) {
  if (building.plan.reading == Reading::skip || building.too_late) return;
  const bool numeric = building.column.raw == RawType::numeric;
  if (missing_.contains(cell)) {
    if (numeric) {
      building.column.numbers.push_back(kNaN);
    } else {
      building.column.codes.push_back(kMissingCode);
    }
  } else if (numeric) {
    add_number(building, cell, line);
  } else {
    add_text(building, cell, line);
  }
}

void TableBuilder::add_number(Building& building, std::string_view cell, std::int64_t line) {
  const ParsedNumber parsed = parse_number(cell, decimal_comma_);
  if (parsed.kind == NumberKind::finite) {
    building.column.numbers.push_back(parsed.value);
    building.numbers_seen = true;
  } else if (parsed.kind == NumberKind::not_finite) {
    building.column.numbers.push_back(kNaN);
    building.numbers_seen = true;
    if (building.not_finite.empty())
      building.not_finite = message_of(
          building, line, in_quotes(cell) + " is not a finite number; correct it, or leave the cell empty");
  } else if (building.plan.reading == Reading::numeric) {
    fail(building, line,
         in_quotes(cell) +
             " is not a number; correct it, leave the cell empty, or declare the column nominal");
  } else if (building.numbers_seen) {
    building.too_late = true;
    building.column.numbers = {};
  } else {  // nothing but missing cells so far
    building.column.raw = RawType::text;
    building.column.codes.assign(building.column.numbers.size(), kMissingCode);
    building.column.numbers = {};
    add_text(building, cell, line);
  }
}

void TableBuilder::add_text(Building& building, std::string_view cell, std::int64_t line) {
  const std::size_t known = building.levels.size();
  const bool may_add = building.plan.declared_levels.empty();
  const std::int32_t code = building.levels.code(cell, may_add);
  if (code < 0) {
    fail(building, line,
         in_quotes(cell) + " is not among the declared values " + quoted_list(building.plan.declared_levels) +
             did_you_mean(cell, building.plan.declared_levels));
  }
  if (building.levels.size() > known && !is_utf8(cell)) {
    fail(building, line,
         "the text " + in_quotes(cell) + " is not UTF-8; convert the file, for example with iconv");
  }
  building.column.codes.push_back(code);
}

std::string TableBuilder::message_of(const Building& building, std::int64_t line,
                                     const std::string& what) const {
  return source_ + ":" + std::to_string(line) + ": column " + in_quotes(building.plan.name) + ": " + what;
}

void TableBuilder::fail(const Building& building, std::int64_t line, const std::string& what) const {
  throw DataError(message_of(building, line, what));
}

std::vector<TableBuilder::Held> TableBuilder::held() const {
  std::vector<Held> all;
  for (const Building& building : columns_)
    all.push_back(building.too_late || building.column.raw == RawType::text ? Held::text
                  : building.numbers_seen                                   ? Held::numbers
                                                                            : Held::nothing);
  return all;
}

std::vector<ColumnPlan> TableBuilder::revised_plans() const {
  std::vector<ColumnPlan> plans;
  bool revised = false;
  for (const Building& building : columns_) {
    plans.push_back(building.plan);
    if (building.too_late) plans.back().reading = Reading::text;
    revised = revised || building.too_late;
  }
  if (!revised) plans.clear();
  return plans;
}

Table TableBuilder::take() {
  spread_numbers();
  Table table;
  table.source = source_;
  table.rows = rows_;
  for (Building& building : columns_) {
    if (building.plan.reading == Reading::skip) continue;
    if (building.column.raw == RawType::numeric && !building.not_finite.empty())
      throw DataError(building.not_finite);
    building.column.levels = building.levels.take();
    table.columns.push_back(std::move(building.column));
  }
  table.lines = std::move(lines_);
  start_columns();
  return table;
}

}  // namespace bl

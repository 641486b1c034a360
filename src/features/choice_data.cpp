#include "features/choice_data.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/conjuncts.hpp"
#include "features/choice_rivals.hpp"
#include "features/choice_source.hpp"
#include "features/choice_terms.hpp"

namespace bl {

CellCodes::CellCodes(const Column& column, const std::vector<std::string>& names)
    : column_(&column), fixed_(true) {
  for (const std::string& name : names) codes_.emplace(name, next_++);
}

std::int32_t CellCodes::operator()(Index row) {
  if (column_->missing(row)) return kMissingCode;
  const auto i = static_cast<std::size_t>(row);
  const bool text = column_->raw == RawType::text;
  constexpr std::int32_t kNotSeen = -2;
  if (text && levels_.empty()) levels_.assign(column_->levels.size(), kNotSeen);
  std::int32_t& code = text ? levels_[static_cast<std::size_t>(column_->codes[i])]
                            : numbers_.try_emplace(column_->numbers[i], kNotSeen).first->second;
  if (code != kNotSeen) return code;
  if (!fixed_) return code = next_++;
  const auto found = codes_.find(column_->cell_text(row));
  return code = found == codes_.end() ? kMissingCode : found->second;
}

ChoiceSource::ChoiceSource(const Table& source_table, const ChoiceSchema& source_schema, bool need_choice)
    : table(&source_table), schema(&source_schema) {
  for (const auto& [name, expression] : schema->derived) {
    Column column;
    column.name = name;
    const auto values = evaluate(expression);
    column.numbers.assign(values.begin(), values.end());
    derived.push_back(std::move(column));
  }
  std::vector<bool> kept(static_cast<std::size_t>(table->rows), true);
  for (const Expression& part : schema->filter ? conjuncts(*schema->filter) : std::vector<Expression>()) {
    if (!need_choice && reads_absent_choice(part)) continue;
    const std::vector<double> values = evaluate(part);
    for (std::size_t i = 0; i < values.size(); ++i)
      kept[i] = kept[i] && values[i] != 0 && !std::isnan(values[i]);
  }
  for (Index row = 0; row < table->rows; ++row)
    if (kept[static_cast<std::size_t>(row)]) rows.push_back(row);
  if (rows.empty())
    throw DataError(table->source + ": no rows are left" +
                    (schema->filter ? " by the filter " + schema->filter->text() : ""));
}

bool ChoiceSource::reads_absent_choice(const Expression& expression) const {
  const std::vector<std::string> of_choice = columns_of_choice(*schema);
  for (const std::string& name : expression.columns())
    if (!has_column(name) && std::find(of_choice.begin(), of_choice.end(), name) != of_choice.end())
      return true;
  return false;
}

const Column& ChoiceSource::column(const std::string& name) const {
  for (const Column& one : derived)
    if (one.name == name) return one;
  return table->column(name);
}

bool ChoiceSource::has_column(const std::string& name) const {
  return table->find(name) != nullptr ||
         std::any_of(derived.begin(), derived.end(), [&](const Column& one) { return one.name == name; });
}

std::vector<std::string> columns_of_choice(const ChoiceSchema& schema) {
  if (schema.ranks.empty())
    return schema.wide ? std::vector<std::string>{schema.choice} : schema.chosen->columns();
  std::vector<std::string> out;
  for (const Expression& one : schema.ranks)
    for (const std::string& name : one.columns()) out.push_back(name);
  return out;
}

void ChoiceSource::fail(Index row, const std::string& message) const {
  throw DataError(table->place(row) + ": " + message);
}

namespace {

Column gather(const Column& column, const std::vector<Index>& rows) {
  Column out;
  out.name = column.name;
  out.raw = column.raw;
  out.levels = column.levels;
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    if (column.raw == RawType::numeric)
      out.numbers.push_back(column.numbers[i]);
    else
      out.codes.push_back(column.codes[i]);
  }
  return out;
}

}  // namespace

Table gather(const Table& table, const std::vector<const Column*>& columns, const std::vector<Index>& rows) {
  Table out;
  out.source = table.source;
  out.rows = static_cast<Index>(rows.size());
  for (const Index row : rows) out.lines.append(table.lines[row]);
  for (const Column* column : columns) out.columns.push_back(gather(*column, rows));
  return out;
}

namespace {

std::vector<double> read_weights(const ChoiceSource& source, const Expression& expression,
                                 const std::vector<Index>& rows) {
  const std::vector<double> all = source.evaluate(expression);
  std::vector<double> weights;
  for (const Index row : rows) {
    weights.push_back(all[static_cast<std::size_t>(row)]);
    if (!(weights.back() >= 0))
      source.fail(row, "the weight " + expression.text() + " is " +
                           (std::isnan(weights.back()) ? "missing" : format_number(weights.back())) +
                           "; it must not be negative");
  }
  return weights;
}

Matrix<double> read_membership(const ChoiceSource& source, const std::vector<Expression>& expressions,
                               const std::vector<Index>& rows) {
  Matrix<double> out(static_cast<Index>(rows.size()), static_cast<Index>(expressions.size()));
  for (std::size_t k = 0; k < expressions.size(); ++k) {
    const std::vector<double> all = source.evaluate(expressions[k]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double value = all[static_cast<std::size_t>(rows[i])];
      if (std::isnan(value)) source.fail(rows[i], expressions[k].text() + ", of the membership, is missing");
      out(static_cast<Index>(i), static_cast<Index>(k)) = value;
    }
  }
  return out;
}

std::vector<std::int32_t> codes_of(const ChoiceSource& source, const std::string& column,
                                   const std::vector<Index>& rows, const char* what) {
  CellCodes codes(source.column(column));
  std::vector<std::int32_t> out;
  for (const Index row : rows) {
    out.push_back(codes(row));
    if (out.back() == kMissingCode)
      source.fail(row, "the " + std::string(what) + " " + in_quotes(column) + " is missing");
  }
  return out;
}

// A situation's level of the column of the scale.
std::vector<std::int32_t> read_sources(const ChoiceSource& source, const SourceScale& scale,
                                       const std::vector<Index>& rows) {
  const Column& column = source.column(scale.column);
  CellCodes codes(column, scale.levels);
  std::vector<std::int32_t> out;
  for (const Index row : rows) {
    out.push_back(codes(row));
    if (out.back() == kMissingCode)
      source.fail(row, column.missing(row) ? "the data source " + in_quotes(scale.column) + " is missing"
                                           : "the data source " + in_quotes(column.cell_text(row)) +
                                                 " has no scale; known are " + quoted_list(scale.levels));
  }
  return out;
}

}  // namespace

std::vector<std::string> scale_levels(const Table& table, const ChoiceSchema& schema) {
  const ChoiceSource source(table, schema);
  const Column& column = source.column(schema.scale->column);
  constexpr std::size_t kMost = 20;
  std::vector<std::string> levels;
  if (!schema.scale->reference.empty()) levels.push_back(schema.scale->reference);
  bool reference = levels.empty();
  for (const Index row : source.rows) {
    const std::string level = column.cell_text(row);
    if (level.empty()) source.fail(row, "the data source " + in_quotes(schema.scale->column) + " is missing");
    reference = reference || level == levels.front();
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) levels.push_back(level);
    if (levels.size() > kMost)
      throw UsageError("the column " + in_quotes(schema.scale->column) + " of the scale has more than " +
                       std::to_string(kMost) + " levels; a data source has few");
  }
  if (!reference)
    throw UsageError("no situation has the data source " + in_quotes(levels.front()) +
                     ", the reference of the scale");
  if (levels.size() < 2)
    throw UsageError("a scale by " + in_quotes(schema.scale->column) +
                     " needs two data sources or more, and there is " + in_quotes(levels.front()) + " alone");
  return levels;
}

bool ChoiceData::choices_known() const {
  return std::find(chosen.begin(), chosen.end(), kUnknownChoice) == chosen.end();
}

ChoiceData read_choices(const Table& table, const ChoiceSchema& schema, bool need_choice) {
  const ChoiceSource source(table, schema, need_choice);
  ChoiceData data =
      schema.wide ? read_wide_choices(source, need_choice) : read_long_choices(source, need_choice);
  if (schema.weight) data.weights = read_weights(source, *schema.weight, data.rows);
  if (!schema.person.empty() && (need_choice || source.has_column(schema.person)))
    data.persons = codes_of(source, schema.person, data.rows, "person");
  std::vector<const Column*> context;
  for (const std::string& name : schema.context) context.push_back(&source.column(name));
  data.context = gather(table, context, data.rows);
  std::vector<const Column*> read;
  for (const ChoiceTerm& term : schema.terms)
    for (const std::string& name : term.columns)
      if (const Column* column = &source.column(name);
          std::find(read.begin(), read.end(), column) == read.end())
        read.push_back(column);
  data.term_columns = gather(table, read, data.rows);
  compute_terms(schema, lacks_by_schema(schema, data), data);
  compute_rivals(schema, lacks_by_schema(schema, data), data);
  if (schema.scale && !schema.scale->levels.empty())
    data.sources = read_sources(source, *schema.scale, data.rows);
  if (schema.latent) data.membership = read_membership(source, schema.latent->membership, data.rows);
  return data;
}

std::vector<std::int32_t> group_codes(const Table& table, const ChoiceSchema& schema,
                                      const std::string& column, const std::vector<Index>& rows,
                                      const char* what) {
  return codes_of(ChoiceSource(table, schema, false), column, rows, what);
}

std::string person_name(const Table& table, const ChoiceSchema& schema, Index row) {
  const ChoiceSource source(table, schema);
  const Column& column = source.column(schema.person);
  const auto i = static_cast<std::size_t>(row);
  return column.raw == RawType::numeric ? format_number(column.numbers[i])
                                        : column.levels[static_cast<std::size_t>(column.codes[i])];
}

ChoiceData select_situations(const ChoiceData& data, const std::vector<Index>& situations) {
  ChoiceData out;
  out.alternatives = data.alternatives;
  out.begin.push_back(0);
  std::int64_t entries = 0;
  for (const Index situation : situations) entries += data.size(situation);
  out.attributes.resize(static_cast<Index>(entries), data.attributes.cols());
  Index at = 0;
  for (const Index situation : situations) {
    const auto i = static_cast<std::size_t>(situation);
    for (std::int64_t j = data.begin[i]; j < data.begin[i + 1]; ++j, ++at) {
      std::copy_n(data.attributes.row(static_cast<Index>(j)), data.attributes.cols(), out.attributes.row(at));
      out.classes.push_back(data.classes[static_cast<std::size_t>(j)]);
      if (!data.ranks.empty()) out.ranks.push_back(data.ranks[static_cast<std::size_t>(j)]);
    }
    out.begin.push_back(at);
    out.chosen.push_back(data.chosen[i]);
    out.labels.push_back(data.labels[i]);
    out.rows.push_back(data.rows[i]);
    if (!data.weights.empty()) out.weights.push_back(data.weights[i]);
    if (!data.persons.empty()) out.persons.push_back(data.persons[i]);
    if (!data.sources.empty()) out.sources.push_back(data.sources[i]);
  }
  const auto taken = [&](const Table& table) {
    std::vector<const Column*> columns;
    for (const Column& column : table.columns) columns.push_back(&column);
    return gather(table, columns, situations);
  };
  out.context = taken(data.context);
  out.term_columns = taken(data.term_columns);
  out.person_columns = data.person_columns;
  out.membership.resize(static_cast<Index>(situations.size()), data.membership.cols());
  for (std::size_t i = 0; i < situations.size(); ++i)
    std::copy_n(data.membership.row(situations[i]), data.membership.cols(),
                out.membership.row(static_cast<Index>(i)));
  return out;
}

}  // namespace bl

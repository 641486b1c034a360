// One line per alternative; the lines of a situation may stand anywhere in the file.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/choice_ranks.hpp"

namespace bl {

namespace {

struct LongRows {
  std::vector<std::string> ids;     // of situations, in order of first appearance
  std::vector<std::int64_t> begin;  // situations + 1
  std::vector<Index> rows;          // table rows by situation, in the order of the file
  std::vector<std::string> alternatives;
  std::vector<std::int32_t> classes;  // per table row
};

std::vector<std::int32_t> situation_codes(const ChoiceSource& source, LongRows& out) {
  const Column& column = source.column(source.schema->situation);
  CellCodes codes(column);
  std::vector<std::int32_t> situations;
  for (const Index row : source.rows) {
    situations.push_back(codes(row));
    if (situations.back() == kMissingCode)
      source.fail(row, "the situation " + in_quotes(column.name) + " is missing");
    if (static_cast<std::size_t>(codes.count()) > out.ids.size()) out.ids.push_back(column.cell_text(row));
  }
  return situations;
}

// Named in the schema, or else what the column holds in order of first appearance.
void read_alternatives(const ChoiceSource& source, LongRows& out) {
  const ChoiceSchema& schema = *source.schema;
  const Column& column = source.column(schema.alternative);
  std::vector<std::string> names;
  for (const ChoiceAlternative& one : schema.alternatives) names.push_back(one.code);
  CellCodes codes = names.empty() ? CellCodes(column) : CellCodes(column, names);
  out.classes.assign(static_cast<std::size_t>(source.table->rows), kMissingCode);
  for (const Index row : source.rows) {
    const std::int32_t code = codes(row);
    if (code == kMissingCode)
      source.fail(row, column.missing(row)
                           ? "the alternative " + in_quotes(column.name) + " is missing"
                           : "the alternative " + in_quotes(column.cell_text(row)) + " is none of " +
                                 quoted_list(names) + did_you_mean(column.cell_text(row), names));
    out.classes[static_cast<std::size_t>(row)] = code;
    if (schema.alternatives.empty() && static_cast<std::size_t>(codes.count()) > out.alternatives.size())
      out.alternatives.push_back(column.cell_text(row));
  }
  for (const ChoiceAlternative& one : schema.alternatives) out.alternatives.push_back(one.name);
}

LongRows sort_rows(const ChoiceSource& source) {
  LongRows out;
  const auto situations = situation_codes(source, out);
  out.begin.assign(out.ids.size() + 1, 0);
  for (const std::int32_t one : situations) ++out.begin[static_cast<std::size_t>(one) + 1];
  for (std::size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  out.rows.resize(source.rows.size());
  std::vector<std::int64_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t k = 0; k < situations.size(); ++k)
    out.rows[static_cast<std::size_t>(next[static_cast<std::size_t>(situations[k])]++)] = source.rows[k];
  read_alternatives(source, out);
  return out;
}

bool truth_at(const ChoiceSource& source, const std::vector<double>& values, Index row,
              const Expression& expression) {
  const double value = values[static_cast<std::size_t>(row)];
  if (std::isnan(value)) source.fail(row, expression.text() + " is missing");
  return value != 0;
}

class LongReader {
 public:
  LongReader(const ChoiceSource& source, bool need_choice)
      : source_(source), schema_(*source.schema), rows_(sort_rows(source)) {
    const auto columns = columns_of_choice(schema_);
    known_ = need_choice || std::all_of(columns.begin(), columns.end(),
                                        [&](const std::string& name) { return source.has_column(name); });
    if (known_) chosen_ = source.evaluate(schema_.ranked() ? schema_.ranks[0] : *schema_.chosen);
    if (schema_.available) available_ = source.evaluate(*schema_.available);
    for (const Expression& expression : schema_.expressions)
      attributes_.push_back(source.evaluate(expression));
    data_.alternatives = rows_.alternatives;
    if (!schema_.outside.empty()) {
      if (std::find(data_.alternatives.begin(), data_.alternatives.end(), schema_.outside) !=
          data_.alternatives.end())
        throw DataError(source.table->source + ": the outside option " + in_quotes(schema_.outside) +
                        " is also an alternative of the file");
      data_.alternatives.push_back(schema_.outside);
    }
  }

  ChoiceData read() {
    data_.begin.push_back(0);
    for (std::size_t i = 0; i < rows_.ids.size(); ++i) {
      data_.rows.push_back(rows_.rows[static_cast<std::size_t>(rows_.begin[i])]);
      read_situation(i);
      check_context(i);
    }
    find_person_columns();
    data_.labels = std::move(rows_.ids);
    data_.attributes.resize(static_cast<Index>(data_.classes.size()),
                            static_cast<Index>(schema_.attributes.size()));
    std::copy(values_.begin(), values_.end(), data_.attributes.flat().begin());
    return std::move(data_);
  }

 private:
  std::string situation_text(std::size_t situation) const {
    return "situation " + in_quotes(rows_.ids[situation]);
  }

  void read_situation(std::size_t situation) {
    const auto from = static_cast<std::size_t>(data_.begin.back());
    const Index first = rows_.rows[static_cast<std::size_t>(rows_.begin[situation])];
    std::int32_t chosen = kUnknownChoice;
    for (std::int64_t k = rows_.begin[situation]; k < rows_.begin[situation + 1]; ++k) {
      const Index row = rows_.rows[static_cast<std::size_t>(k)];
      const bool picked = known_ && !schema_.ranked() && truth_at(source_, chosen_, row, *schema_.chosen);
      const bool available = available_.empty() || truth_at(source_, available_, row, *schema_.available);
      if (picked && !available)
        source_.fail(row, situation_text(situation) + ": the chosen alternative " + in_quotes(name_of(row)) +
                              " is not available");
      if (picked && chosen != kUnknownChoice)
        source_.fail(row, situation_text(situation) + ": a second alternative is chosen");
      if (!available) continue;
      if (picked) chosen = static_cast<std::int32_t>(data_.classes.size() - from);
      append(row, from, situation);
      if (known_ && schema_.ranked()) data_.ranks.push_back(chosen_[static_cast<std::size_t>(row)]);
    }
    if (!schema_.outside.empty()) {
      if (known_ && chosen == kUnknownChoice) chosen = static_cast<std::int32_t>(data_.classes.size() - from);
      data_.classes.push_back(static_cast<std::int32_t>(data_.alternatives.size()) - 1);
      values_.insert(values_.end(), schema_.attributes.size(), 0.0);
    }
    if (data_.classes.size() == from)
      source_.fail(first,
                   situation_text(situation) + ": no alternative is available: the choice set is empty");
    if (known_ && schema_.ranked()) chosen = best_ranked(source_, first, from, data_);
    if (known_ && chosen == kUnknownChoice)
      source_.fail(first, situation_text(situation) + ": no alternative is chosen");
    data_.chosen.push_back(chosen);
    data_.begin.push_back(static_cast<std::int64_t>(data_.classes.size()));
  }

  const std::string& name_of(Index row) const {
    return rows_.alternatives[static_cast<std::size_t>(rows_.classes[static_cast<std::size_t>(row)])];
  }

  void append(Index row, std::size_t from, std::size_t situation) {
    const std::int32_t alternative = rows_.classes[static_cast<std::size_t>(row)];
    if (std::find(data_.classes.begin() + static_cast<std::ptrdiff_t>(from), data_.classes.end(),
                  alternative) != data_.classes.end())
      source_.fail(row, situation_text(situation) + ": the alternative " + in_quotes(name_of(row)) +
                            " stands there twice");
    data_.classes.push_back(alternative);
    for (std::size_t k = 0; k < attributes_.size(); ++k) {
      values_.push_back(attributes_[k][static_cast<std::size_t>(row)]);
      if (std::isnan(values_.back()))
        source_.fail(row, "the attribute " + in_quotes(schema_.attributes[k]) + " (" +
                              schema_.expressions[k].text() + ") is missing");
    }
    values_.resize(values_.size() + schema_.computed());  // are computed of these
  }

  // What belongs to the decision maker is the same on all lines of a situation.
  void check_context(std::size_t situation) const {
    for (const ChoiceTerm& term : schema_.terms)
      for (const std::string& name : term.columns)
        check_same(situation, name, "the column " + in_quotes(name) + " of the term " + in_quotes(term.name));
    for (const std::string& name : schema_.context)
      check_same(situation, name, "the context " + in_quotes(name));
    if (schema_.scale)
      check_same(situation, schema_.scale->column, "the data source " + in_quotes(schema_.scale->column));
  }

  void check_same(std::size_t situation, const std::string& name, const std::string& what) const {
    const auto begin = static_cast<std::size_t>(rows_.begin[situation]),
               end = static_cast<std::size_t>(rows_.begin[situation + 1]);
    const Column& column = source_.column(name);
    for (std::size_t k = begin + 1; k < end; ++k)
      if (column.cell_text(rows_.rows[k]) != column.cell_text(rows_.rows[begin]))
        source_.fail(rows_.rows[k], situation_text(situation) + ": " + what +
                                        " differs between lines; what differs between alternatives is an "
                                        "attribute");
  }

  // Of the columns that several attributes read, those of the person.
  void find_person_columns() {
    std::map<std::string, int> readers;
    for (const Expression& expression : schema_.expressions)
      for (const std::string& name : expression.columns()) ++readers[name];
    for (const auto& [name, count] : readers)
      if (count > 1 && source_.has_column(name) && is_person_column(source_.column(name)))
        data_.person_columns.insert(name);
  }

  bool is_person_column(const Column& column) const {
    for (std::size_t i = 0; i + 1 < rows_.begin.size(); ++i)
      for (auto k = rows_.begin[i]; k + 1 < rows_.begin[i + 1]; ++k) {
        const Index row = rows_.rows[static_cast<std::size_t>(k)],
                    next = rows_.rows[static_cast<std::size_t>(k) + 1];
        if (column.cell_text(row) != column.cell_text(next)) return false;
      }
    return true;
  }

  const ChoiceSource& source_;
  const ChoiceSchema& schema_;
  LongRows rows_;
  bool known_ = true;
  std::vector<double> chosen_;  // or ranks
  std::vector<double> available_, values_;
  std::vector<std::vector<double>> attributes_;
  ChoiceData data_;
};

}  // namespace

ChoiceData read_long_choices(const ChoiceSource& source, bool need_choice) {
  return LongReader(source, need_choice).read();
}

}  // namespace bl

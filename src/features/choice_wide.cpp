// One line per situation: attributes and availability of every alternative stand side by side.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "features/choice_ranks.hpp"

namespace bl {

namespace {

struct WideColumns {
  std::vector<std::vector<double>> available;                // per alternative; empty: always
  std::vector<std::vector<std::vector<double>>> attributes;  // per alternative and attribute

  explicit WideColumns(const ChoiceSource& source) {
    for (const ChoiceAlternative& one : source.schema->alternatives) {
      available.push_back(one.available ? source.evaluate(*one.available) : std::vector<double>());
      attributes.emplace_back();
      for (const Expression& expression : one.attributes)
        attributes.back().push_back(source.evaluate(expression));
    }
  }

  bool is_available(const ChoiceSource& source, std::size_t alternative, Index row) const {
    if (available[alternative].empty()) return true;
    const double value = available[alternative][static_cast<std::size_t>(row)];
    if (std::isnan(value))
      source.fail(row, "the availability of " + in_quotes(source.schema->alternatives[alternative].name) +
                           " (" + source.schema->alternatives[alternative].available->text() +
                           ") is missing");
    return value != 0;
  }
};

// "; there region is 'east', price is missing", of the columns that an expression reads.
std::string cells_read(const ChoiceSource& source, const Expression& expression, Index row) {
  std::string out;
  for (const std::string& name : expression.columns()) {
    const Column& column = source.column(name);
    out += (out.empty() ? "; there " : ", ") + name + " is " +
           (column.missing(row) ? "missing" : in_quotes(column.cell_text(row)));
  }
  return out;
}

void append_entry(const ChoiceSource& source, const WideColumns& columns, std::size_t alternative, Index row,
                  std::vector<double>& out) {
  const ChoiceSchema& schema = *source.schema;
  for (std::size_t k = 0; k < schema.declared; ++k) {
    out.push_back(columns.attributes[alternative][k][static_cast<std::size_t>(row)]);
    if (std::isnan(out.back()))
      source.fail(row, "the attribute " + in_quotes(schema.attributes[k]) + " of " +
                           in_quotes(schema.alternatives[alternative].name) + " (" +
                           schema.alternatives[alternative].attributes[k].text() +
                           ") is missing, though it is available" +
                           cells_read(source, schema.alternatives[alternative].attributes[k], row));
  }
  out.resize(out.size() + schema.computed());  // are computed of these
}

// Where the chosen alternative stands in the set just read.
std::int32_t chosen_position(const ChoiceSource& source, const ChoiceData& data, std::int32_t code,
                             Index row) {
  const ChoiceSchema& schema = *source.schema;
  const std::string cell = source.column(schema.choice).cell_text(row);
  if (code == kMissingCode) {
    std::vector<std::string> codes;
    for (const ChoiceAlternative& one : schema.alternatives) codes.push_back(one.code);
    source.fail(row, cell.empty()
                         ? "the choice is missing; leave such rows out by a filter"
                         : "the choice " + in_quotes(cell) + " is not one of the alternatives' codes " +
                               quoted_list(codes) + "; leave such rows out by a filter");
  }
  const auto from = static_cast<std::size_t>(data.begin.back());
  for (std::size_t j = from; j < data.classes.size(); ++j)
    if (data.classes[j] == code) return static_cast<std::int32_t>(j - from);
  source.fail(row, "the chosen alternative " +
                       in_quotes(schema.alternatives[static_cast<std::size_t>(code)].name) +
                       " is not available");
}

// What was chosen, or how the alternatives were ranked.
class WideChoices {
 public:
  WideChoices(const ChoiceSource& source, bool need_choice) : source_(source) {
    const ChoiceSchema& schema = *source.schema;
    const std::vector<std::string> columns = columns_of_choice(schema);
    known_ = need_choice || std::all_of(columns.begin(), columns.end(),
                                        [&](const std::string& name) { return source.has_column(name); });
    if (!known_) return;
    for (const Expression& one : schema.ranks) ranks_.push_back(source.evaluate(one));
    std::vector<std::string> codes;
    for (const ChoiceAlternative& one : schema.alternatives) codes.push_back(one.code);
    if (!schema.ranked()) codes_.emplace(source.column(schema.choice), codes);
  }

  // The position of the chosen alternative in the set just read.
  std::int32_t read(Index row, ChoiceData& data) {
    if (!known_) return kUnknownChoice;
    if (codes_) return chosen_position(source_, data, (*codes_)(row), row);
    const auto from = static_cast<std::size_t>(data.begin.back());
    if (source_.schema->choice_is_ranking)
      append_ranking(source_, row, from, data);
    else
      for (std::size_t j = from; j < data.classes.size(); ++j)
        data.ranks.push_back(
            ranks_[static_cast<std::size_t>(data.classes[j])][static_cast<std::size_t>(row)]);
    return best_ranked(source_, row, from, data);
  }

 private:
  const ChoiceSource& source_;
  bool known_ = true;
  std::optional<CellCodes> codes_;
  std::vector<std::vector<double>> ranks_;  // per alternative
};

}  // namespace

ChoiceData read_wide_choices(const ChoiceSource& source, bool need_choice) {
  const ChoiceSchema& schema = *source.schema;
  const WideColumns columns(source);
  WideChoices picked(source, need_choice);
  ChoiceData data;
  data.alternatives = schema.alternative_names();
  data.begin.push_back(0);
  std::vector<double> values;
  for (const Index row : source.rows) {
    for (std::size_t a = 0; a < schema.alternatives.size(); ++a) {
      if (!columns.is_available(source, a, row)) continue;
      data.classes.push_back(static_cast<std::int32_t>(a));
      append_entry(source, columns, a, row, values);
    }
    if (static_cast<std::int64_t>(data.classes.size()) == data.begin.back())
      source.fail(row, "no alternative is available: the choice set is empty");
    data.chosen.push_back(picked.read(row, data));
    data.begin.push_back(static_cast<std::int64_t>(data.classes.size()));
    data.labels.push_back(std::to_string(source.table->lines[row]));
  }
  data.attributes.resize(static_cast<Index>(data.classes.size()),
                         static_cast<Index>(schema.attributes.size()));
  std::copy(values.begin(), values.end(), data.attributes.flat().begin());
  data.rows = source.rows;
  return data;
}

}  // namespace bl

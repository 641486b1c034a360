#include "features/choice_terms.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

// The situation of every entry.
std::vector<std::size_t> situations_of(const ChoiceData& data) {
  std::vector<std::size_t> out(data.classes.size());
  for (std::size_t i = 0; i + 1 < data.begin.size(); ++i)
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(data.begin[i]),
              out.begin() + static_cast<std::ptrdiff_t>(data.begin[i + 1]), i);
  return out;
}

Column attribute_column(const ChoiceSchema& schema, const ChoiceData& data, std::size_t attribute) {
  Column column;
  column.name = schema.attributes[attribute];
  for (Index j = 0; j < data.attributes.rows(); ++j)
    column.numbers.push_back(data.attributes(j, static_cast<Index>(attribute)));
  return column;
}

// A row per entry: the attributes, then the columns of the person under names that no attribute has.
Table entry_table(const ChoiceSchema& schema, const ChoiceData& data) {
  Table table;
  table.source = data.context.source;
  table.rows = data.attributes.rows();
  for (std::size_t k = 0; k < schema.declared; ++k)
    table.columns.push_back(attribute_column(schema, data, k));
  const std::vector<std::size_t> situations = situations_of(data);
  for (const Column& one : data.term_columns.columns) {
    Column column;
    column.name = one.name;
    column.raw = one.raw;
    column.levels = one.levels;
    for (const std::size_t i : situations) {
      if (one.raw == RawType::numeric)
        column.numbers.push_back(one.numbers[i]);
      else
        column.codes.push_back(one.codes[i]);
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

bool is_zero(const ChoiceTerm& term, std::size_t entry, const LacksAttribute& lacks) {
  return std::any_of(term.reads.begin(), term.reads.end(),
                     [&](std::size_t attribute) { return lacks(entry, attribute); });
}

[[noreturn]] void fail(const ChoiceData& data, std::size_t entry, const ChoiceTerm& term) {
  const std::size_t situation = situations_of(data)[entry];
  throw DataError(data.context.place(static_cast<Index>(situation)) + ": the term " + in_quotes(term.name) +
                  " of " + in_quotes(data.alternatives[static_cast<std::size_t>(data.classes[entry])]) +
                  " (" + term.expression.text() + ") is not a number");
}

}  // namespace

LacksAttribute lacks_by_schema(const ChoiceSchema& schema, const ChoiceData& data) {
  std::vector<const ChoiceAlternative*> by_class;
  std::vector<bool> outside;
  for (const std::string& name : data.alternatives) {
    const auto found = std::find_if(schema.alternatives.begin(), schema.alternatives.end(),
                                    [&](const ChoiceAlternative& one) { return one.name == name; });
    by_class.push_back(found == schema.alternatives.end() ? nullptr : &*found);
    outside.push_back(!schema.outside.empty() && name == schema.outside);
  }
  return [by_class, outside, classes = &data.classes](std::size_t entry, std::size_t attribute) {
    const auto alternative = static_cast<std::size_t>((*classes)[entry]);
    const ChoiceAlternative* one = by_class[alternative];
    return outside[alternative] || (one != nullptr && !one->lacks.empty() && one->lacks[attribute]);
  };
}

void compute_terms(const ChoiceSchema& schema, const LacksAttribute& lacks, ChoiceData& data) {
  if (schema.terms.empty()) return;
  Table table = entry_table(schema, data);
  for (std::size_t t = 0; t < schema.terms.size(); ++t) {
    const ChoiceTerm& term = schema.terms[t];
    const std::vector<double> values = term.expression.evaluate(table);
    const auto at = static_cast<Index>(schema.declared + t);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const bool zero = is_zero(term, j, lacks) ||
                        (!schema.outside.empty() &&
                         data.alternatives[static_cast<std::size_t>(data.classes[j])] == schema.outside);
      if (!zero && std::isnan(values[j])) fail(data, j, term);
      data.attributes(static_cast<Index>(j), at) = zero ? 0 : values[j];
    }
    table.columns.push_back(attribute_column(schema, data, schema.declared + t));
  }
}

Matrix<double> term_slopes(const ChoiceSchema& schema, const ChoiceData& data, std::size_t attribute) {
  Table table = entry_table(schema, data);
  for (std::size_t t = 0; t < schema.terms.size(); ++t)
    table.columns.push_back(attribute_column(schema, data, schema.declared + t));
  Column moving;
  moving.name = schema.attributes[attribute];
  for (Index j = 0; j < table.rows; ++j) moving.numbers.push_back(1);
  std::vector<Column> of = {std::move(moving)};
  Matrix<double> out(data.attributes.rows(), static_cast<Index>(schema.terms.size()));
  const LacksAttribute lacks = lacks_by_schema(schema, data);
  for (std::size_t t = 0; t < schema.terms.size(); ++t) {
    const ChoiceTerm& term = schema.terms[t];
    Column slope;
    slope.name = term.name;
    const bool reads = std::find(term.reads.begin(), term.reads.end(), attribute) != term.reads.end();
    const std::vector<double> values =
        reads ? term.expression.slope(table, of) : std::vector<double>(static_cast<std::size_t>(table.rows));
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double value = is_zero(term, j, lacks) ? 0 : values[j];
      slope.numbers.push_back(value);
      out(static_cast<Index>(j), static_cast<Index>(t)) = value;
    }
    of.push_back(std::move(slope));
  }
  return out;
}

namespace {

// Columns of the file that an expression reads, with those behind derived ones.
std::set<std::string> file_columns(const ChoiceSchema& schema, const Expression& expression) {
  std::set<std::string> out;
  for (const std::string& name : expression.columns()) {
    const auto found = std::find_if(schema.derived.rbegin(), schema.derived.rend(),
                                    [&](const auto& one) { return one.first == name; });
    if (found == schema.derived.rend()) {
      out.insert(name);
      continue;
    }
    ChoiceSchema earlier;  // a derived column reads those before it
    earlier.derived.assign(schema.derived.begin(), found.base() - 1);
    out.merge(file_columns(earlier, found->second));
  }
  return out;
}

// Columns that the attributes of other alternatives read, too: the person's.
std::set<std::string> shared_columns(const ChoiceSchema& schema, const std::string& alternative) {
  std::set<std::string> out;
  for (const ChoiceAlternative& one : schema.alternatives)
    if (one.name != alternative)
      for (const Expression& expression : one.attributes) out.merge(file_columns(schema, expression));
  return out;
}

}  // namespace

std::vector<std::string> computed_with(const ChoiceSchema& schema, const ChoiceData& data,
                                       const std::string& alternative, std::size_t attribute) {
  const auto own = std::find_if(schema.alternatives.begin(), schema.alternatives.end(),
                                [&](const ChoiceAlternative& one) { return one.name == alternative; });
  if (schema.wide && own == schema.alternatives.end()) return {};
  const std::vector<Expression>& expressions = schema.wide ? own->attributes : schema.expressions;
  std::set<std::string> persons = schema.wide ? shared_columns(schema, alternative) : data.person_columns;
  for (const std::string& name : schema.context) persons.insert(name);
  const std::set<std::string> columns = file_columns(schema, expressions[attribute]);
  std::vector<std::string> out;
  for (std::size_t k = 0; k < schema.declared; ++k) {
    if (k == attribute) continue;
    for (const std::string& name : file_columns(schema, expressions[k]))
      if (columns.contains(name) && !persons.contains(name)) {
        out.push_back(schema.attributes[k]);
        break;
      }
  }
  return out;
}

}  // namespace bl

#include "choice/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/expression.hpp"
#include "features/encoder.hpp"
#include "features/levels.hpp"
#include "plan/table_plan.hpp"

namespace bl {

namespace {

using Texts = std::vector<std::string>;

// An input of a utility or of the membership.
struct Input {
  std::string name, expression;
};

// A column in an expression: in backquotes where its name alone would be read as something else.
std::string column_text(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool plain =
      !name.empty() && letter(name[0]) && !has({"and", "or", "in", "not"}, name) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  if (plain) return name;
  if (name.find('`') != std::string::npos)
    throw UsageError("column " + in_quotes(name) +
                     ": a table with latent classes cannot read a name with a backquote; rename the column");
  return "`" + name + "`";
}

std::string level_text(const SchemaColumn& column, const std::string& level) {
  if (column.raw == RawType::numeric) return level;
  const char quote = level.find('\'') == std::string::npos ? '\'' : '"';
  if (level.find(quote) != std::string::npos)
    throw UsageError(fmt::format("column {}: the level {} holds both kinds of quotes; rename it",
                                 in_quotes(column.name), in_quotes(level)));
  return quote + level + quote;
}

// Of a column with levels those of these rows, in their order.
Texts levels_of(const Column& cells, const SchemaColumn& column, const std::vector<Index>& rows) {
  Texts levels = distinct_levels(cells, rows);
  if (column.levels.empty()) return levels;
  Texts ordered;
  for (const std::string& level : column.levels)
    if (has(levels, level)) ordered.push_back(level);
  return ordered;
}

// An indicator of each level but the first. The first of them is missing for a level that was not seen, so
// that such a row is refused and not taken for one of the first level.
std::vector<Input> indicators(const Column& cells, const SchemaColumn& column,
                              const std::vector<Index>& rows) {
  const Texts levels = levels_of(cells, column, rows);
  Texts written;
  for (const std::string& level : levels) written.push_back(level_text(column, level));
  const std::string name = column_text(column.name);
  std::vector<Input> out;
  for (std::size_t k = 1; k < levels.size(); ++k) {
    out.push_back({column.name + "=" + levels[k], name + " == " + written[k]});
    if (k == 1)
      out[0].expression = fmt::format("({}) / ({} in ({}))", out[0].expression, name, joined(written));
  }
  return out;
}

bool constant(const Column& cells, const std::vector<Index>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](Index row) {
    return cells.numbers[static_cast<std::size_t>(row)] ==
           cells.numbers[static_cast<std::size_t>(rows.front())];
  });
}

class TableRows {
 public:
  TableRows(const Table& table, const ChoiceDeclaration& written, const Settings& settings)
      : table_(table), d_(written), settings_(settings) {
    refuse_answered();
    if (settings_.target.empty()) settings_.target = d_.choice;
    if (settings_.group.empty() && !d_.person.empty()) settings_.group = d_.person;
    schema_ = plan_schema(table, settings_);
    rows_ = d_.filter.empty() ? all_rows(table.rows) : rows_where(Expression::parse(d_.filter), table);
    if (rows_.empty()) throw DataError(table.source + ": no rows are left by the filter " + d_.filter);
  }

  RowsAsChoices choices() {
    d_.layout = "wide";
    read_response();
    read_roles();
    const Texts apart = read_membership();
    read_latent();
    const Texts others = columns_of_the_model();
    std::vector<Input> inputs;
    for (const SchemaColumn* column : schema_.with_role(Role::feature))
      if (!has(apart, column->name) && !has(others, column->name))
        for (Input& one : inputs_of(*column)) inputs.push_back(std::move(one));
    add_inputs(inputs);
    note(apart);
    clear_settings();
    return {std::move(d_), std::move(settings_), std::move(notes_)};
  }

 private:
  // What a table says by itself.
  void refuse_answered() const {
    const auto refuse = [&](bool given, const char* key) {
      if (given)
        throw UsageError(
            d_.place(key) +
            ": the columns of a table say the alternatives and their attributes; leave this out, "
            "or use the layout 'wide'");
    };
    refuse(!d_.alternatives.empty(), "alternatives");
    refuse(!d_.attributes.empty(), "attributes");
    refuse(!d_.terms.empty(), "terms");
    refuse(!d_.derived.empty(), "derived");
    refuse(!d_.rank.empty() || !d_.ranking.empty(), "data/rank");
    refuse(d_.generic.has_value(), "utility/generic");
    refuse(!d_.specific.empty(), "utility/specific");
    refuse(!d_.context.empty() || !d_.nominal.empty(), "utility/context");
    refuse(!d_.signs.empty(), "utility/signs");
  }

  void read_response() {
    const auto responses = schema_.with_role(Role::response);
    if (settings_.target.empty() || responses.size() != 1)
      throw UsageError("latent classes of a table need one response; name it by `target`");
    const SchemaColumn& response = *responses[0];
    if (response.type == ColumnType::continuous)
      throw UsageError(
          fmt::format("latent classes of a table are for a response with classes, and {} is a number. If its "
                      "values are classes, declare it by `nominal`; else make classes of it, such as below "
                      "and above its median, or leave out the latent classes",
                      in_quotes(response.name)));
    d_.choice = response.name;
    levels_ = levels_of(table_.column(response.name), response, rows_);
    if (levels_.size() < 2)
      throw DataError(fmt::format("{}: the response {} has {}; two classes or more are needed", table_.source,
                                  in_quotes(response.name),
                                  levels_.empty() ? "no values" : "the one class " + in_quotes(levels_[0])));
    if (!d_.reference.empty() && !has(levels_, d_.reference))
      throw UsageError(fmt::format("{}: {} has no level {} among {}{}", d_.place("utility/reference"),
                                   in_quotes(response.name), in_quotes(d_.reference), quoted_list(levels_),
                                   did_you_mean(d_.reference, levels_)));
    for (const std::string& level : levels_) d_.alternatives.push_back({.name = level});
  }

  void read_roles() {
    for (const SchemaColumn* one : schema_.with_role(Role::group)) d_.person = one->name;
    for (const SchemaColumn* one : schema_.with_role(Role::weight))
      if (d_.weight.empty()) d_.weight = column_text(one->name);
  }

  // Those of a weight or of a scale by data source.
  Texts columns_of_the_model() const {
    Texts out = d_.weight.empty() ? Texts() : Expression::parse(d_.weight).columns();
    for (const auto& [key, text] : d_.scale)
      if (key == "by") out.push_back(text);
    return out;
  }

  // One class is the plain logit, whose maximum need not be searched for.
  void read_latent() {
    if (!has_one_class()) return;
    d_.latent.clear();
    d_.membership.clear();
    if (!linear()) return;
    settings_.starts = Settings().starts;
    if (!settings_.fractions.given()) settings_.seed = Settings().seed;
  }

  bool has_one_class() const {
    return std::find(d_.latent.begin(), d_.latent.end(),
                     std::pair<std::string, std::string>("classes", "1")) != d_.latent.end();
  }

  // Plain columns as inputs, other expressions as they are; the columns that it reads.
  Texts read_membership() {
    Texts written, apart;
    for (const std::string& text : d_.membership) {
      const bool named = schema_.find(text) != nullptr;
      const Texts columns = named ? Texts{text} : Expression::parse(text).columns();
      for (const std::string& name : columns) {
        table_.column(name);  // or there is none such
        if (schema_.find(name)->role == Role::response)
          throw UsageError(fmt::format("{}: {} is the response, so it cannot be a column of the membership",
                                       d_.place("latent/membership"), in_quotes(name)));
        if (!has(apart, name)) apart.push_back(name);
      }
      if (!named && (columns.size() != 1 || text != "`" + columns[0] + "`")) {
        written.push_back(text);
        continue;
      }
      for (const Input& one : inputs_of(*schema_.find(columns[0]))) written.push_back(one.expression);
    }
    d_.membership = written;
    return apart;
  }

  // A number as it is, indicators of levels; none of a column with one value.
  std::vector<Input> inputs_of(const SchemaColumn& column) {
    const Column& cells = table_.column(column.name);
    if (column.type == ColumnType::text)
      throw UsageError(
          fmt::format("column {} holds sentences, which a table with latent classes cannot read; leave it "
                      "out by `ignore`, "
                      "or declare it by `nominal`",
                      in_quotes(column.name)));
    for (const Index row : rows_)
      if (cells.missing(row))
        throw DataError(
            fmt::format("{}: column {} is missing, and a table with latent classes needs all "
                        "values; fill them in, or leave out the column (`ignore`) or such rows (`filter`)",
                        table_.place(row), in_quotes(column.name)));
    const bool number = column.type == ColumnType::continuous;
    std::vector<Input> out;
    if (!number)
      out = indicators(cells, column, rows_);
    else if (!constant(cells, rows_))
      out.push_back({column.name, column_text(column.name)});
    if (out.empty())
      notes_.push_back("column " + in_quotes(column.name) + " has one value alone and is left out");
    return out;
  }

  // A coefficient of each input for every level but the reference. A block, which is no sum, reads an input
  // of its own for every level.
  void add_inputs(const std::vector<Input>& inputs) {
    std::set<std::string> seen;
    for (const Input& one : inputs) {
      if (!seen.insert(one.name).second)
        throw UsageError("two inputs are called " + in_quotes(one.name) + "; rename a column");
      ChoiceDeclaration::Specific specific{one.name, {}};
      for (ChoiceDeclaration::Alternative& level : d_.alternatives) {
        level.attributes.emplace_back(linear() ? one.name : one.name + "[" + level.name + "]",
                                      one.expression);
        if (level.name != reference()) specific.alternatives.push_back(level.name);
      }
      if (linear()) d_.specific.push_back(std::move(specific));
    }
    if (linear()) d_.reference = reference();
  }

  bool linear() const { return d_.form.empty() || d_.form == "linear"; }
  const std::string& reference() const { return d_.reference.empty() ? levels_[0] : d_.reference; }

  void note(const Texts& apart) {
    notes_.push_back(
        fmt::format("every row is a choice among the levels of {}{}", in_quotes(d_.choice),
                    linear() ? "; coefficients are differences from " + in_quotes(reference()) : ""));
    if (!apart.empty())
      notes_.push_back(quoted_list(apart) + ": of the membership, so the utilities do not read " +
                       (apart.size() == 1 ? "it" : "them"));
    if (d_.latent.empty()) return;
    if (persons() == rows_.size())
      notes_.push_back(
          "one row a person determines latent classes weakly: what tells classes apart is how one person's "
          "rows "
          "go together; name the person of each row by `group`");
  }

  std::size_t persons() const {
    if (d_.person.empty()) return rows_.size();
    const std::vector<std::int32_t> codes = category_codes(table_, table_.column(d_.person));
    std::set<std::int32_t> seen;
    for (const Index row : rows_) seen.insert(codes[static_cast<std::size_t>(row)]);
    return seen.size();
  }

  // Of the settings those that the declaration says now.
  void clear_settings() {
    const Settings defaults;
    for (const auto member : {&Settings::target, &Settings::ignore, &Settings::weight, &Settings::group,
                              &Settings::id, &Settings::continuous, &Settings::nominal, &Settings::schema})
      settings_.*member = defaults.*member;
  }

  const Table& table_;
  ChoiceDeclaration d_;
  Settings settings_;
  Schema schema_;
  std::vector<Index> rows_;
  Texts levels_, notes_;
};

}  // namespace

RowsAsChoices rows_as_choices(const Table& table, const ChoiceDeclaration& written,
                              const Settings& settings) {
  return TableRows(table, written, settings).choices();
}

}  // namespace bl

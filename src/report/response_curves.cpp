#include "bl/response_curves.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "report/choice_subject.hpp"
#include "report/matters.hpp"
#include "report/page_model.hpp"
#include "report/picture_sheet.hpp"
#include "report/responses.hpp"

namespace bl {

namespace {

using namespace report;

constexpr std::size_t kOfferedCurves = 24;

std::size_t column_called(const TableSubject& s, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < s.columns.size(); ++i) {
    if (s.columns[i].name == name) return i;
    names.push_back(s.columns[i].name);
  }
  throw UsageError(fmt::format("no column is called {}{}", in_quotes(name), did_you_mean(name, names)));
}

// Those asked for, or those that the blocks read most of, in the order of the data.
std::vector<std::size_t> columns_to_draw(const TableSubject& s, const std::vector<std::string>& names) {
  std::vector<std::size_t> out;
  for (const std::string& name : names) out.push_back(column_called(s, name));
  if (!names.empty()) return out;
  for (const ColumnImportance& one : reading_shares(s).columns) out.push_back(one.column);
  if (out.size() > kOfferedCurves) out.resize(kOfferedCurves);
  std::sort(out.begin(), out.end());
  return out;
}

std::string table_sheet(const Model& model, const Data& data, const ResponseCurveOptions& options,
                        const Context& job) {
  if (page_kind(model.impl()).empty())
    throw UsageError("response curves can be drawn for a class, one number or choices");
  const TableSubject s = table_subject(model, data, options.row, job);
  std::vector<NamedChart> charts;
  for (const std::size_t column : columns_to_draw(s, options.columns))
    for (NamedChart& chart : curve_charts(s, response_curve(s, column))) charts.push_back(std::move(chart));
  return picture_sheet("How " + response_name(s.fitted) + " changes with each column", curve_legend(s),
                       charts);
}

std::string choice_sheet(const Model& model, const Data& data, const ResponseCurveOptions& options,
                         const Context& job) {
  const ChoiceSubject s = choice_subject(model, data, options.row, "", job);
  if (!s.fitted.choice().schema.terms.empty())
    throw UsageError(
        "attributes of this model also count through terms that are computed from them, so none is moved "
        "alone; "
        "ask `whatif`, which follows the terms");
  const std::vector<std::string>& known = s.fitted.choice().schema.attributes;
  for (const std::string& name : options.columns)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(
          fmt::format("no attribute is called {}{}", in_quotes(name), did_you_mean(name, known)));
  return picture_sheet("How the choice changes with each attribute, in " + s.start_text, choice_legend(s),
                       choice_charts(s, options.columns));
}

}  // namespace

std::string response_curves(const Model& model, const Data& data, const ResponseCurveOptions& options) {
  const Context job(options.threads);
  return model.is_choice() ? choice_sheet(model, data, options, job) : table_sheet(model, data, options, job);
}

}  // namespace bl

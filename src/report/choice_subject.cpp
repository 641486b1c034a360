#include "report/choice_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "bl/errors.hpp"
#include "choice/reading.hpp"
#include "features/beyond_names.hpp"
#include "plan/table_plan.hpp"
#include "report/subject.hpp"

namespace bl::report {

namespace {

// The situations to judge by: of the fit's file those of the test part, or of validation, or else all.
void choose_judged(ChoiceSubject& s) {
  const auto all = static_cast<std::size_t>(s.all.situations());
  s.judged = s.all;
  if (!is_fit_data(s.fitted, s.data.impl().table)) {
    s.judged_text = fmt::format("all {} situations of the file given, which is not that of the fit", all);
    return;
  }
  s.judged_text = fmt::format("all {} situations; the fit has seen them, so new ones may do worse", all);
  const Split split = plan_split(s.all.situations(), s.all.persons, fit_settings(s.fitted), s.data.source());
  for (const auto& [part, text] :
       {std::pair(Part::test, "test situations, which the fit has not seen"),
        std::pair(Part::validation, "validation situations, which decided when training ended")}) {
    const std::vector<Index>& situations = rows_of(split, part);
    if (situations.empty()) continue;
    s.judged = select_situations(s.all, situations);
    s.judged_text = fmt::format("{} {}", situations.size(), text);
    return;
  }
}

void view_attributes(ChoiceSubject& s) {
  const std::size_t count = s.all.alternatives.size();
  const Index attributes = s.all.attributes.cols();
  s.availability.assign(count, 0);
  std::vector<std::vector<std::vector<double>>> values(
      count, std::vector<std::vector<double>>(static_cast<std::size_t>(attributes)));
  for (std::size_t j = 0; j < s.all.classes.size(); ++j) {
    const auto alternative = static_cast<std::size_t>(s.all.classes[j]);
    s.availability[alternative] += 1 / static_cast<double>(s.all.situations());
    for (Index k = 0; k < attributes; ++k)
      values[alternative][static_cast<std::size_t>(k)].push_back(s.all.attributes(static_cast<Index>(j), k));
  }
  for (std::size_t a = 0; a < count; ++a) {
    s.attributes.emplace_back();
    for (std::size_t k = 0; k < static_cast<std::size_t>(attributes); ++k)
      s.attributes[a].push_back(
          number_view(s.fitted.choice().schema.attributes[k], std::move(values[a][k]), 0));
  }
}

void choose_start(ChoiceSubject& s, std::size_t row) {
  const std::size_t count = s.all.alternatives.size();
  const Index attributes = s.all.attributes.cols();
  s.start = typical_cells(s.columns);
  s.start_text = "a typical situation";
  s.start_attributes.resize(static_cast<Index>(count), attributes);
  s.start_available.assign(count, true);
  for (std::size_t a = 0; a < count; ++a)
    for (Index k = 0; k < attributes; ++k)
      s.start_attributes(static_cast<Index>(a), k) =
          s.attributes[a][static_cast<std::size_t>(k)].typical.number;
  if (row == 0) return;
  if (row > static_cast<std::size_t>(s.all.situations()))
    throw UsageError(fmt::format("`row` = {}: the data have {} situations", row, s.all.situations()));
  const auto i = row - 1;
  s.start = cells_of(s.fitted.stored.encoder, s.all.context, static_cast<Index>(i));
  s.start_text = fmt::format("situation {}", row);
  s.start_available.assign(count, false);
  for (auto j = s.all.begin[i]; j < s.all.begin[i + 1]; ++j) {
    const auto a = static_cast<std::size_t>(s.all.classes[static_cast<std::size_t>(j)]);
    s.start_available[a] = true;
    for (Index k = 0; k < attributes; ++k)
      s.start_attributes(static_cast<Index>(a), k) = s.all.attributes(j, k);
  }
}

std::string money_of(const FittedModel& model, const std::string& asked) {
  const std::vector<std::string>& names = model.choice().schema.attributes;
  if (!asked.empty()) return names[attribute_of(model, asked)];
  for (const char* word : {"cost", "price", "fare", "toll"})
    for (const std::string& name : names) {
      std::string lower = name;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return std::tolower(c); });
      if (lower.find(word) != std::string::npos) return name;
    }
  return {};
}

}  // namespace

ChoiceSubject choice_subject(const Model& model, const Data& data, std::size_t row, const std::string& money,
                             const Context& job) {
  ChoiceSubject s{.model = model, .fitted = model.impl(), .data = data, .job = job};
  if (!s.fitted.choice().schema.rivals.empty())
    throw UsageError(
        "the page changes one alternative at a time, and a network that reads its rivals would have to read "
        "them "
        "again; ask `explain` and `whatif` in place of a report");
  if (s.fitted.choice().schema.beyond_logit())
    throw UsageError("the page computes the probabilities of a logit, and those of " +
                     beyond_words(s.fitted.choice().schema) +
                     " are others; ask `explain` and `whatif` in place of a report");
  s.all = read_part(s.fitted, data.impl().table, Part::all, true);
  choose_judged(s);
  s.columns = column_views(s.fitted.stored.encoder, s.all.context, all_rows(s.all.context.rows));
  view_attributes(s);
  choose_start(s, row);
  s.money = money_of(s.fitted, money);
  return s;
}

ChoiceData repeated_situation(const ChoiceSubject& s, Index count) {
  const auto alternatives = static_cast<Index>(s.all.alternatives.size());
  ChoiceData out;
  out.alternatives = s.all.alternatives;
  out.attributes.resize(count * alternatives, s.all.attributes.cols());
  out.begin.push_back(0);
  for (Index i = 0; i < count; ++i) {
    for (Index a = 0; a < alternatives; ++a) {
      out.classes.push_back(static_cast<std::int32_t>(a));
      std::copy_n(s.start_attributes.row(a), s.all.attributes.cols(),
                  out.attributes.row(i * alternatives + a));
    }
    out.begin.push_back((i + 1) * alternatives);
    out.chosen.push_back(kUnknownChoice);
    out.labels.push_back(s.start_text);
  }
  out.context = repeated_row(s.fitted.stored.encoder, s.start, count);
  return out;
}

}  // namespace bl::report

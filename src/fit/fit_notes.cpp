#include "fit/fit_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "base/text_parts.hpp"
#include "features/levels.hpp"
#include "features/near_numbers.hpp"
#include "features/whole_numbers.hpp"
#include "plan/image_shifts.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"

namespace bl {

namespace {

constexpr std::size_t kManyLevels = 20;  // fewer of them may well be kinds of things

// One for each, or one for all where they are many: the edges of images are.
std::vector<std::string> constant_notes(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> notes;
  if (names.size() <= kMost)
    for (const std::string& name : names) notes.push_back(fmt::format("'{}' is constant and left out", name));
  else
    notes.push_back(fmt::format("{} columns are constant and left out, '{}' to '{}'", names.size(),
                                names.front(), names.back()));
  return notes;
}

std::vector<std::string> encoding_notes(const Encoder& encoder, std::size_t train_rows) {
  std::vector<std::string> notes;
  const EncodingReport& report = encoder.report();
  for (std::string& note : constant_notes(report.constant)) notes.push_back(std::move(note));
  for (const FeatureEncoding& f : encoder.features())
    if (f.text)
      notes.push_back(fmt::format("'{}' is running text: {} terms in {} components", f.name,
                                  f.text->terms().size(), f.text->components()));
  for (const auto& [name, earlier] : report.duplicates)
    notes.push_back(fmt::format("'{}' repeats '{}'; consider `ignore`", name, earlier));
  for (const auto& [name, count] : report.missing)
    notes.push_back(fmt::format("'{}' has {} missing training values, filled in and flagged", name, count));
  for (const ResponseEncoding& response : encoder.responses())
    if (!response.number.plain()) notes.push_back(response.number.note(response.name));
  for (const FeatureEncoding& f : encoder.features())
    if (f.type == ColumnType::nominal && f.levels.size() > std::max(kManyLevels, train_rows / 2))
      notes.push_back(fmt::format("'{}' has {} levels in {} training rows; if it names rows, give `id` {}",
                                  f.name, f.levels.size(), train_rows, f.name));
  return notes;
}

// Where held-out rows say that a distribution is not to be trusted as it stands.
// An interval that ends on a point mass holds all of it, so it may cover more than it should.
std::vector<std::string> distribution_notes(const std::vector<Metric>& metrics, std::size_t rows,
                                            bool point_masses) {
  constexpr double kNominal = 0.9, kNoticeable = 0.05, kStandardErrors = 3;
  constexpr double kWorse = -0.1;  // than one number for all, by more than chance
  std::vector<std::string> notes;
  for (const Metric& metric : metrics) {
    const double error = std::sqrt(kNominal * (1 - kNominal) / static_cast<double>(rows));
    if (metric.name == "coverage_90" && !(point_masses && metric.value > kNominal) &&
        std::abs(metric.value - kNominal) > std::max(kNoticeable, kStandardErrors * error))
      notes.push_back(
          fmt::format("90% intervals cover {:.0f}% of the {} test rows: the learned distribution is too {}",
                      100 * metric.value, rows, metric.value < kNominal ? "narrow" : "wide"));
    if (metric.name == "r2" && metric.value < kWorse)
      notes.push_back(
          fmt::format("the means predict worse than one number for all test rows would (R2 {:.3g}); use the "
                      "median or other quantiles",
                      metric.value));
  }
  return notes;
}

// What a distribution learned from a handful of rows is worth.
std::optional<std::string> few_rows_note(const Prepared& p) {
  constexpr std::size_t kFewToLearn = 50, kFewToJudge = 20;
  const std::size_t learned = p.split.train.size(), judged = p.split.validation.size() + p.split.test.size();
  if (!p.space.single_continuous() || (learned >= kFewToLearn && judged >= kFewToJudge)) return std::nullopt;
  return fmt::format(
      "{} training, {} validation and {} test rows are few: intervals and figures of this fit "
      "may be off by chance; other values of `seed` show how far",
      learned, p.split.validation.size(), p.split.test.size());
}

// Rows that are in no part.
std::optional<std::string> left_out_note(const Prepared& p) {
  const std::size_t used = p.split.train.size() + p.split.validation.size() + p.split.test.size();
  const std::size_t rows = static_cast<std::size_t>(p.table->rows);
  if (used == rows) return std::nullopt;
  return fmt::format("rows without a response are left out: {} of {}", rows - used, rows);
}

// Held-out rows are judged with such levels as missing; new rows are refused for them.
std::vector<std::string> unseen_notes(const Prepared& p) {
  std::vector<std::string> notes;
  if (p.settings->unseen != "error") return notes;
  const WholeColumn whole = p.shared ? p.shared->whole_columns() : WholeColumn();
  for (const FeatureEncoding& f : p.encoder.features()) {
    const Column* found = f.levels.empty() ? nullptr : p.table->find(f.name);
    if (found == nullptr) continue;
    const Column& column = whole_column(whole, *found);
    const LevelLookup lookup(column, f.levels);
    std::size_t count = 0;
    std::string level;
    for (const auto* part : {&p.split.validation, &p.split.test})
      for (const Index row : *part) {
        if (lookup(row) != kUnseenCode) continue;
        if (count++ == 0) level = in_quotes(column.cell_text(row));
      }
    if (count > 0)
      notes.push_back(fmt::format(
          "'{}' has levels, such as {}, that no training row has; the metrics take them as missing (held-out "
          "rows: {}). Other commands do so with `unseen_as_missing`",
          f.name, level, count));
  }
  return notes;
}

}  // namespace

std::string plan_text(const Prepared& p) {
  const Architecture& a = p.architecture;
  const std::string layers =
      joined(a.layers, ",", [](const LayerSpec& layer) { return std::to_string(layer.blocks); });
  const std::string responses = joined(p.encoder.responses(), ", ", [](const ResponseEncoding& response) {
    return response.name +
           (response.is_class() ? fmt::format(" ({} classes)", response.levels.size()) : " (continuous)");
  });
  const ParameterLayout layout(a);
  const std::string networks = p.members > 1 ? fmt::format(" ({} networks joined)", p.members) : "";
  return fmt::format(
      "response  {}\nfeatures  {} columns, encoded as {}\nrows      {} training, {} validation, {} test\n"
      "model     {} form, {}{}, {} parameters",
      responses, p.encoder.features().size(), p.encoder.columns().size(), p.split.train.size(),
      p.split.validation.size(), p.split.test.size(), a.form == Form::scalar ? "scalar" : "vector",
      a.readout.present ? "layers [" + layers + "]" : fmt::format("single block of degree {}", a.degree()),
      networks, layout.free_count());
}

std::vector<std::string> fit_notes(const Prepared& p, const Trained& trained,
                                   const std::vector<Metric>& test_metrics) {
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<std::string>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  if (const auto left_out = left_out_note(p)) notes.push_back(*left_out);
  if (p.settings->schema.empty()) {
    const std::vector<std::string> declared = split_list(p.settings->nominal);
    add(near_number_notes(*p.table, p.encoder.schema(), declared,
                          p.shared ? p.shared->whole_columns() : WholeColumn()));
    add(numbered_class_notes(*p.table, p.encoder.schema(), declared));
  }
  add(encoding_notes(p.encoder, p.split.train.size()));
  add(unseen_notes(p));
  if (p.shifts)
    notes.emplace_back("training also saw images shifted by a pixel; `shifts` none turns this off");
  if (std::string note = not_shifted_note(*p.settings, *p.table, p.encoder, p.wide); !note.empty())
    notes.push_back(std::move(note));
  add(trained.notes);
  if (const auto few = few_rows_note(p)) notes.push_back(*few);
  const auto& responses = p.encoder.responses();
  const bool point_masses = std::any_of(responses.begin(), responses.end(), [](const ResponseEncoding& one) {
    return !one.number.masses.empty();
  });
  add(distribution_notes(test_metrics, p.split.test.size(), point_masses));
  if (trained.learned.report.epochs == 0)
    notes.emplace_back("training ended before one pass over the rows: the model has hardly learned");
  return notes;
}

}  // namespace bl

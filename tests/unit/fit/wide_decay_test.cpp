// The decay of weights for classes of wide inputs is chosen on validation rows: strong where columns are
// mostly noise, weak where they are not.
#include "fit/wide_decay.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.hpp"
#include "bl/fit.hpp"
#include "fit/table_fit.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {
namespace {

constexpr Index kColumns = 260, kRows = 3000;

// Two classes by the first `telling` columns; a label is turned around with a probability of `wrong`.
Table wide_table(Index telling, double wrong) {
  const RandomStream random(3, Purpose::test);
  Table table;
  table.source = "wide";
  table.rows = kRows;
  std::vector<double> sums(static_cast<std::size_t>(kRows), 0);
  for (Index c = 0; c < kColumns; ++c) {
    Column column;
    column.name = "x" + std::to_string(c);
    for (Index i = 0; i < kRows; ++i) {
      const double value = random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c));
      column.numbers.push_back(value);
      if (c < telling) sums[static_cast<std::size_t>(i)] += value;
    }
    table.columns.push_back(std::move(column));
  }
  Column label;
  label.name = "y";
  label.raw = RawType::text;
  label.levels = {"a", "b"};
  for (Index i = 0; i < kRows; ++i) {
    const bool turned = random.uniform(static_cast<std::uint64_t>(i), 1U << 20U) < wrong;
    label.codes.push_back((sums[static_cast<std::size_t>(i)] > 0) != turned ? 1 : 0);
  }
  table.columns.push_back(std::move(label));
  for (Index i = 0; i < kRows; ++i) table.lines.append(i + 2);
  return table;
}

FitSummary fit_of(const Table& table, const std::vector<std::pair<std::string, std::string>>& chosen,
                  const Context& job = Context(0)) {
  Settings settings;
  set(settings, "target", "y");
  set(settings, "layers", "4");
  set(settings, "refit", "none");
  for (const auto& [name, value] : chosen) set(settings, name, value);
  return fit_table(table, settings, {}, job);
}

std::string used_decay(const FitSummary& fit) {
  return fit.model.impl().stored.information["used"].value("weight_decay", "");
}

std::size_t decay_notes(const FitSummary& fit) {
  std::size_t count = 0;
  for (const std::string& note : fit.notes) count += note.starts_with("decay of weights") ? 1U : 0U;
  return count;
}

TEST(WideDecay, IsStrongerWhereColumnsAreMostlyNoise) {
  const FitSummary noisy = fit_of(wide_table(3, 0.25), {}), clean = fit_of(wide_table(kColumns, 0), {});
  EXPECT_GT(std::stod(used_decay(noisy)), 2 * std::stod(used_decay(clean)));
  EXPECT_EQ(decay_notes(noisy), 1U);
  EXPECT_EQ(decay_notes(clean), 1U);
}

TEST(WideDecay, IsTheSameForAnyNumberOfThreads) {
  const Table table = wide_table(3, 0.25);
  std::vector<std::string> told;
  const Context listened(2, {.on_progress = [&](double, const std::string& text) { told.push_back(text); }});
  const FitSummary one = fit_of(table, {}, Context(1)), two = fit_of(table, {}, listened);
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(told[0].starts_with("epochs to choose how weights decay")) << told[0];
  EXPECT_EQ(used_decay(one), used_decay(two));
  EXPECT_EQ(one.model.impl().stored.parameters, two.model.impl().stored.parameters);
}

TEST(WideDecay, ThatIsGivenIsUsed) {
  const FitSummary fit = fit_of(wide_table(3, 0.25), {{"weight_decay", "0.4"}});
  EXPECT_EQ(used_decay(fit), "");
  EXPECT_EQ(decay_notes(fit), 0U);
}

TEST(WideDecay, IsNotChosenWithoutValidationRows) {
  const FitSummary fit = fit_of(wide_table(3, 0.25), {{"fractions", "1:0:0"}});
  EXPECT_EQ(std::stod(used_decay(fit)), kDecayWithoutChoice);
  EXPECT_EQ(decay_notes(fit), 0U);
}

TEST(WideDecay, BriefFitsTakeSomeOfManyRows) {
  std::vector<Index> train(50000);
  for (std::size_t i = 0; i < train.size(); ++i) train[i] = static_cast<Index>(2 * i);
  const std::vector<Index> rows = brief_rows(train, 5);
  EXPECT_EQ(rows.size(), 24000U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  EXPECT_TRUE(std::includes(train.begin(), train.end(), rows.begin(), rows.end()));
  EXPECT_EQ(rows, brief_rows(train, 5));
  EXPECT_NE(rows, brief_rows(train, 6));
  // A file that is sorted by class has all classes among them: the halves are met alike.
  const auto middle = std::lower_bound(rows.begin(), rows.end(), train[train.size() / 2]);
  EXPECT_NEAR(static_cast<double>(middle - rows.begin()), 12000, 5 * std::sqrt(24000 * 0.25));
  train.resize(1000);
  EXPECT_EQ(brief_rows(train, 5), train);
}

}  // namespace
}  // namespace bl

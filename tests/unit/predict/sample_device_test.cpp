// Where draws are made: what a GPU does not draw is refused or noted, never drawn elsewhere in silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "bl/sample.hpp"
#include "data/table.hpp"
#include "fit/table_fit.hpp"

namespace bl {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Of as many numbers as asked for, without features.
Model model_of(const std::string& targets, int columns) {
  const RandomStream random(2, Purpose::test);
  Table table;
  table.source = "numbers";
  table.rows = 60;
  for (int c = 0; c < columns; ++c) {
    Column column;
    column.name = std::string(1, static_cast<char>('a' + c));
    for (std::uint64_t i = 0; i < 60; ++i)
      column.numbers.push_back(random.normal(i, static_cast<std::uint64_t>(c)));
    table.columns.push_back(std::move(column));
  }
  for (Index i = 0; i < table.rows; ++i) table.lines.append(i + 2);
  Settings settings;
  set(settings, "target", targets);
  set(settings, "layers", "2");
  set(settings, "epochs", "1");
  return fit_table(table, settings, {}, Context(0)).model;
}

SampleOptions on(const std::string& device, const std::string& method = "auto") {
  SampleOptions options;
  options.draws = 8;
  options.warmup = 4;
  options.method = method;
  options.device = device;
  options.threads = 1;
  return options;
}

TEST(SampleDevice, ExactDrawsAreForTheProcessor) {
  const Model model = model_of("a", 1);
  EXPECT_THAT([&] { sample(model, on("cuda")); }, ThrowsMessage<UsageError>(HasSubstr("exact")));
  const SampleResult noted = sample(model, on("auto")), plain = sample(model, on("cpu"));
  EXPECT_THAT(noted.note, HasSubstr("computed on the processor"));
  EXPECT_EQ(plain.note, "");
  EXPECT_EQ(noted.draws.columns.back().numbers, plain.draws.columns.back().numbers);
}

TEST(SampleDevice, UnknownOnesAreRefused) {
  const Model model = model_of("a,b", 2);
  EXPECT_THAT([&] { sample(model, on("tpu", "hmc")); }, ThrowsMessage<UsageError>(HasSubstr("tpu")));
  // Chains that learn their step, whether or not there is a GPU.
  EXPECT_THROW(sample(model, on("cuda", "hmc")), UsageError);
  EXPECT_THAT(sample(model, on("auto", "hmc")).note, HasSubstr("computed on the processor"));
}

}  // namespace
}  // namespace bl

// Reading a table of numbers and words from memory.
#include <fmt/format.h>

#include <string>

#include "check.hpp"
#include "data/read_table.hpp"

namespace bl::bench {
namespace {

void csv(benchmark::State& state) {
  constexpr int kRows = 20000;
  std::string text = "id,price,color,weight,score\n";
  for (int i = 0; i < kRows; ++i)
    text += fmt::format("{},{:.4f},{},{:.6g},{:e}\n", i, 0.25 * i, i % 3 ? "red" : "blue", 1.0 / (i + 1),
                        1e5 / (i + 2));
  Table table;
  for (auto _ : state) {
    table = read_table_from_memory(text, "table.csv");
    benchmark::DoNotOptimize(table.rows);
  }
  expect_near(state, static_cast<double>(table.rows), kRows, 0, "rows");
  expect_near(state, static_cast<double>(table.columns.size()), 5, 0, "columns");
  expect_near(state, table.column("price").numbers[9999], 2499.75, 0, "a price");
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}

BENCHMARK(csv)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bl::bench

#include <fmt/format.h>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "base/wrapped_text.hpp"
#include "bl/simplify.hpp"

namespace bl {

OutputTable size_table(const Simplified& result) {
  OutputTable out{.rows = result.sizes.size(), .columns = {}};
  const auto add = [&](const char* name, auto value) {
    OutputColumn column{.name = name, .numbers = {}, .texts = {}};
    for (const SimplifiedSize& size : result.sizes)
      column.numbers.push_back(static_cast<double>(value(size)));
    out.columns.push_back(std::move(column));
  };
  add("blocks", [](const SimplifiedSize& s) { return s.blocks; });
  add("heads", [](const SimplifiedSize& s) { return s.heads; });
  add("columns", [](const SimplifiedSize& s) { return s.columns; });
  add("loss", [](const SimplifiedSize& s) { return s.loss; });
  add("standard_error", [](const SimplifiedSize& s) { return s.standard_error; });
  add("difference", [](const SimplifiedSize& s) { return s.difference; });
  add("difference_error", [](const SimplifiedSize& s) { return s.difference_error; });
  add("chosen", [](const SimplifiedSize& s) { return s.chosen ? 1 : 0; });
  return out;
}

std::string render(const Simplified& r) {
  std::string out =
      fmt::format("Mean of -log p over {} validation rows, with standard errors\n\n", r.large.rows) +
      "  blocks  heads  columns       loss    error    against the large model\n";
  for (const SimplifiedSize& s : r.sizes)
    out += fmt::format("  {:>6}  {:>5}  {:>7}  {:>9.4f}  {:>7.4f}    {:>+8.4f} +- {:.4f}{}\n", s.blocks,
                       s.heads, s.columns, s.loss, s.standard_error, s.difference, s.difference_error,
                       s.chosen ? "  chosen" : "");
  out += fmt::format("  {:>6}  {:>5}  {:>7}  {:>9.4f}  {:>7.4f}    the large model\n\n", r.large_blocks,
                     r.large_heads, r.large_columns, r.large.loss, r.large.standard_error);
  out += wrapped("columns   ", joined(r.columns), 10, 80);
  if (r.small_test.rows > 0)
    out += fmt::format("test      {:.4f} +- {:.4f}, the large model {:.4f} +- {:.4f} ({} rows)\n",
                       r.small_test.loss, r.small_test.standard_error, r.large_test.loss,
                       r.large_test.standard_error, r.small_test.rows);
  return out;
}

}  // namespace bl

#include <cmath>

#include "data/expression.hpp"
#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

FuzzSeeds fuzz_seeds() {
  return {
      {"x * (g == 'u') / 100", "x in (1, 3) and s != 'low'", "-log(x) + max(x, 2) * min(`odd name`, -1)",
       "not (x < 2 or sqrt(abs(x)) >= 1.5) and \"a\" == y",
       std::string(300, '(') + "x" + std::string(300, ')')},
      {"x",  "s",  "`odd name`", "(",     ")",        ",",        "+",        "-",           "*",    "/",
       "==", "!=", "<=",         " in ",  " not in ", " and ",    " or ",     "not ",        "log(", "min(",
       "'",  "\"", "`",          "1e308", ".5",       "((((((((", "--------", "not not not "}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bl::Table table =
      bl::read_table_from_memory("x,s,y,g,odd name\n1,low,a,u,1\n2,high,b,v,\n", "t.csv");
  try {
    const bl::Expression read = bl::Expression::parse({reinterpret_cast<const char*>(data), size});
    const std::vector<double> values = read.evaluate(table);
    bl::fuzz::require(values.size() == 2, "a value per row");
    for (const double value : values) bl::fuzz::require(!std::isinf(value), "a result is finite or missing");
  } catch (const bl::Error&) {
  }
  return 0;
}

#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

FuzzSeeds fuzz_seeds() {
  return {{"a,b,c\n1,x,\n-2.5e1,NA,3\n?,y,nan\n", "a;b\r\n1,5;\"x;\"\"y\"\r\n2;z\r\n", "a\tb\n1\t\n\t2\n",
           "\xEF\xBB\xBF"
           "a,\"b\nc\"\n\"1\",\"two\nlines\"\n",
           "a\n1\n2\n\n4\nx\n", ",b\n1e308,inf\n-1e-320,x\n"},
          {"\"", "\"\"", ",", ";", "\t", "\n", "\r\n", "\r", "NA", "inf", "nan", "1e999", "-", "\xEF\xBB\xBF",
           "\xFF\xFE", " "}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bl::ReadOptions options;
  bl::fuzz::read_and_check(data, size, "f.csv", options);
  options.decimal_comma = true;
  options.header = false;
  options.types = {{"column_1", bl::RawType::text}, {"column_2", bl::RawType::numeric}};
  return bl::fuzz::read_and_check(data, size, "f.csv", options);
}

#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

FuzzSeeds fuzz_seeds() {
  return {{"% c\n@relation r\n@attribute x numeric\n@attribute 'a b' {u, 'v w', \"q,r\"}\n@attribute s "
           "string\n@data\n"
           "1,u,'it\\'s'\n?,'v w',?\n",
           "@RELATION r\r\n@ATTRIBUTE d date 'yyyy'\r\n@ATTRIBUTE n INTEGER\r\n@DATA\r\n2020,3\r\n{0 1}\r\n"},
          {"@relation", "@attribute ", "@data\n", "{", "}", "'", "\"", "\\", "%", "?", ",", "\n", "numeric",
           "string", " real", "inf"}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return bl::fuzz::read_and_check(data, size, "f.arff", {});
}

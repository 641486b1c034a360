#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

using namespace std::string_literals;

FuzzSeeds fuzz_seeds() {
  return {{"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03"s + "abcdefghijkl", "\0\0\x08\x01\0\0\0\x03"s + "abc"},
          {"\0\0\x08\x03"s, "\0\0\x08\x01"s, "\0\0\0\x01"s, "\xFF\xFF\xFF\xFF", "\0\0\0\0"s}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return bl::fuzz::read_and_check(data, size, "f-ubyte", {});
}

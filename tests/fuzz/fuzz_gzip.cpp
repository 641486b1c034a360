#include <zlib.h>

#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

namespace {

std::string packed(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

FuzzSeeds fuzz_seeds() {
  const std::string small = packed("a,b\n1,x\n2,y\n");
  return {{small, small + packed("3,z\n"), packed("a\n" + std::string(5000, '1') + "\n"), packed("")},
          {small, "\x1F\x8B", "\x08", "tail", std::string(4, '\0')}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return bl::fuzz::read_and_check(data, size, "f.csv.gz", {});
}

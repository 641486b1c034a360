#include <nlohmann/json.hpp>

#include "features/encoder.hpp"
#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

namespace {

const bl::Table& table() {
  static const bl::Table result = bl::read_table_from_memory(
      "x,c,s,y,v,w\n0.1,a,low,1,0.3,1\n0.2,b,high,2,0.1,2\n,a,low,1,0.7,1\n0.4,,high,2,0.9,3\n", "t.csv");
  return result;
}

}  // namespace

FuzzSeeds fuzz_seeds() {
  bl::RoleOptions roles;
  roles.targets = {"y", "v"};
  roles.weight = std::string(1, 'w');
  roles.columns["s"].levels = {"low", "high"};
  const bl::EncodeOptions options{bl::MissingPolicy::impute, bl::UnseenPolicy::missing};
  const auto encoder =
      bl::Encoder::fit(table(), bl::infer_schema(table(), roles), options, bl::all_rows(4), bl::Context(1));
  return {{encoder.to_json().dump()},
          {"\"text\"", "\"numeric\"", "\"nominal\"", "\"continuous\"", "\"response\"", "\"feature\"", "true",
           "false", "null", "-1", "0", "1e999", "[]", "{}", "\"x\"", "\"c\"", "\"y\"", ","}};
}

// An encoder that is accepted must encode or refuse a table without harm.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = nlohmann::json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) return 0;
  try {
    const auto encoder = bl::Encoder::from_json(json);
    bl::fuzz::require(bl::Encoder::from_json(encoder.to_json()).to_json() == encoder.to_json(),
                      "a second reading differs");
    const auto encoded = encoder.encode<float>(table(), bl::all_rows(table().rows));
    for (const float value : encoded.features.flat())
      bl::fuzz::require(std::isfinite(value), "an infinite feature");
  } catch (const bl::Error&) {
  }
  return 0;
}

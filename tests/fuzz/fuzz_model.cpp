// Any bytes are either a model or refused with a ModelFileError; what loads is a fixed point of write and
// read.
#include <string>

#include "artifact/model_file.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"
#include "model/parameters.hpp"

namespace {

std::string small_model(const bl::Architecture& architecture, const std::string& target) {
  const bl::Table table = bl::read_table_from_memory("x,s,y\n1,a,0.5\n2,b,1.5\n4,a,2.5\n3,b,9.25\n", "t.csv");
  bl::RoleOptions roles;
  roles.targets = {target};
  const auto rows = bl::all_rows(table.rows);
  const bl::ParameterLayout layout(architecture);
  bl::StoredModel model{
      .architecture = architecture,
      .encoder = bl::Encoder::fit(table, bl::infer_schema(table, roles), {}, rows, bl::Context(1)),
      .parameters = std::vector<double>(static_cast<std::size_t>(layout.size()), 0.25),
      .response = {}};
  if (target == "y") model.response = bl::Support{{-4}, {4}};
  return bl::artifact::serialize(bl::to_tensor_file(model));
}

}  // namespace

FuzzSeeds fuzz_seeds() {
  return {{small_model(bl::stacked({2, 0, 2}, {2, 1}), "s"),
           small_model(bl::single_block({3, 1, 0}, {2}, {1}, {}), "y"),
           small_model(bl::stacked_vector({2, 0, 0}, {2}, 2), "s")},
          {"\\\"layers\\\"", "blocks", "classes", "context", "9999999999", "-1", "monomials", "affine",
           "null", "[", "]", "{", "}"}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const bl::StoredModel model = bl::from_tensor_file(bl::artifact::parse(bytes, "fuzz"));
    const std::string written = bl::artifact::serialize(bl::to_tensor_file(model));
    const bl::StoredModel again = bl::from_tensor_file(bl::artifact::parse(written, "again"));
    bl::fuzz::require(bl::artifact::serialize(bl::to_tensor_file(again)) == written,
                      "a written model reads differently");
  } catch (const bl::ModelFileError&) {
  }
  return 0;
}

// The JSON inside a model file, the tensors left as they are: it is read or refused with a ModelFileError,
// and what loads is described without failure.
#include <string>

#include "artifact/model_file.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "fuzz/target.hpp"
#include "model/parameters.hpp"

namespace {

bl::artifact::TensorFile model_file() {
  const bl::Table table = bl::read_table_from_memory("x,s,y\n1,a,0.5\n2,b,1.5\n4,a,2.5\n3,b,9.25\n", "t.csv");
  bl::RoleOptions roles;
  roles.targets = {"s"};
  const bl::Architecture architecture = bl::stacked({2, 0, 2}, {2, 1});
  const bl::ParameterLayout layout(architecture);
  bl::StoredModel model{.architecture = architecture,
                        .encoder = bl::Encoder::fit(table, bl::infer_schema(table, roles), {},
                                                    bl::all_rows(table.rows), bl::Context(1)),
                        .parameters = std::vector<double>(static_cast<std::size_t>(layout.size()), 0.25),
                        .response = {}};
  model.information = {{"settings", {{"layers", "2,1"}}}, {"training", {{"epochs", 3}}}};
  return bl::to_tensor_file(model);
}

const bl::artifact::TensorFile& whole() {
  static const bl::artifact::TensorFile file = model_file();
  return file;
}

}  // namespace

FuzzSeeds fuzz_seeds() {
  return {{whole().metadata.at("model")},
          {"\"layers\"", "\"columns\"", "\"levels\"", "\"classes\"", "null", "true", "1e999", "-1", "0.5",
           "18446744073709551616", "[", "]", "{", "}", "[[[[[[[[", "\"a\":", ","}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bl::artifact::TensorFile file = whole();
  file.metadata["model"] = std::string(reinterpret_cast<const char*>(data), size);
  try {
    const bl::StoredModel model = bl::from_tensor_file(file);
    bl::model_document(model);
  } catch (const bl::ModelFileError&) {
  }
  return 0;
}

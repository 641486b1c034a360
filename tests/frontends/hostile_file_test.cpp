// Files made to do harm, through the real program: an error of the right kind, never a crash.
#include "artifact/safetensors.hpp"
#include "frontends/bad_input.hpp"

namespace bl::test {
namespace {

using ::testing::HasSubstr;

// The kept model with its document changed.
void write_altered(const TemporaryFolder& folder, const std::string& name, const std::string& from,
                   const std::string& to) {
  folder.write(name, fixture("price_v1.bl"));
  artifact::TensorFile file = artifact::load(folder.file(name));
  std::string& document = file.metadata.at("model");
  const std::size_t at = document.find(from);
  ASSERT_NE(at, std::string::npos);
  document.replace(at, from.size(), to);
  artifact::save(folder.file(name), file);
}

std::string deep_json() {
  return repeated("[", 1'000'000) + repeated("]", 1'000'000);
}

TEST(HostileFile, DeepJsonInAModelIsRefused) {
  const TemporaryFolder folder;
  write_altered(folder, "information.bl", "\"information\":{",
                "\"information\":{\"deep\":" + deep_json() + ",");
  write_altered(folder, "settings.bl", "\"settings\":{", "\"settings\":{\"deep\":" + deep_json() + ",");
  folder.write("price.csv", fixture("price.csv"));
  for (const char* model : {"information.bl", "settings.bl"})
    for (const char* command : {"inspect", "predict", "explain", "canonical"}) {
      std::vector<std::string> arguments = {command, model};
      if (arguments[0] == "predict") arguments.emplace_back("price.csv");
      const Outcome outcome = bl_command(folder, arguments);
      EXPECT_EQ(outcome.code, kModelFile) << command;
      EXPECT_THAT(outcome.err, HasSubstr("nests deeper than 100 levels")) << command;
    }
}

TEST(HostileFile, TomlOfManyPartsIsRefused) {
  const std::string parts = repeated("a.", 500'000) + "a";
  const TemporaryFolder folder;
  folder.write("good.csv", good_table());
  folder.write("table.toml", "[" + parts + "]\n");
  folder.write("key.toml", parts + " = 1\n");
  for (const char* file : {"table.toml", "key.toml"})
    for (const char* option : {"--config", "--schema", "--choice"}) {
      const Outcome outcome =
          bl_command(folder, {"fit", "good.csv", "--target", "y", "-o", "m.bl", option, file});
      EXPECT_EQ(outcome.code, kUsage) << option << " " << outcome.err;
      EXPECT_THAT(outcome.err,
                  HasSubstr(std::string(file) + ":1: a key or table name of more than 100 parts"));
    }
}

}  // namespace
}  // namespace bl::test

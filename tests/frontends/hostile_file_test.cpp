// Files made to do harm, through the real program: an error of the right kind, never a crash.
#include "artifact/safetensors.hpp"
#include "bl/errors.hpp"
#include "bl/model.hpp"
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

// A model as bl fit writes it today, with one float of a tensor or a word of its document changed.
void fit_model(const TemporaryFolder& folder) {
  folder.write("good.csv", good_table());
  const Outcome fitted = bl_command(
      folder, words("fit good.csv --target y --ignore z --single --precision float64 --epochs 2 -q -o m.bl"));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
}

TEST(Digest, EveryChangedBitOfParametersAndDocumentIsSeen) {
  const TemporaryFolder folder;
  fit_model(folder);
  const std::string good = read_file(folder.file("m.bl"));
  const std::size_t step = good.size() / 150;
  for (std::size_t at = 8; at < good.size(); at += step) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    try {
      const Model model = Model::from_bytes(bad, "m.bl");
      EXPECT_EQ(model.to_bytes(), good) << "byte " << at;  // the digest's own name
    } catch (const ModelFileError&) {
    }
  }
}

TEST(Digest, EditedFilesNeedNoVerifyAndInspectSaysSo) {
  const TemporaryFolder folder;
  fit_model(folder);
  EXPECT_THAT(bl_command(folder, {"inspect", "m.bl"}).out, HasSubstr("digest      holds"));
  artifact::TensorFile file = artifact::load(folder.file("m.bl"));
  artifact::Tensor& tensor = file.tensors.begin()->second;
  tensor.bytes[0] = static_cast<char>(tensor.bytes[0] ^ 1);
  artifact::save(folder.file("edited.bl"), file);
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome refused = bl_command(folder, {command, "edited.bl", "good.csv"});
    EXPECT_EQ(refused.code, kModelFile);
    EXPECT_THAT(refused.err, HasSubstr("give --no-verify"));
    EXPECT_EQ(bl_command(folder, {command, "edited.bl", "good.csv", "--no-verify"}).code, 0);
  }
  EXPECT_THAT(bl_command(folder, {"inspect", "edited.bl"}).out, HasSubstr("digest      BROKEN"));
  // Files of earlier versions have none.
  folder.write("price_v1.bl", fixture("price_v1.bl"));
  EXPECT_THAT(bl_command(folder, {"inspect", "price_v1.bl"}).out, HasSubstr("digest      none"));
}

TEST(AbsurdParameters, GiveAnErrorThatNamesTheRow) {
  const TemporaryFolder folder;
  fit_model(folder);
  artifact::TensorFile file = artifact::load(folder.file("m.bl"));
  for (auto& [name, tensor] : file.tensors) {
    std::vector<double> values = tensor.as<double>();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? -1e308 : 1e308;
    tensor = artifact::Tensor::of<double>(values, tensor.shape);
  }
  artifact::save(folder.file("absurd.bl"), file);
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome outcome = bl_command(folder, {command, "absurd.bl", "good.csv", "--no-verify"});
    EXPECT_EQ(outcome.code, kNumeric) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("good.csv:"));
  }
}

}  // namespace
}  // namespace bl::test

#include "artifact/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "artifact/architecture_json.hpp"
#include "artifact/choice_json.hpp"
#include "bl/errors.hpp"
#include "bl/model.hpp"
#include "bl/output.hpp"
#include "data/read_table.hpp"
#include "model/parameters.hpp"
#include "support/read_file.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Encoded as x, c=a, c=b: a context of 3. y has 3 classes; v and u are numbers.
Encoder encoder_for(const std::vector<std::string>& targets) {
  const Table table = read_table_from_memory(
      "x,c,y,v,u\n0.1,a,red,0.3,1\n0.2,b,blue,0.1,3.5\n0.7,a,green,0.7,2\n0.4,b,red,0.9,7\n", "t.csv");
  RoleOptions roles;
  roles.targets = targets;
  for (const char* name : {"y", "v", "u"})
    if (std::find(targets.begin(), targets.end(), name) == targets.end()) roles.ignore.emplace_back(name);
  for (const char* name : {"v", "u"}) roles.columns[name].type = ColumnType::continuous;
  return Encoder::fit(table, infer_schema(table, roles), {}, all_rows(table.rows), Context(1));
}

constexpr InputShape kClasses{.context = 3, .values = 0, .classes = 3};
constexpr InputShape kNumber{.context = 3, .values = 1, .classes = 0};
constexpr InputShape kBoth{.context = 3, .values = 1, .classes = 3};

StoredModel model_of(const Architecture& architecture, const std::vector<std::string>& targets,
                     bool single_precision) {
  const ParameterLayout layout(architecture);
  std::vector<double> parameters(static_cast<std::size_t>(layout.size()));
  starting_values<double>(architecture, layout, 3, parameters);
  if (single_precision)
    for (double& value : parameters) value = static_cast<double>(static_cast<float>(value));
  StoredModel model{
      .architecture = architecture,
      .encoder = encoder_for(targets),
      .parameters = std::move(parameters),
      .single_precision = single_precision,
      .response = {},
      .temperature = 0.7,
      .information = {{"settings", {{"seed", "3"}}},
                      {"later", {{"unknown", {1, nullptr, "text", 0.1}}, {"more", json::object()}}}}};
  const auto values = static_cast<std::size_t>(architecture.input.values);
  model.response = Support{std::vector<double>(values, -4.1), std::vector<double>(values, 3.9)};
  return model;
}

StoredModel class_model() {
  return model_of(stacked(kClasses, {3, 2}), {"y"}, true);
}

struct Case {
  std::string name;
  Architecture architecture;
  std::vector<std::string> targets;
};

Architecture with_skip(Skip skip) {
  Architecture a = stacked(kClasses, {3, 2, 4});
  a.skip = skip;
  return a;
}

std::vector<Case> cases() {
  Architecture extra = stacked(kNumber, {2});
  extra.basis.kind = BasisKind::affine_plus;
  extra.basis.extra = {{0, 3}, {3, 3}};
  Architecture listed = single_block(kNumber, {2}, {2}, {2});
  listed.basis.kind = BasisKind::listed;
  listed.basis.extra = {{0, 3}, {3}, {3, 3}};
  Architecture free = stacked(kClasses, {2});
  free.lambda = Sign::free;
  free.readout.sign = Sign::free;
  free.activations = {Activation::identity, Activation::softplus, Activation::huber};
  return {{"single", single_block(kClasses, {2}, {2, 2}, {2}), {"y"}},
          {"mixed_degrees", single_block(kClasses, {3}, {2, 1}, {1}), {"y"}},
          {"no_utility_heads", single_block(kClasses, {}, {2, 1}, {1}), {"y"}},
          {"stacked", stacked(kClasses, {3, 2}), {"y"}},
          {"skip_input", with_skip(Skip::input), {"y"}},
          {"skip_dense", with_skip(Skip::dense), {"y"}},
          {"skip_residual", with_skip(Skip::residual), {"y"}},
          {"vector", stacked_vector({.context = 3, .values = 0, .classes = 0}, {3, 2}, 3), {"y"}},
          {"identifiable", identifiable(stacked(kClasses, {3, 2})), {"y"}},
          {"free_signs", free, {"y"}},
          {"number", stacked(kNumber, {3}), {"v"}},
          {"affine_plus", extra, {"v"}},
          {"listed_terms", listed, {"v"}},
          {"two_numbers", stacked({.context = 3, .values = 2, .classes = 0}, {3}), {"v", "u"}},
          {"hybrid", stacked(kBoth, {3, 2}), {"y", "v"}}};
}

class ModelFileTest : public testing::TestWithParam<Case> {};

TEST_P(ModelFileTest, SaveLoadSaveIsAFixedPoint) {
  for (const bool single_precision : {true, false}) {
    const StoredModel model = model_of(GetParam().architecture, GetParam().targets, single_precision);
    const std::string bytes = artifact::serialize(to_tensor_file(model));
    const StoredModel again = from_tensor_file(artifact::parse(bytes, "model.bl"));
    EXPECT_EQ(again.architecture, model.architecture);
    EXPECT_EQ(again.parameters, model.parameters);
    EXPECT_EQ(again.single_precision, model.single_precision);
    EXPECT_EQ(again.support(), model.support());
    EXPECT_EQ(again.temperature, model.temperature);
    EXPECT_EQ(again.information, model.information);  // fields of later versions too
    EXPECT_EQ(again.encoder.to_json(), model.encoder.to_json());
    EXPECT_TRUE(artifact::serialize(to_tensor_file(again)) == bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ModelFileTest, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

TEST(ModelFile, IsWrittenAndReadAsAFile) {
  const test::TemporaryFolder folder;
  const StoredModel model = class_model();
  save_model(folder.file("model.bl"), model);
  EXPECT_EQ(load_model(folder.file("model.bl")).parameters, model.parameters);
}

std::string refusal(const artifact::TensorFile& file) {
  return test::message_of<ModelFileError>([&] { from_tensor_file(file); });
}

TEST(ModelFile, RefusesTensorsThatDoNotFit) {
  const artifact::TensorFile good = to_tensor_file(class_model());
  const std::string name = "layers/0/U/weight";
  ASSERT_TRUE(good.tensors.contains(name));
  auto file = good;
  file.tensors.erase(name);
  EXPECT_THAT(refusal(file), HasSubstr("no tensor \"layers/0/U/weight\""));
  file = good;
  file.tensors[name].shape = {1, 18};
  EXPECT_THAT(refusal(file), HasSubstr("shape is [1,18], expected [3,6]"));
  file = good;
  file.tensors[name] = artifact::Tensor::of<double>(std::vector<double>(18, 0.5), {3, 6});
  EXPECT_THAT(refusal(file), HasSubstr("dtype is F64, expected F32"));
  for (const float bad : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
    file = good;
    std::vector<float> values(18, 0.5F);
    values[7] = bad;
    file.tensors[name] = artifact::Tensor::of<float>(values, {3, 6});
    EXPECT_THAT(refusal(file), HasSubstr("tensor 'layers/0/U/weight' holds"));
    EXPECT_THAT(refusal(file), HasSubstr("place 7"));
  }
}

TEST(ModelFile, RefusesADocumentThatCannotBe) {
  const artifact::TensorFile good = to_tensor_file(model_of(stacked(kBoth, {3, 2}), {"y", "v"}, true));
  const json document = json::parse(good.metadata.at("model"));
  const auto with = [&](const char* place, const json& value) {
    json changed = document;
    changed[json::json_pointer(place)] = value;
    auto file = good;
    file.metadata["model"] = changed.dump();
    return refusal(file);
  };
  EXPECT_THAT(with("/temperature", 0), HasSubstr("model.temperature"));
  EXPECT_THAT(with("/precision", "float16"), HasSubstr("model.precision"));
  EXPECT_THAT(with("/response/support/lower", {1.0, 2.0}), HasSubstr("as many lower as upper"));
  EXPECT_THAT(with("/response/support/lower", {9.0}), HasSubstr("empty range"));
  EXPECT_THAT(with("/response/support", {{"lower", json::array()}, {"upper", json::array()}}),
              HasSubstr("0 dimensions"));
  EXPECT_THAT(with("/information", "none"), HasSubstr("model.information"));
  EXPECT_THAT(with("/information/settings", 3), HasSubstr("model.information.settings"));
  EXPECT_THAT(with("/encoder/responses/0/levels", {"red", "blue"}), HasSubstr("3 classes"));
  EXPECT_THAT(with("/architecture", nullptr), HasSubstr("architecture"));
  auto file = good;
  file.metadata["model"] = "{\"a\":1";
  EXPECT_THAT(refusal(file), HasSubstr("not JSON"));
  file.metadata["model"] = "[]";
  EXPECT_THAT(refusal(file), HasSubstr("model"));
  file.metadata.erase("model");
  EXPECT_THAT(refusal(file), HasSubstr("model"));
}

ChoiceDeclaration declaration() {
  ChoiceDeclaration d;
  d.choice = "mode";
  d.filter = "age > 3";
  d.derived = {{"late", "time > 30"}};
  d.attributes = {{"time", "{}_t"}, {"cost", "{}_c"}};
  d.alternatives = {{.name = "bus", .code = "1"},
                    {.name = "car", .available = "car_av", .attributes = {{"cost", "fuel"}}}};
  d.constants = false;
  d.generic = std::vector<std::string>{"time"};
  d.specific = {{"cost", {"car"}}};
  d.signs = {{"time", "negative"}};
  d.settings = {{"seed", "3"}};
  return d;
}

TEST(ChoiceJson, ADeclarationIsReadBackInItsOrder) {
  const ChoiceResponse response{.declaration = declaration(),
                                .schema = choice_schema(declaration()),
                                .alternatives = {"bus", "car"},
                                .means = {1, 2},
                                .scales = {0.5, 4}};
  const json written = to_json(response);
  const ChoiceResponse again = choice_from_json(JsonField(written, "response"));
  EXPECT_EQ(to_json(again), written);
  EXPECT_THAT(again.schema.attributes, testing::ElementsAre("time", "cost"));
  EXPECT_EQ(again.schema.alternatives[1].attributes[1].text(), "fuel");
  EXPECT_EQ(again.schema.utility.coefficients.size(), 2U);
  EXPECT_EQ(again.declaration.constants, false);
  for (const auto& [place, value, message] :
       {std::tuple("/scales", json{1, 0}, "response.scales"), std::tuple("/means", json{1}, "response.means"),
        std::tuple("/declaration/signs", json{{"time"}}, "declaration.signs"),
        std::tuple("/alternatives", json{"bus", "bus"}, "response.alternatives")}) {
    json changed = written;
    changed[json::json_pointer(place)] = value;
    EXPECT_THAT(test::message_of<ModelFileError>([&] { choice_from_json(JsonField(changed, "response")); }),
                HasSubstr(message));
  }
}

// Only what a choice declaration says is blamed on it.
TEST(ModelFile, SaysWhichPartCannotBeRead) {
  const artifact::TensorFile good = to_tensor_file(class_model());
  const auto refused = [&](const char* place, const json& value) {
    artifact::TensorFile file = good;
    json document = json::parse(file.metadata["model"]);
    document[json::json_pointer(place)] = value;
    file.metadata["model"] = document.dump();
    return refusal(file);
  };
  const std::string blame = "the choice declaration inside cannot be read";
  const json response = to_json(ChoiceResponse{.declaration = declaration(),
                                               .schema = choice_schema(declaration()),
                                               .alternatives = {"bus", "car"},
                                               .means = {1, 2},
                                               .scales = {0.5, 4}});
  json bad = response;
  bad["declaration"]["filter"] = "age >";
  EXPECT_THAT(refused("/response", bad), HasSubstr(blame));
  EXPECT_THAT(refused("/response", response), testing::Not(HasSubstr(blame)));
  EXPECT_THAT(refused("/architecture/readout/present", false), testing::Not(HasSubstr(blame)));
}

TEST(ArchitectureJson, EveryFieldIsChecked) {
  const json good = to_json(with_skip(Skip::dense));
  EXPECT_EQ(architecture_from_json(good), with_skip(Skip::dense));
  const std::vector<std::pair<const char*, json>> bad = {{"/input/context", -1},
                                                         {"/input/values", "1"},
                                                         {"/input/classes", 1e30},
                                                         {"/form", "matrix"},
                                                         {"/outputs", 0},
                                                         {"/basis/kind", "fourier"},
                                                         {"/basis/extra", {{99}}},
                                                         {"/basis/response_only", 1},
                                                         {"/layers", json::array()},
                                                         {"/layers/0/blocks", 0},
                                                         {"/layers/1/blocks", 1LL << 40},
                                                         {"/layers/0/U", {0}},
                                                         {"/layers/0/C", {65}},
                                                         {"/layers/0/T", "1"},
                                                         {"/skip", "all"},
                                                         {"/activations/U", "relu"},
                                                         {"/activations/T", 3},
                                                         {"/lambda", "positive"},
                                                         {"/readout/present", "yes"},
                                                         {"/readout/present", false},
                                                         {"/readout/sign", nullptr},
                                                         {"/layers/0/U", std::vector<int>(5000, 1)}};
  for (const auto& [place, value] : bad) {
    json changed = good;
    changed[json::json_pointer(place)] = value;
    const std::string message = test::message_of<ModelFileError>([&] { architecture_from_json(changed); });
    EXPECT_THAT(message, HasSubstr("architecture")) << place;
  }
  for (const auto& [key, value] : good.items()) {
    json changed = good;
    changed.erase(key);
    EXPECT_THAT(test::message_of<ModelFileError>([&] { architecture_from_json(changed); }), HasSubstr(key));
  }
}

// Files written by version 0.1.0, kept so that every later version can read them. Their predictions were
// written by the same version; the tolerance leaves room for another order of sums and another exp.
class KeptFileTest : public testing::TestWithParam<std::string> {};

// A probability wrong by the tolerance moves a mean by no more than that share of the support's width.
TEST(Prediction, IsExactToTheToleranceAsked) {
  const std::string folder = std::string(BL_TEST_DATA) + "/price";
  const Model model = Model::load(folder + "_v1.bl");
  const Data data = model.read(folder + ".csv", {});
  const ResponseInfo response = model.responses()[0];
  const auto means = [&](double tolerance) {
    return model.predict(data, Part::all, {.tolerance = tolerance}).columns[0].numbers;
  };
  const std::vector<double> exact = means(1e-10);
  double last = std::numeric_limits<double>::infinity();
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    const std::vector<double> found = means(tolerance);
    double largest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) largest = std::max(largest, std::abs(found[i] - exact[i]));
    EXPECT_LE(largest, tolerance * (response.upper - response.lower));
    EXPECT_LT(largest, last) << "asking for more changes nothing";
    last = largest;
  }
  for (const double bad : {0.0, -1.0, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(means(bad), UsageError);
}

// Parameters are read as they were written, so differences are of the arithmetic alone. Probabilities:
// another order of a few sums and another exp, 4 roundings where it was measured. A number: adaptive
// quadrature to 1e-8 of a probability, where a rounding may refine one panel more; 4e-12 where it was
// measured.
TEST_P(KeptFileTest, PredictsAsWhenItWasWritten) {
  const bool number = GetParam() == "price";
  constexpr double kRoundings = 16 * std::numeric_limits<double>::epsilon(), kQuadrature = 1e-8;
  const std::string folder = std::string(BL_TEST_DATA) + "/" + GetParam();
  const Model model = Model::load(folder + "_v1.bl");
  PredictOptions options;
  if (number) options.tolerance = kQuadrature, options.quantiles = {0.1, 0.5, 0.9};  // as when it was written
  const OutputTable now = model.predict(model.read(folder + ".csv", {}), Part::all, options);
  const Table then = read_table(folder + "_v1_predictions.csv", {});
  ASSERT_EQ(static_cast<Index>(now.rows), then.rows);
  ASSERT_EQ(now.columns.size(), then.columns.size());
  for (std::size_t c = 0; c < now.columns.size(); ++c) {
    EXPECT_EQ(now.columns[c].name, then.columns[c].name);
    for (std::size_t i = 0; i < now.rows; ++i) {
      if (!now.columns[c].texts.empty()) {
        EXPECT_EQ(now.columns[c].texts[i], then.columns[c].cell_text(static_cast<Index>(i)));
      } else {
        const double expected = then.columns[c].numbers[i];
        EXPECT_NEAR(now.columns[c].numbers[i], expected,
                    number ? kQuadrature * (1 + std::abs(expected)) : kRoundings * std::abs(expected));
      }
    }
  }
}

// Each tensor under its name, and what the file of a linear utility says of its coefficients.
TEST_P(KeptFileTest, HasTheParametersThatWereWritten) {
  const std::string path = std::string(BL_TEST_DATA) + "/" + GetParam() + "_v1.bl";
  const artifact::TensorFile file = artifact::parse(test::read_file(path), path);
  const StoredModel model = load_model(path);
  const ParameterLayout layout(model.architecture);
  std::vector<double> written(model.parameters.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, tensor] : file.tensors) {
    if (name.starts_with("inference/")) continue;
    const TensorInfo& place = layout.tensor(name);
    const std::vector<double> values = [&, &tensor = tensor] {
      if (tensor.dtype == artifact::Dtype::f64) return tensor.as<double>();
      const std::vector<float> single = tensor.as<float>();
      return std::vector<double>(single.begin(), single.end());
    }();
    ASSERT_EQ(static_cast<Index>(values.size()), place.size()) << name;
    std::copy(values.begin(), values.end(), written.begin() + place.offset);
  }
  for (std::size_t k = 0; k < written.size(); ++k)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(model.parameters[k]), std::bit_cast<std::uint64_t>(written[k]))
        << k;
  const json document = json::parse(file.metadata_value("model"));
  EXPECT_EQ(document.contains("coefficients"), model.choice() != nullptr);
  if (!document.contains("coefficients")) return;
  for (std::size_t k = 0; k < document["coefficients"].size(); ++k)
    EXPECT_EQ(model.parameters[k], document["coefficients"][k]["estimate"].get<double>()) << k;
}

// Written again, in the format of today, its predictions are bit-identical.
TEST_P(KeptFileTest, SavedAgainItPredictsTheSameBits) {
  const std::string folder = std::string(BL_TEST_DATA) + "/" + GetParam();
  const Model model = Model::load(folder + "_v1.bl");
  const Model again = Model::from_bytes(model.to_bytes(), "again");
  EXPECT_EQ(again.to_bytes(), model.to_bytes());
  const Data data = model.read(folder + ".csv", {});
  const OutputTable before = model.predict(data), after = again.predict(data);
  ASSERT_EQ(before.columns.size(), after.columns.size());
  for (std::size_t c = 0; c < before.columns.size(); ++c) {
    EXPECT_EQ(before.columns[c].numbers, after.columns[c].numbers);
    EXPECT_EQ(before.columns[c].texts, after.columns[c].texts);
  }
}

INSTANTIATE_TEST_SUITE_P(Version1, KeptFileTest, testing::Values("choice", "price", "trips"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bl

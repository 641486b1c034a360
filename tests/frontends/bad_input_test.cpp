// What people get wrong, through the real program: each case has its exit code and the parts of its message
// that help, prints nothing that looks like success, and leaves nothing behind in the folder of its output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "frontends/command.hpp"

namespace bl::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kUsage = 2, kData = 3, kModelFile = 4, kNumeric = 5;

// A file that the case needs in its folder; the name's ending decides how it is read.
struct InputFile {
  std::string name, bytes;
};

struct BadInput {
  friend void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.command; }
  std::string what;
  std::string command;  // split at spaces
  int code;
  std::vector<std::string> expected;
  std::vector<InputFile> files = {};
  std::string input = "";  // standard input
};

// 40 rows: a, b numbers, w weights, g groups, t text, y two classes, z a number.
std::string good_table() {
  std::string text = "a,b,w,g,t,y,z\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i % 7) + "," + std::to_string(i * i % 11) + "," + std::to_string(1 + i % 3) +
            ",g" + std::to_string(i % 5) + "," + (i % 4 == 0 ? "hill" : "dale") + "," +
            (i % 2 == 0 ? "yes" : "no") + "," + std::to_string(0.37 * i - 2.0 * (i % 3)) + "\n";
  }
  return text;
}

// The good table with one cell replaced; rows from 0.
std::string with_cell(int row, int column, const std::string& cell) {
  std::vector<std::string> lines = lines_of(good_table());
  std::string& line = lines[static_cast<std::size_t>(row) + 1];
  std::size_t from = 0;
  for (int c = 0; c < column; ++c) from = line.find(',', from) + 1;
  line.replace(from, std::min(line.find(',', from), line.size()) - from, cell);
  std::string text;
  for (const std::string& one : lines) text += one + "\n";
  return text;
}

std::string with_column(int column, const std::string& cell) {
  std::string text = good_table().substr(0, good_table().find('\n') + 1);
  for (int row = 0; row < 40; ++row)
    text += lines_of(with_cell(row, column, cell))[static_cast<std::size_t>(row) + 1] + "\n";
  return text;
}

std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

std::string fixture(const std::string& name) {
  return read_file(std::string(BL_TEST_DATA) + "/" + name);
}

std::uint64_t header_length(const std::string& model) {
  std::uint64_t length = 0;
  std::memcpy(&length, model.data(), sizeof(length));
  return length;
}

// The model's header with one text replaced by another, its length made right.
std::string with_header(const std::string& what, const std::string& by) {
  const std::string model = fixture("choice_v1.bl");
  std::string header = model.substr(8, header_length(model));
  const std::size_t at = header.find(what);
  if (at == std::string::npos) throw std::runtime_error("the fixture's header lacks " + what);
  header.replace(at, what.size(), by);
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header +
         model.substr(8 + header_length(model));
}

std::string with_length(std::uint64_t length) {
  return std::string(reinterpret_cast<const char*>(&length), 8) + fixture("choice_v1.bl").substr(8);
}

std::string with_first_value(float value) {
  std::string model = fixture("choice_v1.bl");
  std::memcpy(model.data() + 8 + header_length(model), &value, sizeof(value));
  return model;
}

std::string cut(std::size_t bytes) {
  return fixture("choice_v1.bl").substr(0, bytes);
}

const std::string kFit = "fit good.csv --target y --ignore z --layers 2,1 --epochs 2 --output out/model.bl ";
const std::string kFitReal =
    "fit good.csv --target z --ignore y --layers 2,1 --epochs 2 --output out/model.bl ";

std::string fit(const std::string& data, const std::string& rest = "") {
  return "fit " + data + " --target y --layers 2,1 --epochs 2 --output out/model.bl " + rest;
}

std::vector<BadInput> bad_data() {
  return {
      {"missing_file", fit("none.csv"), kData, {"none.csv", "No such file"}},
      {"directory", fit("out"), kData, {"out", "directory"}},
      {"binary_file",
       fit("bad.csv"),
       kData,
       {"bad.csv:1", "not a text file"},
       {{"bad.csv", std::string("\x7F\x45LF\0\0\1", 7)}}},
      {"empty_file", fit("bad.csv"), kData, {"bad.csv", "empty"}, {{"bad.csv", ""}}},
      {"empty_input", fit("-"), kData, {"empty"}},
      {"header_only", fit("bad.csv"), kData, {"bad.csv", "no rows"}, {{"bad.csv", "a,y\n"}}},
      {"ragged_row", fit("bad.csv"), kData, {"bad.csv:3", "1 cells"}, {{"bad.csv", "a,y\n1,u\n2\n"}}},
      {"duplicate_names",
       fit("bad.csv"),
       kData,
       {"bad.csv:1", "'a'", "rename"},
       {{"bad.csv", "a,a,y\n1,2,u\n"}}},
      {"text_in_continuous",
       fit("bad.csv", "--continuous a"),
       kData,
       {"bad.csv:5", "'a'", "'tall'", "not a number"},
       {{"bad.csv", with_cell(3, 0, "tall")}}},
      {"all_missing_features",
       fit("bad.csv"),
       kData,
       {"no feature is left", "'a'"},
       {{"bad.csv", "a,y\n" + repeated(",u\n,v\n", 9)}}},
      {"all_missing_target",
       fit("bad.csv"),
       kData,
       {"'y'", "response is missing"},
       {{"bad.csv", with_column(5, "")}}},
      {"missing_target_cell",
       fit("bad.csv"),
       kData,
       {"bad.csv:6", "'y'", "response is missing"},
       {{"bad.csv", with_cell(4, 5, "")}}},
      {"one_class",
       fit("bad.csv"),
       kData,
       {"'y'", "one value only", "'yes'"},
       {{"bad.csv", with_column(5, "yes")}}},
      {"constant_response",
       fit("bad.csv", "--continuous y"),
       kData,
       {"'y'", "one value only"},
       {{"bad.csv", with_column(5, "3.5")}}},
      {"infinite_cell",
       fit("bad.csv"),
       kData,
       {"bad.csv:5", "'a'", "'inf'", "finite"},
       {{"bad.csv", with_cell(3, 0, "inf")}}},
      {"overflowing_cell",
       fit("bad.csv"),
       kData,
       {"bad.csv:5", "'1e999'", "finite"},
       {{"bad.csv", with_cell(3, 0, "1e999")}}},
      {"nan_cell_refused",
       fit("bad.csv", "--missing error"),
       kData,
       {"bad.csv:5", "'a'", "missing"},
       {{"bad.csv", with_cell(3, 0, "NaN")}}},
      {"negative_weight",
       fit("bad.csv", "--weight w"),
       kData,
       {"bad.csv:5", "'w'", "-1", "negative"},
       {{"bad.csv", with_cell(3, 2, "-1")}}},
      {"zero_weights",
       fit("bad.csv", "--weight w"),
       kData,
       {"'w'", "all weights are 0"},
       {{"bad.csv", with_column(2, "0")}}},
      {"missing_weight",
       fit("bad.csv", "--weight w"),
       kData,
       {"'w'", "weight is missing"},
       {{"bad.csv", with_column(2, "")}}},
      {"too_few_rows",
       fit("bad.csv"),
       kData,
       {"bad.csv", "2 rows", "3 parts"},
       {{"bad.csv", "a,y\n1,u\n2,v\n"}}},
      {"too_few_groups",
       fit("bad.csv", "--group g"),
       kData,
       {"1 groups", "3 parts"},
       {{"bad.csv", with_column(3, "g")}}},
      {"bad_gzip",
       fit("bad.csv.gz"),
       kData,
       {"bad.csv.gz", "gzip"},
       {{"bad.csv.gz", gzip(good_table()).substr(0, 60)}}},
      {"bad_idx",
       fit("bad.idx"),
       kData,
       {"bad.idx"},
       {{"bad.idx", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02", 16)}}},
      {"bad_arff",
       fit("bad.arff"),
       kData,
       {"bad.arff:5", "'bleu'", "did you mean 'blue'"},
       {{"bad.arff", "@relation r\n@attribute y {red, blue}\n@data\nred\nbleu\n"}}},
      {"unknown_target",
       "fit good.csv --target yy,zett --output out/model.bl",
       kData,
       {"good.csv", "'yy'", "did you mean 'y'"}},
      {"unknown_ignored", kFit + "--ignore bb", kUsage, {"--ignore"}},  // named twice
      {"unknown_ignored_column", fit("good.csv", "--ignore gg"), kData, {"'gg'", "did you mean 'g'"}},
      {"unknown_weight", fit("good.csv", "--weight ww"), kData, {"'ww'", "did you mean 'w'"}},
      {"unknown_group", fit("good.csv", "--group gg"), kData, {"'gg'", "did you mean 'g'"}},
      {"unknown_id", fit("good.csv", "--id tt"), kData, {"'tt'", "did you mean 't'"}},
      {"support_too_narrow",
       kFitReal + "--support 0:1",
       kData,
       {"support 0:1", "'z'", "leaves out training rows"}},
  };
}

std::vector<BadInput> bad_settings() {
  return {
      {"no_command", "", kUsage, {"Usage: bl"}},
      {"unknown_command", "fti good.csv", kUsage, {"'fti'", "did you mean 'fit'"}},
      {"no_output", "fit good.csv --target y", kUsage, {"--output is required", "bl fit --help"}},
      {"unknown_option",
       kFit + "--lerning-rate 1",
       kUsage,
       {"'--lerning-rate'", "did you mean '--learning-rate'"}},
      {"extra_argument", kFit + "more.csv", kUsage, {"unknown argument 'more.csv'"}},
      {"unknown_setting", kFit + "--set layrs=2", kUsage, {"'layrs'", "did you mean 'layers'"}},
      {"setting_without_value", kFit + "--set seed", kUsage, {"--set seed", "name=value"}},
      {"unknown_key_in_file",
       kFit + "--config bad.toml",
       kUsage,
       {"bad.toml:2", "'sead'", "did you mean 'seed'"},
       {{"bad.toml", "skip = 'none'\nsead = 2\n"}}},
      {"bad_value_in_file",
       kFit + "--config bad.toml",
       kUsage,
       {"bad.toml:1", "skip", "'both'"},
       {{"bad.toml", "skip = 'both'\n"}}},
      {"list_in_file",
       kFit + "--config bad.toml",
       kUsage,
       {"bad.toml:1", "heads"},
       {{"bad.toml", "heads = [1, 1, 1]\n"}}},
      {"not_toml",
       kFit + "--config bad.toml",
       kUsage,
       {"bad.toml:2", "TOML"},
       {{"bad.toml", "\nseed = = 2\n"}}},
      {"missing_settings_file", kFit + "--config none.toml", kData, {"none.toml", "No such file"}},
      {"missing_schema_file", kFit + "--schema none.toml", kData, {"none.toml", "No such file"}},
      {"unknown_role_in_schema",
       kFit + "--schema bad.toml",
       kUsage,
       {"bad.toml", "'fature'", "did you mean 'feature'"},
       {{"bad.toml", "[columns]\na = { role = 'fature' }\n"}}},
      {"out_of_range", kFit + "--degree 9", kUsage, {"degree = '9'", "0 to 6"}},
      {"not_a_number", kFit + "--learning-rate fast", kUsage, {"learning_rate = 'fast'", "a number"}},
      {"not_whole", kFit + "--seed 1.5", kUsage, {"seed = '1.5'", "a whole number"}},
      {"negative_seed", kFit + "--seed -1", kUsage, {"seed = '-1'"}},
      {"not_a_choice", kFit + "--optimizer adm", kUsage, {"optimizer = 'adm'", "did you mean 'adam'"}},
      {"bad_layers",
       "fit good.csv --target y --layers 2,x --output out/model.bl",
       kUsage,
       {"layers = '2,x'", "'x'"}},
      {"two_heads", kFit + "--heads 1,1", kUsage, {"heads = '1,1'", "three numbers"}},
      {"single_and_layers", kFit + "--single", kUsage, {"single and layers exclude each other"}},
      {"terms_and_degree", kFit + "--terms a*b --degree 2", kUsage, {"terms and degree exclude each other"}},
      {"unknown_term", kFit + "--terms a*bb", kUsage, {"'bb'", "did you mean 'b'"}},
      {"dsm_of_a_class", kFit + "--objective dsm", kUsage, {"dsm", "continuous response"}},
      {"hybrid_of_a_class",
       kFit + "--objective hybrid",
       kUsage,
       {"hybrid", "a class and a continuous response"}},
      {"vector_of_a_number", kFitReal + "--form vector", kUsage, {"'vector'", "class response"}},
      {"likelihood_of_both",
       "fit good.csv --target y,z --objective likelihood --output out/model.bl",
       kUsage,
       {"hybrid"}},
      {"identifiable_with_activation", kFit + "--identifiable --utility identity", kUsage, {"identifiable"}},
      {"balanced_number", kFitReal + "--class-weight balanced", kUsage, {"class_weight", "class response"}},
      {"basis_too_large",
       "fit good.csv --target y --nominal a,b,z --layers 200,1 --degree 6 --output out/model.bl",
       kUsage,
       {"degree 6", "terms", "GiB", "--degree"}},
      {"no_training_rows", kFit + "--fractions 0:1:1", kUsage, {"training rows must be positive"}},
      {"two_fractions", kFit + "--fractions 8:2", kUsage, {"fractions = '8:2'", "7:1:2"}},
      {"group_split_without_group", kFit + "--split group", kUsage, {"--group"}},
      {"stratified_number", kFitReal + "--split stratified", kUsage, {"stratified", "class response"}},
      {"bad_delimiter", kFit + "--delimiter both", kUsage, {"delimiter = 'both'"}},
      {"reversed_support", kFitReal + "--support 3:2", kUsage, {"'3:2'", "low < high"}},
      {"support_of_a_class", kFit + "--support 1:2", kUsage, {"support", "continuous response"}},
      {"diverges",
       kFitReal + "--optimizer sgd --learning-rate 1000 --clip-norm 0",
       kNumeric,
       {"diverged", "epoch", "--learning-rate"}},
  };
}

std::vector<BadInput> bad_places() {
  const std::string fit = "fit good.csv --target y --layers 2,1 --epochs 2 --output ";
  return {
      {"no_folder", fit + "out/none/model.bl", kData, {"out/none/model.bl", "no folder"}},
      {"output_is_a_folder", fit + "out", kData, {"'out'", "folder"}},
      {"folder_is_a_file", fit + "good.csv/model.bl", kData, {"good.csv/model.bl"}},
      {"unwritable_folder", fit + "/proc/model.bl", kData, {"/proc/model.bl"}},
      {"disk_full", fit + "/dev/full", kData, {"/dev/full", "No space left"}},
      {"predictions_disk_full",
       "predict choice_v1.bl choice.csv --output /dev/full",
       kData,
       {"/dev/full", "No space left"}},
      {"predictions_no_folder",
       "predict choice_v1.bl choice.csv --output out/none/p.csv",
       kData,
       {"out/none/p.csv"}},
      {"draws_into_a_folder", "sample choice_v1.bl choice.csv --output out", kData, {"'out'", "directory"}},
      {"schema_no_folder", "schema good.csv --output out/none/s.toml", kData, {"out/none/s.toml"}},
  };
}

std::vector<BadInput> bad_models() {
  const std::string predict = "predict bad.bl choice.csv --output out/p.csv";
  const auto model = [&](const std::string& what, const std::string& bytes,
                         const std::vector<std::string>& expected) {
    return BadInput{what, predict, kModelFile, expected, {{"bad.bl", bytes}}};
  };
  const std::string whole = fixture("choice_v1.bl");
  return {
      {"missing_model",
       "predict none.bl choice.csv --output out/p.csv",
       kModelFile,
       {"none.bl", "No such file"}},
      {"model_is_a_folder", "inspect out", kModelFile, {"out", "directory"}},
      {"not_a_model", "inspect good.csv", kModelFile, {"good.csv", "not a model file"}},
      model("empty_model", "", {"bad.bl", "0 bytes"}),
      model("model_of_four_bytes", cut(4), {"bad.bl", "4 bytes"}),
      model("model_cut_in_header", cut(200), {"bad.bl", "truncated"}),
      model("model_cut_after_header", cut(8 + header_length(whole)), {"bad.bl", "0 bytes of data"}),
      model("model_less_one_byte", cut(whole.size() - 1), {"bad.bl", "data_offsets"}),
      model("model_with_tail", whole + "tail", {"bad.bl", "cover"}),
      model("huge_header_length", with_length(std::numeric_limits<std::uint64_t>::max()),
            {"bad.bl", "18446744073709551615"}),
      model("large_header_length", with_length(99'000'000), {"bad.bl", "truncated", "99000000"}),
      model("huge_shape", with_header("\"shape\":[", "\"shape\":[4611686018427387904,"), {"bad.bl", "shape"}),
      model("other_version", with_header("\"format_version\":\"1\"", "\"format_version\":\"99\""),
            {"bad.bl", "version 99", "version 1"}),
      model("another_safetensors_file", with_header("behavior_learning.model", "pictures"),
            {"bad.bl", "not a Behavior Learning model"}),
      model("unknown_form", with_header("\\\"form\\\":\\\"scalar\\\"", "\\\"form\\\":\\\"matrix\\\""),
            {"bad.bl", "architecture.form", "matrix"}),
      model("negative_blocks", with_header("\\\"blocks\\\":", "\\\"blocks\\\":-"),
            {"bad.bl", "architecture.layers", "blocks"}),
      model("other_context", with_header("\\\"context\\\":", "\\\"context\\\":1"), {"bad.bl", "features"}),
      model("damaged_document", with_header("\\\"architecture\\\":{", "\\\"architecture\\\":"),
            {"bad.bl", "not JSON"}),
      model("field_absent", with_header("\\\"temperature\\\":1", "\\\"warmth\\\":1"),
            {"bad.bl", "temperature"}),
      model("information_of_the_wrong_kind",
            with_header("\\\"training\\\":{", "\\\"training\\\":7,\\\"more\\\":{"),
            {"bad.bl", "information.training"}),
      model("nan_in_a_tensor", with_first_value(std::nanf("")), {"bad.bl", "tensor", "nan"}),
      model("infinity_in_a_tensor", with_first_value(HUGE_VALF), {"bad.bl", "tensor", "inf"}),
  };
}

std::vector<BadInput> bad_requests() {
  const std::string predict = "predict choice_v1.bl bad.csv --output out/p.csv ";
  const std::string price = "predict price_v1.bl price.csv --output out/p.csv ";
  const std::string rows = "age,income,town,choice\n30,1.5,east,rent\n";
  return {
      {"feature_absent",
       predict,
       kData,
       {"bad.csv", "absent", "'age'"},
       {{"bad.csv", "income,town\n1,east\n"}}},
      {"target_absent",
       "evaluate choice_v1.bl bad.csv",
       kData,
       {"bad.csv", "absent", "'choice'"},
       {{"bad.csv", "age,income,town\n30,1.5,east\n"}}},
      {"unknown_class",
       "evaluate choice_v1.bl bad.csv",
       kData,
       {"bad.csv:2", "'choice'", "'steal'", "classes known"},
       {{"bad.csv", "age,income,town,choice\n30,1.5,east,steal\n"}}},
      {"number_became_text",
       predict,
       kData,
       {"bad.csv:3", "'age'", "'old'"},
       {{"bad.csv", "age,income,town\n30,1,east\nold,1,east\n"}}},
      {"unseen_level",
       predict,
       kData,
       {"bad.csv:2", "'town'", "'atlantis'", "levels known"},
       {{"bad.csv", "age,income,town\n30,1.5,atlantis\n"}}},
      {"no_rows_to_predict", predict, kData, {"bad.csv"}, {{"bad.csv", ""}}},
      {"part_of_another_file",
       predict + "--part test",
       kData,
       {"bad.csv", "not the file", "--part"},
       {{"bad.csv", rows}}},
      {"unknown_part", predict + "--part tset", kUsage, {"'tset'", "test"}, {{"bad.csv", rows}}},
      {"unknown_format", predict + "--format xml", kUsage, {"'xml'", "jsonl"}, {{"bad.csv", rows}}},
      {"unknown_carried",
       predict + "--carry twn",
       kData,
       {"'twn'", "did you mean 'town'"},
       {{"bad.csv", rows}}},
      {"negative_threads", predict + "--threads -1", kUsage, {"--threads", "-1"}, {{"bad.csv", rows}}},
      {"quantiles_of_a_class",
       predict + "--quantiles 0.5",
       kUsage,
       {"quantiles", "class"},
       {{"bad.csv", rows}}},
      {"quantile_too_large", price + "--quantiles 0.5,2", kUsage, {"quantile 2", "between 0 and 1"}},
      {"quantile_not_a_number", price + "--quantiles half", kUsage, {"--quantiles 'half'"}},
      {"interval_too_large", price + "--interval 1", kUsage, {"interval mass 1"}},
      {"no_density_points", price + "--density -3", kUsage, {"--density", "-3"}},
      {"utilities_of_a_number", price + "--utilities", kUsage, {"utilities", "class"}},
      {"negative_temperature", price + "--temperature -1", kUsage, {"temperature", "-1"}},
      {"unknown_method",
       "sample choice_v1.bl choice.csv --method hcm --output out/d.csv",
       kUsage,
       {"'hcm'", "did you mean 'hmc'"}},
      {"negative_draws",
       "sample choice_v1.bl choice.csv --draws -4 --output out/d.csv",
       kUsage,
       {"--draws", "-4"}},
      {"sample_without_rows", "sample choice_v1.bl --output out/d.csv", kUsage, {"features", "file of rows"}},
      {"given_a_class",
       "sample choice_v1.bl choice.csv --given choice --output out/d.csv",
       kUsage,
       {"given"}},
  };
}

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, SaysWhatIsWrongAndLeavesNothing) {
  const BadInput& bad = GetParam();
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("out"));
  folder.write("good.csv", good_table());
  for (const char* name : {"choice_v1.bl", "choice.csv", "price_v1.bl", "price.csv"})
    folder.write(name, fixture(name));
  for (const InputFile& file : bad.files) folder.write(file.name, file.bytes);
  const auto before = names_in(folder.file(""));

  const Outcome outcome = bl_command(folder, words(bad.command), bad.input);

  EXPECT_EQ(outcome.code, bad.code) << outcome.err;
  for (const std::string& part : bad.expected) EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_THAT(outcome.err, Not(HasSubstr("internal error")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("saved")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("accuracy")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("p(")));
  EXPECT_TRUE(names_in(folder.file("out")).empty());
  EXPECT_EQ(names_in(folder.file("")), before);
}

std::string name_of(const ::testing::TestParamInfo<BadInput>& info) {
  return info.param.what;
}

INSTANTIATE_TEST_SUITE_P(Data, BadInputTest, ::testing::ValuesIn(bad_data()), name_of);
INSTANTIATE_TEST_SUITE_P(Settings, BadInputTest, ::testing::ValuesIn(bad_settings()), name_of);
INSTANTIATE_TEST_SUITE_P(Places, BadInputTest, ::testing::ValuesIn(bad_places()), name_of);
INSTANTIATE_TEST_SUITE_P(Models, BadInputTest, ::testing::ValuesIn(bad_models()), name_of);
INSTANTIATE_TEST_SUITE_P(Requests, BadInputTest, ::testing::ValuesIn(bad_requests()), name_of);

// What looks wrong and is not.
class HarmlessInputTest : public ::testing::Test {
 protected:
  std::string predictions(const std::string& rows, const std::string& options = "") {
    folder_.write("rows.csv", rows);
    folder_.write("choice_v1.bl", fixture("choice_v1.bl"));
    const Outcome outcome = bl_command(folder_, words("predict choice_v1.bl rows.csv " + options));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  const TemporaryFolder folder_;
};

TEST_F(HarmlessInputTest, ReorderedAndFurtherColumnsChangeNothing) {
  const std::string expected = predictions("age,income,town\n30,1.5,east\n51,,west\n");
  EXPECT_EQ(predictions("town,more,income,age\neast,?,1.5,30\nwest,x,,51\n"), expected);
  EXPECT_EQ(lines_of(expected).size(), 3U);
}

TEST_F(HarmlessInputTest, UnseenLevelCountsAsMissingOnRequest) {
  const std::string option = "--unseen-as-missing";
  EXPECT_EQ(predictions("age,income,town\n30,1.5,atlantis\n", option),
            predictions("age,income,town\n30,1.5,\n", option));
  folder_.write("known.csv", "age,income,town,choice\n30,1.5,,buy\n51,2,,rent\n");
  folder_.write("unseen.csv", "age,income,town,choice\n30,1.5,atlantis,buy\n51,2,atlantis,rent\n");
  const Outcome missing = bl_command(folder_, words("evaluate choice_v1.bl known.csv"));
  const Outcome unseen = bl_command(folder_, words("evaluate choice_v1.bl unseen.csv " + option));
  EXPECT_EQ(unseen.code, 0) << unseen.err;
  EXPECT_EQ(unseen.out, missing.out);
}

TEST_F(HarmlessInputTest, AllMissingColumnIsLeftOutWithANote) {
  folder_.write("data.csv", with_column(0, ""));
  const Outcome outcome =
      bl_command(folder_, words("fit data.csv --target y --layers 2,1 --epochs 1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no values"));
  EXPECT_THAT(outcome.out, HasSubstr("'a' is constant and left out"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("inf")));
}

TEST_F(HarmlessInputTest, ASupportThatEndsAtTheDataIsTaken) {
  folder_.write("data.csv", "a,y\n" + repeated("1,0.1\n2,0.7\n3,0.3\n4,0.9\n", 10));
  const Outcome outcome = bl_command(
      folder_, words("fit data.csv --target y --support 0.1:0.9 --layers 2,1 --epochs 1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(HarmlessInputTest, ASettingMayStandBeforeTheFile) {
  folder_.write("data.csv", good_table());
  const Outcome outcome =
      bl_command(folder_, words("fit --set seed=1 data.csv --target y --layers 2,1 --epochs 1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(HarmlessInputTest, TheCommandLineWinsOverTheSettingsFile) {
  folder_.write("data.csv", good_table());
  folder_.write("fit.toml", "single = true\nseed = 4\nepochs = 1\nignore = 'z'\n");
  const Outcome outcome = bl_command(
      folder_,
      words("fit data.csv --target y --config fit.toml --no-single --seed 5 --layers 2,1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("layers [2,1]"));
  EXPECT_THAT(bl_command(folder_, words("inspect model.bl")).out, HasSubstr("seed 5"));
}

}  // namespace
}  // namespace bl::test

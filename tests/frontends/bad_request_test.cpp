// Model files that cannot be read, and what cannot be asked of those that can.
#include "frontends/bad_input.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace bl::test {
namespace {

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
       {"bad.csv:2", "'town'", "'atlantis'", "levels known", "--unseen-as-missing"},
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
      {"interval_too_large", price + "--interval 1", kUsage, {"--interval", "'1'", "between 0 and 1"}},
      {"interval_of_nothing", price + "--interval 0", kUsage, {"--interval", "'0'", "between 0 and 1"}},
      {"quantile_twice", price + "--quantiles 0.1,0.5,0.1", kUsage, {"--quantiles", "0.1", "twice"}},
      {"carried_twice", price + "--carry size,size", kUsage, {"carry", "'size'", "twice"}},
      {"no_density_points", price + "--density -3", kUsage, {"--density", "-3"}},
      {"utilities_of_a_number", price + "--utilities", kUsage, {"utilities", "class"}},
      {"negative_temperature", price + "--temperature -1", kUsage, {"temperature", "-1"}},
      {"tolerance_zero", price + "--tolerance 0", kUsage, {"--tolerance", "'0'", "between 0 and 1"}},
      {"tolerance_nan", price + "--tolerance nan", kUsage, {"tolerance", "nan"}},
      {"tolerance_of_a_class",
       "predict choice_v1.bl choice.csv --tolerance 1e-8",
       kUsage,
       {"--tolerance", "one continuous response"}},
      {"temperature_zero", price + "--temperature 0", kUsage, {"--temperature", "above 0"}},
      {"evaluate_at_zero",
       "evaluate price_v1.bl price.csv --temperature 0",
       kUsage,
       {"--temperature", "above 0"}},
      {"number_too_far",
       "predict price_v1.bl bad.csv --output out/p.csv",
       kNumeric,
       {"bad.csv:3", "log-density"},
       {{"bad.csv", "size,rooms\n80,2\n1e308,2\n"}}},
      {"chains_of_classes",
       "sample choice_v1.bl choice.csv --method hmc --output out/d.csv",
       kUsage,
       {"'hmc'", "exactly"}},
      {"format_of_a_table",
       "explain choice_v1.bl choice.csv --importance --format json --output out/e.csv",
       kUsage,
       {"--format", "problem"}},
      {"numeraire_of_nothing",
       "explain choice_v1.bl --numeraire income --output out/e.txt",
       kUsage,
       {"--numeraire", "--economics"}},
      {"format_without_rows",
       "whatif choice_v1.bl choice.csv --set income+=1 --format jsonl",
       kUsage,
       {"--format", "--rows"}},
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

class BadRequestTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadRequestTest, SaysWhatIsWrongAndLeavesNothing) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Models, BadRequestTest, ::testing::ValuesIn(bad_models()), name_of);
INSTANTIATE_TEST_SUITE_P(Requests, BadRequestTest, ::testing::ValuesIn(bad_requests()), name_of);

}  // namespace
}  // namespace bl::test

#include "artifact/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bl/errors.hpp"

namespace bl::artifact {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Written by the Python package (safetensors 0.8.0):
//   import numpy as np
//   from safetensors.numpy import save
//   save({"weights": np.array([[1.5, -2.0, 0.25], [3.0, 0.0, -0.125]], np.float32),
//         "counts": np.array([1, -1], np.int64), "flags": np.array([0, 255, 7], np.uint8),
//         "x": np.array(2.5, np.float64), "empty": np.zeros((0, 4), np.float32),
//         "i": np.array([-3], np.int32), "u": np.array([1 << 63], np.uint64)}, {"format": "1"}).hex()
constexpr std::string_view kFromPython =
    "b8010000000000007b225f5f6d657461646174615f5f223a7b22666f726d6174223a2231227d2c2275223a7b226474797065223a"
    "22553634222c227368617065223a5b315d2c22646174615f6f666673657473223a5b302c385d7d2c22636f756e7473223a7b2264"
    "74797065223a22493634222c227368617065223a5b325d2c22646174615f6f666673657473223a5b382c32345d7d2c2278223a7b"
    "226474797065223a22463634222c227368617065223a5b5d2c22646174615f6f666673657473223a5b32342c33325d7d2c22656d"
    "707479223a7b226474797065223a22463332222c227368617065223a5b302c345d2c22646174615f6f666673657473223a5b3332"
    "2c33325d7d2c2277656967687473223a7b226474797065223a22463332222c227368617065223a5b322c335d2c22646174615f6f"
    "666673657473223a5b33322c35365d7d2c2269223a7b226474797065223a22493332222c227368617065223a5b315d2c22646174"
    "615f6f666673657473223a5b35362c36305d7d2c22666c616773223a7b226474797065223a225538222c227368617065223a5b33"
    "5d2c22646174615f6f666673657473223a5b36302c36335d7d7d20202020202000000000000000800100000000000000ffffffff"
    "ffffffff00000000000004400000c03f000000c00000803e0000404000000000000000befdffffff00ff07";

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::string with_length(std::uint64_t length, const std::string& rest) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + rest;
}

std::string container(const std::string& header, std::size_t data_bytes) {
  return with_length(header.size(), header + std::string(data_bytes, 'd'));
}

std::string model_file_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelFileError& e) {
    return e.what();
  }
  return "no ModelFileError";
}

std::string parse_error(const std::string& bytes) {
  return model_file_error([&] { parse(bytes, "m.bl"); });
}

TensorFile small_file() {
  TensorFile file;
  file.metadata = {{"note", "\"quoted\", caf\u00e9, \n"}, {"format_version", "1"}};
  const std::vector<double> a{1.0, -0.0, std::numeric_limits<double>::quiet_NaN(), 5e-324};
  const std::vector<float> b{1.0F, 2.0F, 3.0F};
  const std::vector<std::uint8_t> c{7, 8, 9};
  file.tensors = {{"b", Tensor::of<float>(b, {3})},
                  {"a", Tensor::of<double>(a, {2, 2})},
                  {"c", Tensor::of<std::uint8_t>(c, {3, 1})}};
  return file;
}

TEST(Safetensors, ReadsWhatThePythonPackageWrote) {
  const TensorFile file = parse(from_hex(kFromPython), "python");
  EXPECT_EQ(file.metadata_value("format"), "1");
  EXPECT_EQ(file.tensors.size(), 7U);
  EXPECT_THAT(file.values<float>("weights", {2, 3}), ElementsAre(1.5F, -2.0F, 0.25F, 3.0F, 0.0F, -0.125F));
  EXPECT_THAT(file.values<std::int64_t>("counts", {2}), ElementsAre(1, -1));
  EXPECT_THAT(file.values<std::uint8_t>("flags", {3}), ElementsAre(0, 255, 7));
  EXPECT_THAT(file.values<double>("x", {}), ElementsAre(2.5));
  EXPECT_THAT(file.values<float>("empty", {0, 4}), ElementsAre());
  EXPECT_THAT(file.values<std::int32_t>("i", {1}), ElementsAre(-3));
  EXPECT_THAT(file.values<std::uint64_t>("u", {1}), ElementsAre(std::uint64_t{1} << 63));
}

TEST(Safetensors, WritesTheBytesThatThePythonPackageWrites) {
  EXPECT_EQ(serialize(parse(from_hex(kFromPython), "python")), from_hex(kFromPython));
}

TEST(Safetensors, WriteAndReadKeepEveryBit) {
  const TensorFile file = small_file();
  const std::string bytes = serialize(file);
  const TensorFile again = parse(bytes, "again");
  EXPECT_EQ(again.metadata, file.metadata);
  ASSERT_EQ(again.tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(again.tensors.at(name).dtype, tensor.dtype);
    EXPECT_EQ(again.tensors.at(name).shape, tensor.shape);
    EXPECT_EQ(again.tensors.at(name).bytes, tensor.bytes);
  }
  EXPECT_EQ(serialize(again), bytes);
}

TEST(Safetensors, DataStartsAndTensorsAreAligned) {
  const std::string bytes = serialize(small_file());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  // The widest elements lie first.
  EXPECT_THAT(bytes, HasSubstr(R"("a":{"dtype":"F64","shape":[2,2],"data_offsets":[0,32]},)"
                               R"("b":{"dtype":"F32","shape":[3],"data_offsets":[32,44]},)"
                               R"("c":{"dtype":"U8","shape":[3,1],"data_offsets":[44,47]})"));
}

TEST(Safetensors, AnEmptyFileIsAFile) {
  const TensorFile file = parse(serialize({}), "empty");
  EXPECT_TRUE(file.metadata.empty());
  EXPECT_TRUE(file.tensors.empty());
}

TEST(Safetensors, SavesAndLoads) {
  const std::string name = "bl_safetensors_" + std::to_string(::getpid()) + ".bl";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  save(path, small_file());
  EXPECT_EQ(serialize(load(path)), serialize(small_file()));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THAT(model_file_error([&] { load(path); }),
              HasSubstr(path + ": tensor \"c\", data_offsets [44,47]"));
  std::filesystem::remove(path);
  EXPECT_EQ(model_file_error([&] { load(path); }), "cannot read '" + path + "': No such file or directory");
}

TEST(Safetensors, AsksForWhatItNeedsByName) {
  const TensorFile file = parse(serialize(small_file()), "m.bl");
  EXPECT_EQ(model_file_error([&] { file.metadata_value("schema"); }), "m.bl: __metadata__ has no \"schema\"");
  EXPECT_EQ(model_file_error([&] { file.values<float>("w", {3}); }), "m.bl: there is no tensor \"w\"");
  EXPECT_EQ(model_file_error([&] { file.values<double>("b", {3}); }),
            "m.bl: tensor \"b\": dtype is F32, expected F64");
  EXPECT_EQ(model_file_error([&] {
              file.values<float>("b", {3, 1});
            }),
            "m.bl: tensor \"b\": shape is [3], expected [3,1]");
  EXPECT_EQ(model_file_error([&] { file.tensors.at("b").as<double>(); }), "dtype is F32, expected F64");
}

TEST(Safetensors, RefusesToWriteWhatItCouldNotRead) {
  const std::vector<float> three(3);
  EXPECT_THROW(Tensor::of<float>(three, {2, 2}), UsageError);
  EXPECT_THROW(Tensor::of<float>(three, {-1, -3}), UsageError);
  TensorFile file;
  file.metadata["note"] = "\xe9t\xe9";  // Latin-1
  EXPECT_THROW(serialize(file), DataError);
}

TEST(Safetensors, EveryTruncationAndExtensionIsRefused) {
  const std::string bytes = from_hex(kFromPython);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(parse_error(bytes.substr(0, length)), HasSubstr("m.bl: ")) << length;
  EXPECT_EQ(parse_error(bytes + "x"), "m.bl: the tensors cover 63 bytes of data, the file has 64");
}

struct BadFile {
  const char* what;
  std::string bytes;
  std::string message;  // after "m.bl: "
};

class Corrupted : public testing::TestWithParam<BadFile> {};

TEST_P(Corrupted, IsRefusedWithItsReason) {
  EXPECT_EQ(parse_error(GetParam().bytes), "m.bl: " + GetParam().message);
}

// One tensor called "w" with these three values, given as JSON.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets,
                std::size_t bytes) {
  return container(
      R"({"w":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}", bytes);
}

std::string two(const std::string& first, const std::string& second, std::size_t bytes) {
  const std::string rest = R"({"dtype":"U8","shape":[4],"data_offsets":)";
  return container(R"({"a":)" + rest + first + R"(},"b":)" + rest + second + "}}", bytes);
}

const std::string kDtypeList = R"(tensor "w", dtype must be U8, I32, I64, U64, F32 or F64, found )";

INSTANTIATE_TEST_SUITE_P(
    Header, Corrupted,
    testing::Values(
        BadFile{"empty", "", "not a model file: 0 bytes long, shorter than the 8 bytes of a header length"},
        BadFile{"text", "id,income,choice\n1,2,3\n",
                "not a model file: it begins with 'id,income,choice\\x0A1,2'; give a file that a fit wrote"},
        BadFile{"largest_length", with_length(~std::uint64_t{0}, "{}"),
                "not a model file: it declares a header of 18446744073709551615 bytes, at most 100000000 are "
                "allowed"},
        BadFile{"length_beyond_the_end", with_length(3, "{}"),
                "truncated: it declares a header of 3 bytes, 2 follow"},
        BadFile{"no_header", with_length(0, ""), "not a model file: its header does not begin with '{'"},
        BadFile{"array", container("[]", 0), "not a model file: its header does not begin with '{'"},
        BadFile{"byte_order_mark", container("\xef\xbb\xbf{}", 0),
                "not a model file: its header does not begin with '{'"},
        BadFile{"zero_byte", container(std::string("{}\0{", 4), 0), "zero byte in the header at byte 2"},
        BadFile{"unclosed", container("{", 0), "header is not valid JSON at byte 2"},
        BadFile{"second_value", container("{}{}", 0), "header is not valid JSON at byte 3"},
        BadFile{"not_utf8", container("{\"\xff\":1}", 0), "header is not valid JSON at byte 3"},
        BadFile{"nan", one("\"F32\"", "[NaN]", "[0,4]", 4), "header is not valid JSON at byte 30"},
        BadFile{"number_out_of_range", container(R"({"w":1e999})", 0), "number out of range in the header"},
        BadFile{"too_deep", container("{\"a\":[[" + std::string(1'000'000, '['), 0),
                "header nested deeper than 3 levels"},
        BadFile{"duplicate_tensor", container(R"({"w":1,"w":2})", 0), "\"w\" appears twice in the header"},
        BadFile{"duplicate_field", container(R"({"a":{"dtype":1},"w":{"dtype":1,"dtype":2}})", 0),
                "\"dtype\" appears twice in the header"},
        BadFile{"metadata_is_text", container(R"({"__metadata__":"x"})", 0),
                "__metadata__ must be an object, found \"x\""},
        BadFile{"metadata_holds_a_number", container(R"({"__metadata__":{"seed":7}})", 0),
                "__metadata__ \"seed\" must be a string, found 7"},
        BadFile{"bytes_without_tensor", container("{}", 5),
                "the tensors cover 0 bytes of data, the file has 5"}),
    [](const auto& tested) { return tested.param.what; });

INSTANTIATE_TEST_SUITE_P(
    Tensor, Corrupted,
    testing::Values(
        BadFile{"is_a_number", container(R"({"w":1})", 0), R"(tensor "w" must be an object, found 1)"},
        BadFile{"escaped_name", container(R"({"\u0000\n":1})", 0),
                R"(tensor "\u0000\n" must be an object, found 1)"},
        BadFile{"long_name", container("{\"" + std::string(500, 'n') + "\":1}", 0),
                "tensor \"" + std::string(59, 'n') + "... must be an object, found 1"},
        BadFile{"no_shape", container(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", 4),
                R"(tensor "w" has no shape)"},
        BadFile{"other_field",
                container(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4),
                R"(tensor "w" has fields other than dtype, shape and data_offsets)"},
        BadFile{"unknown_dtype", one("\"F16\"", "[2]", "[0,4]", 4), kDtypeList + "\"F16\""},
        BadFile{"number_as_dtype", one("5", "[1]", "[0,4]", 4), kDtypeList + "5"},
        BadFile{"shape_is_a_number", one("\"F32\"", "1", "[0,4]", 4),
                R"(tensor "w", shape must be an array, found 1)"},
        BadFile{"negative_shape", one("\"F32\"", "[-1]", "[0,4]", 4),
                R"(tensor "w", shape must hold non-negative integers, found -1)"},
        BadFile{"fractional_shape", one("\"F32\"", "[1.0]", "[0,4]", 4),
                R"(tensor "w", shape must hold non-negative integers, found 1.0)"},
        BadFile{"shape_of_texts", one("\"F32\"", "[\"1\"]", "[0,4]", 4),
                R"(tensor "w", shape must hold non-negative integers, found "1")"},
        BadFile{"shape_beyond_signed", one("\"F32\"", "[9223372036854775808]", "[0,4]", 4),
                R"(tensor "w", shape must hold non-negative integers, found 9223372036854775808)"},
        BadFile{"shape_overflows", one("\"F32\"", "[4611686018427387904,4]", "[0,0]", 0),
                R"(tensor "w", shape [4611686018427387904,4] is too large)"},
        BadFile{"shape_wraps_to_the_size", one("\"F32\"", "[4611686018427387905]", "[0,4]", 4),
                R"(tensor "w", shape [4611686018427387905] is too large)"},
        BadFile{"one_offset", one("\"F32\"", "[1]", "[0]", 4),
                R"(tensor "w", data_offsets must be two numbers, found [0])"},
        BadFile{"offsets_reversed", one("\"F32\"", "[1]", "[4,0]", 4),
                R"(tensor "w", data_offsets [4,0] do not lie in order within the 4 bytes of data)"},
        BadFile{"offsets_beyond_the_end", one("\"F32\"", "[2]", "[0,8]", 4),
                R"(tensor "w", data_offsets [0,8] do not lie in order within the 4 bytes of data)"},
        BadFile{"size_does_not_match", one("\"F64\"", "[1]", "[0,4]", 4),
                R"(tensor "w", data_offsets [0,4] hold 4 bytes, F64 of shape [1] needs 8)"},
        BadFile{"hole_at_the_start", one("\"F32\"", "[1]", "[1,5]", 5),
                R"(tensor "w" begins at byte 1 of the data, expected 0: a hole before it)"},
        BadFile{"overlap", two("[0,4]", "[3,7]", 7),
                R"(tensor "b" begins at byte 3 of the data, expected 4: it overlaps the one before)"},
        BadFile{"same_place", two("[0,4]", "[0,4]", 4),
                R"(tensor "b" begins at byte 0 of the data, expected 4: it overlaps the one before)"},
        BadFile{"hole", two("[5,9]", "[0,4]", 9),
                R"(tensor "a" begins at byte 5 of the data, expected 4: a hole before it)"},
        BadFile{"bytes_after", two("[4,8]", "[0,4]", 9),
                "the tensors cover 8 bytes of data, the file has 9"}),
    [](const auto& tested) { return tested.param.what; });

}  // namespace
}  // namespace bl::artifact

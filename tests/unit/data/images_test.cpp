// Arrays of NumPy, and folders of PNG images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "data/png.hpp"
#include "data/read_table.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

std::string from_hex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  return out;
}

// Images whose lines use every filter, packed by Python's zlib.
const std::string kGrey = from_hex(
    "89504e470d0a1a0a0000000d4948445200000003000000050800000000a51a097e0000001d49444154789c6370516862"
    "b439f89269ebd156e61d0d312cd39f7c06004cb308d8f67d94bb0000000049454e44ae426082");
const std::string kColor = from_hex(
    "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a730000001749444154789c6379d2511a"
    "20358b79e6c9534bc4cf03002dc406a3e5fe28460000000049454e44ae426082");

TEST(Png, GreyValuesOfEveryFilter) {
  const GreyImage grey = read_png(kGrey, "grey.png");
  EXPECT_EQ(grey.shape, (ImageShape{5, 3}));
  EXPECT_THAT(grey.pixels, ElementsAre(68, 32, 130, 60, 253, 230, 241, 194, 107, 48, 249, 14, 199, 221, 1));
  const GreyImage color = read_png(kColor, "color.png");
  EXPECT_THAT(color.pixels, ElementsAre(161, 112, 11, 147));  // 0.299 red + 0.587 green + 0.114 blue
}

TEST(Png, DamagedImagesAreRefused) {
  for (std::size_t length = 0; length < kGrey.size(); ++length)
    EXPECT_FALSE(test::message_of<DataError>([&] { read_png(kGrey.substr(0, length), "cut.png"); }).empty());
  std::string other = kGrey;
  other[24] = 16;  // bits
  EXPECT_THAT(test::message_of<DataError>([&] { read_png(other, "deep.png"); }), HasSubstr("16 bits"));
}

TEST(Png, FoldersAreLabels) {
  const test::TemporaryFolder folder;
  for (const char* name : {"cat", "dog"}) std::filesystem::create_directory(folder.file(name));
  folder.write("dog/a.png", kGrey);
  folder.write("cat/b.PNG", kGrey);
  folder.write("cat/notes.txt", "no image");
  const Table table = read_table(folder.file(""));
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.image, (ImageShape{5, 3}));
  EXPECT_THAT(table.column("label").levels, ElementsAre("cat", "dog"));
  EXPECT_THAT(table.column("pixel_1").numbers, ElementsAre(32, 32));
  folder.write("dog/small.png", kColor);
  EXPECT_THAT(test::message_of<DataError>([&] { read_table(folder.file("")); }), HasSubstr("one size"));
  const test::TemporaryFolder empty;
  EXPECT_THAT(test::message_of<DataError>([&] { read_table(empty.file("none")); }), HasSubstr("none"));
}

// As numpy.save writes it: version 1, the header padded with spaces.
std::string npy(const std::string& type, const std::string& shape, const std::string& bytes) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size() & 255U) +
         static_cast<char>(header.size() >> 8) + header + bytes;
}

TEST(Npy, ImagesWithLabels) {
  const test::TemporaryFolder folder;
  const std::string images = folder.write("x.npy", npy("|u1", "(2, 1, 3)", "\x01\x02\xFF\x00\x10\x20"s));
  ReadOptions options;
  options.labels = folder.write("y.npy", npy("<i8", "(2,)", "\x07\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"s));
  const Table table = read_table(images, options);
  EXPECT_THAT(table.names(), ElementsAre("pixel_0", "pixel_1", "pixel_2", "label"));
  EXPECT_EQ(table.image, (ImageShape{1, 3}));
  EXPECT_THAT(table.columns[2].numbers, ElementsAre(255, 32));
  EXPECT_THAT(table.columns[3].numbers, ElementsAre(7, 3));
  options.labels = folder.write("z.npy", npy("|u1", "(3,)", "\x01\x02\x03"s));
  EXPECT_THAT(test::message_of<DataError>([&] { read_table(images, options); }),
              HasSubstr("list of 2 labels"));
}

TEST(Npy, RowsOfFloats) {
  const Table table =
      read_table_from_memory(npy("<f4", "(2, 2)", "\0\0\x80\x3f\0\0\0\x40\0\0\0\xc0\0\0\0\x3f"s), "x.npy");
  EXPECT_THAT(table.names(), ElementsAre("x0", "x1"));
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, -2));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(2, 0.5));
}

TEST(Npy, WhatCannotBeReadIsNamed) {
  const auto refusal = [](const std::string& bytes) {
    return test::message_of<DataError>([&] { read_table_from_memory(bytes, "x.npy"); });
  };
  EXPECT_THAT(refusal(npy("<U5", "(2,)", "")), HasSubstr("is not numeric"));
  EXPECT_THAT(refusal(npy("|u1", "(2, 2, 2, 2)", "")), HasSubstr("4 axes"));
  EXPECT_THAT(refusal(npy("|u1", "(2, 99999999999)", "")), HasSubstr("more than"));
  EXPECT_THAT(refusal(npy("|u1", "(2, 2)", "abc")), HasSubstr("ends within item 2"));
  EXPECT_THAT(refusal("\x93NUMPY\x01"s), HasSubstr("header"));
}

}  // namespace
}  // namespace bl

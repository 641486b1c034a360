// What people get wrong, through the real program: each case has its exit code and the parts of its message
// that help, prints nothing that looks like success, and leaves nothing behind in the folder of its output.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "frontends/command.hpp"

namespace bl::test {

inline constexpr int kUsage = 2, kData = 3, kModelFile = 4, kNumeric = 5;

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
inline std::string good_table() {
  std::string text = "a,b,w,g,t,y,z\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i % 7) + "," + std::to_string(i * i % 11) + "," + std::to_string(1 + i % 3) +
            ",g" + std::to_string(i % 5) + "," + (i % 4 == 0 ? "hill" : "dale") + "," +
            (i % 2 == 0 ? "yes" : "no") + "," + std::to_string(0.37 * i - 2.0 * (i % 3)) + "\n";
  }
  return text;
}

// The good table with one cell replaced; rows from 0.
inline std::string with_cell(int row, int column, const std::string& cell) {
  std::vector<std::string> lines = lines_of(good_table());
  std::string& line = lines[static_cast<std::size_t>(row) + 1];
  std::size_t from = 0;
  for (int c = 0; c < column; ++c) from = line.find(',', from) + 1;
  line.replace(from, std::min(line.find(',', from), line.size()) - from, cell);
  std::string text;
  for (const std::string& one : lines) text += one + "\n";
  return text;
}

inline std::string with_column(int column, const std::string& cell) {
  std::string text = good_table().substr(0, good_table().find('\n') + 1);
  for (int row = 0; row < 40; ++row)
    text += lines_of(with_cell(row, column, cell))[static_cast<std::size_t>(row) + 1] + "\n";
  return text;
}

inline std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

inline std::string fixture(const std::string& name) {
  return read_file(std::string(BL_TEST_DATA) + "/" + name);
}

// Runs the case beside good.csv, the kept models and their tables, and the empty folder out.
inline void expect_refused(const BadInput& bad) {
  using ::testing::HasSubstr, ::testing::Not;
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

inline std::string name_of(const ::testing::TestParamInfo<BadInput>& info) {
  return info.param.what;
}

}  // namespace bl::test

// Where output goes: never over what is read, never lost in silence, never a way to drive the terminal.
#include "frontends/bad_input.hpp"

namespace bl::test {
namespace {

using ::testing::HasSubstr, ::testing::Not;

const char* const kEscape = "\x1b]0;owned\x07";

// A folder with a table, a kept model and its rows.
void fill(const TemporaryFolder& folder) {
  folder.write("good.csv", good_table());
  for (const char* name : {"price_v1.bl", "price.csv"}) folder.write(name, fixture(name));
}

// The exit code of a line of the shell, with `bl` for the program.
int shell(const TemporaryFolder& folder, const std::string& line) {
  const int status = std::system(
      ("cd '" + folder.file("") + "' && bl() { '" + BL_COMMAND + "' \"$@\"; } && " + line).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(OutputOverInput, IsRefusedAndTheInputStays) {
  const TemporaryFolder folder;
  fill(folder);
  folder.write("set.toml", "epochs = 1\n");
  std::filesystem::create_symlink("good.csv", folder.file("link.csv"));
  std::filesystem::create_hard_link(folder.file("price_v1.bl"), folder.file("hard.bl"));
  for (const std::string line :
       {"fit good.csv --target y --epochs 1 -o good.csv", "fit good.csv --target y --epochs 1 -o link.csv",
        "fit ./link.csv --target y --epochs 1 -o good.csv",
        "fit good.csv --target y --config set.toml -o set.toml",
        "predict price_v1.bl price.csv -o price_v1.bl", "predict price_v1.bl price.csv -o price.csv",
        "predict price_v1.bl price.csv -o hard.bl", "explain price_v1.bl -o price_v1.bl",
        "sample price_v1.bl price.csv -o price.csv", "schema good.csv -o good.csv",
        "whatif price_v1.bl price.csv --rows price.csv", "summary price_v1.bl price.csv --save price.csv",
        "summary price_v1.bl price.csv -o price_v1.bl"}) {
    const Outcome outcome = bl_command(folder, words(line));
    EXPECT_EQ(outcome.code, kUsage) << line << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("would be overwritten; write to another file")) << line;
  }
  EXPECT_EQ(shell(folder, "bl fit - --target y --epochs 1 -o good.csv < good.csv 2> err"), kUsage);
  EXPECT_EQ(read_file(folder.file("good.csv")), good_table());
  EXPECT_EQ(read_file(folder.file("price_v1.bl")), fixture("price_v1.bl"));
  EXPECT_EQ(read_file(folder.file("price.csv")), fixture("price.csv"));
}

TEST(OutputPlace, EmptyLoopingAndLongNamesAreErrorsOfTheirOwn) {
  const TemporaryFolder folder;
  fill(folder);
  std::filesystem::create_symlink("loop", folder.file("loop"));
  for (const std::string& place : {std::string(), std::string("loop"), std::string(300, 'x')})
    for (const std::string line : {"fit good.csv --target y --epochs 1 --layers 1",
                                   "predict price_v1.bl price.csv", "explain price_v1.bl"}) {
      std::vector<std::string> arguments = words(line);
      arguments.insert(arguments.end(), {"--output", place});
      const Outcome outcome = bl_command(folder, arguments);
      EXPECT_EQ(outcome.code, place.empty() ? kUsage : kData) << line << " " << place;
      EXPECT_THAT(outcome.err, Not(HasSubstr("internal error"))) << line << " " << place;
    }
}

TEST(Streams, OutputThatIsLostIsAnError) {
  const TemporaryFolder folder;
  fill(folder);
  for (const std::string line : {"bl --help", "bl --version", "bl fit --help", "bl inspect price_v1.bl",
                                 "bl inspect price_v1.bl --json", "bl explain price_v1.bl",
                                 "bl evaluate price_v1.bl price.csv", "bl predict price_v1.bl price.csv",
                                 "bl settings", "bl fit good.csv --target y --epochs 1 --layers 1 -o m.bl"}) {
    EXPECT_EQ(shell(folder, line + " > /dev/full 2> err"), kData) << line;
    EXPECT_EQ(read_file(folder.file("err")), "bl: cannot write to standard output\n") << line;
    EXPECT_EQ(shell(folder, line + " >&- 2> err"), kData) << line;
  }
}

TEST(Streams, ErrorsThatCannotBePrintedKeepTheirCode) {
  const TemporaryFolder folder;
  fill(folder);
  for (const std::string to : {" 2> /dev/full", " 2>&-", " > /dev/full 2> /dev/full"}) {
    EXPECT_EQ(shell(folder, "bl inspect none.bl" + to), kModelFile) << to;
    EXPECT_EQ(shell(folder, "bl fit none.csv -o m.bl" + to), kData) << to;
    EXPECT_EQ(shell(folder, "bl nonsense" + to), kUsage) << to;
  }
  EXPECT_EQ(shell(folder, "bl inspect price_v1.bl > out 2>&-"), 0);
  EXPECT_EQ(shell(folder, "bl sample price_v1.bl price.csv --draws 2 > out 2> /dev/full"), 0);
}

TEST(Terminal, ControlCharactersOfNamesAreEscaped) {
  const TemporaryFolder folder;
  std::string table = good_table();
  table.replace(table.find("a,b,"), 3, std::string("a") + kEscape + ",b");
  for (std::size_t at = 0; (at = table.find(",yes,", at)) != std::string::npos;)
    table.replace(at, 5, std::string(",yes") + kEscape + ",");
  folder.write("bad.csv", table);
  const auto people = [&](const std::string& line) {
    const Outcome outcome = bl_command(folder, words(line));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b"))) << line;
    EXPECT_THAT(outcome.out, HasSubstr("\\x1B]0;owned\\x07")) << line;
  };
  people("fit bad.csv --target y --ignore z --single --degree 1 --epochs 2 -o m.bl");
  people("inspect m.bl");
  people("explain m.bl");
  people("explain m.bl bad.csv --row 1");
  // Too few rows for a summary: the names are in the error.
  EXPECT_THAT(bl_command(folder, words("summary m.bl bad.csv")).err, Not(HasSubstr("\x1b")));
  const Outcome error = bl_command(folder, {"fit", "bad.csv", "--target", kEscape, "-o", "n.bl"});
  EXPECT_EQ(error.code, kData);
  EXPECT_THAT(error.err, Not(HasSubstr("\x1b")));
  // Data stay as they are.
  EXPECT_THAT(bl_command(folder, words("predict m.bl bad.csv")).out, HasSubstr(kEscape));
}

}  // namespace
}  // namespace bl::test

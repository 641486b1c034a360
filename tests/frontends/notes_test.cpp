// What is to be known about numbers stands where they are printed.
#include "frontends/bad_input.hpp"

namespace bl::test {
namespace {

using ::testing::HasSubstr, ::testing::Not;

// At a temperature of 1e-14 a distribution is one peak among roundings.
TEST(Notes, PredictReturnsRowsThatMissTheToleranceAndSaysSo) {
  const TemporaryFolder folder;
  folder.write("price_v1.bl", fixture("price_v1.bl"));
  const std::vector<std::string> lines = lines_of(fixture("price.csv"));
  folder.write("one.csv", lines[0] + "\n" + lines[1] + "\n");
  const Outcome narrow = bl_command(folder, words("predict price_v1.bl one.csv --temperature 1e-14"));
  EXPECT_EQ(narrow.code, 0) << narrow.err;
  EXPECT_THAT(narrow.err, HasSubstr("note: quadrature missed its tolerance of 1e-06 in 1 of 1"));
  for (const std::string& line : lines_of(narrow.err)) EXPECT_LE(line.size(), 80U);
  const Outcome usual = bl_command(folder, words("predict price_v1.bl one.csv"));
  EXPECT_EQ(usual.err, "");
  EXPECT_EQ(lines_of(narrow.out).size(), lines_of(usual.out).size());
}

std::string counts(const std::vector<int>& values) {
  std::string text = "x,visits\n";
  for (int i = 0; i < 200; ++i)
    text += std::to_string(i % 13) + "," +
            std::to_string(values[static_cast<std::size_t>(i) % values.size()]) + "\n";
  return text;
}

TEST(Notes, FitSaysWhereWholeNumbersAreLearnedAsClasses) {
  const TemporaryFolder folder;
  folder.write("few.csv", counts({0, 1, 2, 3, 7, 12}));
  folder.write("many.csv", counts({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 48}));
  const std::string rest = " --target visits --epochs 2 --layers 2 -o model.bl";
  const Outcome few = bl_command(folder, words("fit few.csv" + rest));
  EXPECT_THAT(few.out, HasSubstr("visits (6 classes)"));
  EXPECT_THAT(few.out, HasSubstr("--continuous visits"));
  const Outcome many = bl_command(folder, words("fit many.csv" + rest));
  EXPECT_THAT(many.out, HasSubstr("visits (continuous)"));
  EXPECT_THAT(many.out, HasSubstr("whole number"));
  const Outcome meant = bl_command(folder, words("fit many.csv --nominal visits" + rest));
  EXPECT_THAT(meant.out, HasSubstr("visits (12 classes)"));
  EXPECT_THAT(meant.out, Not(HasSubstr("--continuous")));
}

// Slow chains that were long enough are no reason to warn; the same chains cut short are one.
TEST(Notes, ChainsAreNotCalledBadWhereTheirVerdictIsGood) {
  const TemporaryFolder folder;
  folder.write("price_v1.bl", fixture("price_v1.bl"));
  folder.write("two.csv", "size,rooms\n95,1\n60,2\n");
  const std::string slow = "sample price_v1.bl two.csv --method mala --step 0.15 --output draws.csv --draws ";
  const Outcome enough = bl_command(folder, words(slow + "20000"));
  EXPECT_THAT(enough.err + enough.out, HasSubstr("All diagnostics are good"));
  EXPECT_THAT(enough.err, Not(HasSubstr("mix badly")));
  EXPECT_THAT(bl_command(folder, words(slow + "1000")).err, HasSubstr("mix badly"));
}

TEST(Notes, AResponseOutsideTheSupportIsNamedWhereItsDensityIsZero) {
  const TemporaryFolder folder;
  folder.write("price_v1.bl", fixture("price_v1.bl"));
  folder.write("price.csv", fixture("price.csv") + "95.0,1,1e9\n");
  const Outcome density = bl_command(folder, words("predict price_v1.bl price.csv --log-density"));
  EXPECT_EQ(density.code, 0);
  EXPECT_THAT(density.out, HasSubstr(",-inf\n"));
  EXPECT_THAT(density.err, HasSubstr("response of 1 of 81 rows lies outside the support"));
  EXPECT_THAT(bl_command(folder, words("evaluate price_v1.bl price.csv")).out,
              HasSubstr("response of 1 of 81"));
  EXPECT_EQ(bl_command(folder, words("evaluate price_v1.bl price.csv --json")).code, 0);
}

// An interval of counts holds whole masses, so it covers more than its share without being too wide.
TEST(Notes, IntervalsOfCountsAreNotCalledTooWide) {
  const TemporaryFolder folder;
  folder.write("counts.csv", counts({0, 0, 0, 0, 0, 0, 1, 1, 1, 2}));
  const Outcome fitted = bl_command(
      folder, words("fit counts.csv --target visits --continuous visits --fractions 1:1:2 -o model.bl"));
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("coverage_90                        1.0000"));
  EXPECT_THAT(fitted.out, Not(HasSubstr("too wide")));
}

}  // namespace
}  // namespace bl::test

// Images and text from the command line: what is decided without options, and what is said about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "command.hpp"

namespace bl::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 255U);
  return out;
}

// Bright squares at one of two corners of noisy images, with an edge that is always dark.
void write_images(const TemporaryFolder& folder, const std::string& name, std::uint32_t count) {
  constexpr std::uint32_t kSide = 18;
  const RandomStream random(7, Purpose::test);
  std::string images = big_endian(2051) + big_endian(count) + big_endian(kSide) + big_endian(kSide);
  std::string labels = big_endian(2049) + big_endian(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t label = i % 2;
    labels += static_cast<char>(label);
    for (std::uint32_t p = 0; p < kSide * kSide; ++p) {
      const std::uint32_t row = p / kSide, column = p % kSide;
      const bool edge = row == 0 || column == 0;
      const bool bright = label == 0 ? row < 8 && column < 8 : row > 10 && column > 10;
      const double value = edge ? 0 : 90 + (bright ? 25 : 0) + 80 * random.uniform(i, p);
      images += static_cast<char>(static_cast<unsigned char>(value));
    }
  }
  folder.write(name + "-images-idx3-ubyte", images);
  folder.write(name + "-labels-idx1-ubyte", labels);
}

class Images : public testing::Test {
 protected:
  Images() { write_images(folder_, "some", 3000); }
  Outcome bl(const std::vector<std::string>& arguments) { return bl_command(folder_, arguments); }
  TemporaryFolder folder_;
};

TEST_F(Images, AreLearnedFromWithoutOptions) {
  const Outcome fit = bl({"fit", "some-images-idx3-ubyte", "-o", "m.bl", "--layers", "4", "--threads", "1"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.out, AllOf(HasSubstr("response  label (2 classes)"), HasSubstr("35 columns are constant"),
                             HasSubstr("vector form"), HasSubstr("learn from all 3000 rows")));
  const Outcome judged = bl({"evaluate", "m.bl", "some-images-idx3-ubyte", "--part", "test"});
  EXPECT_NE(judged.code, 0);
  EXPECT_THAT(judged.err, HasSubstr("learned from all rows"));
  const Outcome all = bl({"evaluate", "m.bl", "some-images-idx3-ubyte"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("accuracy"));
}

TEST_F(Images, AreLearnedShiftedUnlessAskedNotTo) {
  const std::vector<std::string> fit = {"fit",
                                        "some-images-idx3-ubyte",
                                        "--layers",
                                        "4",
                                        "--epochs",
                                        "2",
                                        "--refit",
                                        "none",
                                        "--learning-rate",
                                        "0.003",
                                        "--weight-decay",
                                        "0.3",
                                        "-o"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), fit.begin(), fit.end());
    return bl(more);
  };
  const Outcome shifted = with({"a.bl"}), plain = with({"b.bl", "--shifts", "none"});
  ASSERT_EQ(shifted.code, 0) << shifted.err;
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(shifted.out, HasSubstr("training also saw images shifted by a pixel; --shifts none"));
  EXPECT_THAT(plain.out, Not(HasSubstr("shifted")));
  const auto predicted = [&](const char* model) {
    return bl({"predict", model, "some-images-idx3-ubyte"}).out;
  };
  EXPECT_NE(predicted("a.bl"), predicted("b.bl"));
}

TEST_F(Images, KeepHeldOutRowsApartWhereAsked) {
  const std::vector<std::string> fit = {
      "fit", "some-images-idx3-ubyte", "-o", "m.bl", "--layers", "4", "--epochs", "2"};
  for (const std::vector<std::string>& asked : {std::vector<std::string>{"--refit", "none"},
                                                {"--fractions", "7:1:2"},
                                                {"--refit", "none", "--monitor", "accuracy"}}) {
    std::vector<std::string> arguments = fit;
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    const Outcome done = bl(arguments);
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, Not(HasSubstr("learn from all")));
    EXPECT_EQ(bl({"evaluate", "m.bl", "some-images-idx3-ubyte", "--part", "test"}).code, 0);
  }
}

TEST_F(Images, AreTheSameForAnyNumberOfThreads) {
  for (const char* threads : {"1", "2"})
    ASSERT_EQ(bl({"fit", "some-images-idx3-ubyte", "-o", std::string("m") + threads + ".bl", "--layers",
                  "4,2", "--epochs", "2", "--threads", threads, "-q"})
                  .code,
              0);
  EXPECT_EQ(read_file(folder_.file("m1.bl")), read_file(folder_.file("m2.bl")));
}

TEST_F(Images, UnlikeThoseOfTrainingScoreLow) {
  ASSERT_EQ(bl({"fit", "some-images-idx3-ubyte", "-o", "m.bl", "--layers", "4", "-q"}).code, 0);
  const Outcome known = bl({"predict", "m.bl", "some-images-idx3-ubyte", "--ood", "--format", "jsonl"});
  ASSERT_EQ(known.code, 0) << known.err;
  double sum = 0;
  std::istringstream lines(known.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto row = nlohmann::json::parse(line);
    sum += row["energy percentile"].get<double>();
    double largest = std::max(row["p(0)"].get<double>(), row["p(1)"].get<double>());
    EXPECT_NEAR(row["max_probability"].get<double>(), largest, 1e-9);
  }
  EXPECT_EQ(count, 3000);
  EXPECT_NEAR(sum / count, 50, 2);  // training rows stand evenly among themselves
}

std::string reviews(int count) {
  const std::vector<std::vector<std::string>> words = {{"great", "lovely", "fine", "superb", "charming"},
                                                       {"awful", "dull", "poor", "tedious", "weak"}};
  const std::vector<std::string> common = {"the", "film", "plot", "actor", "scene", "very", "with", "story"};
  const RandomStream random(9, Purpose::test);
  std::string out = "review,verdict\n";
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    for (std::uint64_t k = 0; k < 9; ++k) {
      const auto& from = random.below(4, i, 2 * k) == 0 ? words[i % 2] : common;
      out += from[random.below(from.size(), i, 2 * k + 1)] + " ";
    }
    out += i % 2 == 0 ? ",good\n" : ",bad\n";
  }
  return out;
}

TEST(Text, IsReadRawByFitPredictAndExplain) {
  const TemporaryFolder folder;
  folder.write("reviews.csv", reviews(600));
  folder.write("new.csv", "review\na lovely story with a charming actor\nvery dull and poor plot\n");
  const auto bl = [&](const std::vector<std::string>& arguments) { return bl_command(folder, arguments); };
  const Outcome fit = bl(
      {"fit", "reviews.csv", "--target", "verdict", "-o", "m.bl", "--layers", "3", "--text-components", "8"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("'review' is running text"));
  const Outcome predicted = bl({"predict", "m.bl", "new.csv", "--format", "jsonl"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.out,
              testing::MatchesRegex(".*\"verdict\": ?\"good\".*\n.*\"verdict\": ?\"bad\".*\n"));
  const Outcome explained = bl({"explain", "m.bl"});
  ASSERT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("review component "));
  EXPECT_THAT(bl({"schema", "reviews.csv", "--target", "verdict"}).out, HasSubstr("type = \"text\""));
  EXPECT_THAT(bl({"fit", "reviews.csv", "--target", "verdict", "-o", "n.bl", "--nominal", "review",
                  "--text-components", "8"})
                  .err,
              HasSubstr("columns of running text"));
}

}  // namespace
}  // namespace bl::test

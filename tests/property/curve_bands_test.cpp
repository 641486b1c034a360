// Planted logits with a bent and a straight utility, estimated again and again: pointwise bands cover the
// planted curve as often as they say, a straight line is rejected as often as it should be, a bent one nearly
// always.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "base/random.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "bl/inference.hpp"
#include "support/planted_logit.hpp"

namespace bl {
namespace {

constexpr std::size_t kRows = 1000;
constexpr int kReplications = 200;

double bent(double x) {
  const double knots[] = {0, 2, 4, 6, 8, 10}, values[] = {-1.2, -0.4, 0.7, 0.8, 0.3, -0.4};
  int i = 0;
  while (i < 4 && x > knots[i + 1]) ++i;
  return values[i] + (x - knots[i]) / 2 * (values[i + 1] - values[i]);
}

struct Rows {
  std::vector<double> x, z;
  std::vector<std::optional<std::string>> y;

  explicit Rows(std::uint64_t seed) {
    const RandomStream random(seed, Purpose::test, 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      x.push_back(10 * random.uniform(0, i));
      z.push_back(4 * random.uniform(1, i) - 2);
      const double utility = bent(x.back()) + 0.6 * z.back();
      y.emplace_back(random.uniform(2, i) < 1 / (1 + std::exp(-utility)) ? "yes" : "no");
    }
  }
  Data data() const { return Data::from_columns({{"x", x}, {"z", z}, {"y", {}, y}}, "planted"); }
};

std::string schema_path() {
  const std::string path = testing::TempDir() + "curve_bands_" + std::to_string(getpid()) + ".toml";
  std::ofstream(path)
      << "[columns]\nx = { knots = [0, 2, 4, 6, 8, 10] }\nz = { knots = [-2, -1, 0, 1, 2] }\n";
  return path;
}

Settings logit() {
  Settings s = test::planted_logit();
  s.schema = schema_path();
  return s;
}

const EstimatedCurve& curve(const InferenceSummary& summary, const std::string& column) {
  for (const EstimatedCurve& one : summary.curves)
    if (one.name == "U." + column + "~*[y=yes]") return one;
  throw std::runtime_error("no curve of " + column);
}

double mean_of(const std::vector<double>& x, const std::function<double(double)>& f) {
  double sum = 0;
  for (const double one : x) sum += f(one);
  return sum / static_cast<double>(x.size());
}

TEST(CurveBands, CoverThePlantedCurveAndRejectStraightLinesAtTheirLevel) {
  int covered = 0, points = 0, straight_rejected = 0, bent_rejected = 0;
  for (int r = 0; r < kReplications; ++r) {
    const Rows rows(static_cast<std::uint64_t>(r + 1));
    const InferenceSummary summary = stored_inference(fit(rows.data(), logit()).model);
    const EstimatedCurve& x = curve(summary, "x");
    const double mean = mean_of(rows.x, bent);
    for (std::size_t i = 0; i < x.at.size(); ++i, ++points)
      covered += std::abs(x.value[i] - (bent(x.at[i]) - mean)) < 1.959964 * x.standard_error[i];
    const EstimatedCurve& z = curve(summary, "z");
    for (std::size_t i = 0; i < z.at.size(); ++i, ++points)
      covered += std::abs(z.value[i] - 0.6 * (z.at[i] - mean_of(rows.z, [](double v) { return v; }))) <
                 1.959964 * z.standard_error[i];
    EXPECT_EQ(z.straight_degrees, 3);
    EXPECT_EQ(x.straight_degrees, 4);
    straight_rejected += z.straight_p < 0.05;
    bent_rejected += x.straight_p < 0.05;
    EXPECT_LT(x.flat_p, 0.05);
  }
  const double coverage = static_cast<double>(covered) / points;
  // One point: 0.05 +- 0.0154; eleven points of a curve are correlated.
  std::printf("coverage %.4f of %d points; straight rejected %d, bent rejected %d of %d\n", coverage, points,
              straight_rejected, bent_rejected, kReplications);
  EXPECT_GT(coverage, 0.93);
  EXPECT_LT(coverage, 0.97);
  EXPECT_LE(straight_rejected, kReplications * 0.05 + 3 * std::sqrt(kReplications * 0.05 * 0.95));
  EXPECT_GE(bent_rejected, kReplications * 0.95);
}

// The same errors by the bootstrap's logic: the spread of the estimate over replications.
TEST(CurveBands, ErrorsAreTheSpreadOfTheEstimate) {
  constexpr int kTimes = 60;
  double sum = 0, squares = 0, said = 0;
  for (int r = 0; r < kTimes; ++r) {
    const Rows rows(static_cast<std::uint64_t>(1000 + r));
    const InferenceSummary summary = stored_inference(fit(rows.data(), logit()).model);
    const EstimatedCurve& x = curve(summary, "x");
    const double error = x.value[3] - (bent(6) - mean_of(rows.x, bent));
    sum += error;
    squares += error * error;
    said += x.standard_error[3] / kTimes;
  }
  const double spread = std::sqrt(squares / kTimes - (sum / kTimes) * (sum / kTimes));
  EXPECT_NEAR(said / spread, 1, 3 / std::sqrt(2.0 * kTimes));
}

TEST(CurveBands, StandInSummariesExplanationsAndPictures) {
  const Rows rows(7);
  const Model model = fit(rows.data(), logit()).model;
  const InferenceSummary summary = stored_inference(model);
  const std::string text = render(summary, SummaryFormat::text);
  EXPECT_NE(text.find("straight line: chi-squared"), std::string::npos) << text;
  EXPECT_EQ(text.find("x~2..4"), std::string::npos) << "bends are not listed one by one";
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = text.find('\n', from);
    EXPECT_LE(to - from, 80U) << text.substr(from, to - from);
    from = to + 1;
  }
  EXPECT_NE(render(summary, SummaryFormat::json).find("\"straight_line\""), std::string::npos);
  EXPECT_NE(render(summary, SummaryFormat::latex).find("\\quad at 6"), std::string::npos);
  EXPECT_NE(render(summary, SummaryFormat::markdown).find("| at |"), std::string::npos);
  EXPECT_NE(explain_model(model, ExplainFormat::text).find("a straight line is rejected"), std::string::npos);
  EXPECT_NE(explain_model(model, ExplainFormat::svg, {.block = "L1.B1"}).find("class='band'"),
            std::string::npos);
  EXPECT_NE(explain_model(model, ExplainFormat::json).find("\"standard_errors\""), std::string::npos);
  EXPECT_NE(explain_model(model, ExplainFormat::latex).find("standard error"), std::string::npos);
}

}  // namespace
}  // namespace bl

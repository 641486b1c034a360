// Errors of products of two curves in saturated logits, where they have a closed form; and planted logits
// estimated again and again: intervals cover the planted product as often as they say, and "no effect" is
// rejected as often as it should be.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/random.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "bl/inference.hpp"
#include "support/planted_logit.hpp"

namespace bl {
namespace {

using Cells = Eigen::MatrixXd;  // a number for each pair of levels of x and z

Settings logit() {
  Settings s = test::planted_logit();
  s.curves = "x~*z~";
  return s;
}

struct Rows {
  std::vector<double> x, z;
  std::vector<std::optional<std::string>> y;

  void add(Eigen::Index first, Eigen::Index second, bool yes) {
    x.push_back(static_cast<double>(first));
    z.push_back(static_cast<double>(second));
    y.emplace_back(yes ? "yes" : "no");
  }
  Data data() const { return Data::from_columns({{"x", x}, {"z", z}, {"y", {}, y}}, "planted"); }
};

// Takes from a function of both columns what functions of one can say: the residual of least squares over the
// rows. As a matrix on the cells, row by row.
Eigen::MatrixXd joint_part(const Cells& rows) {
  const Eigen::Index height = rows.rows(), width = rows.cols(), cells = rows.size();
  Eigen::MatrixXd single = Eigen::MatrixXd::Zero(cells, height + width);
  Eigen::VectorXd weight(cells);
  for (Eigen::Index i = 0; i < height; ++i)
    for (Eigen::Index j = 0; j < width; ++j) {
      single(i * width + j, i) = single(i * width + j, height + j) = 1;
      weight(i * width + j) = rows(i, j);
    }
  const Eigen::MatrixXd moments = single.transpose() * weight.asDiagonal() * single;
  return Eigen::MatrixXd::Identity(cells, cells) -
         single * moments.completeOrthogonalDecomposition().pseudoInverse() * single.transpose() *
             weight.asDiagonal();
}

Eigen::VectorXd by_rows(const Cells& cells) {
  Eigen::VectorXd out(cells.size());
  for (Eigen::Index i = 0; i < cells.size(); ++i) out(i) = cells(i / cells.cols(), i % cells.cols());
  return out;
}

const EstimatedProduct& product(const InferenceSummary& summary) {
  EXPECT_EQ(summary.products.size(), 1U);
  EXPECT_EQ(summary.products.at(0).name, "U.x~*z~*[y=yes]");
  return summary.products[0];
}

// With a weight for every cell the log odds of a cell are log(yes / no), independent of the others, with
// variance 1/yes + 1/no; robust and classical covariances are the same.
TEST(ProductBands, AreThoseOfTheClosedFormOfASaturatedLogit) {
  for (const Eigen::Index levels : {2, 3, 5}) {
    Cells yes(levels, levels), no(levels, levels);
    Rows rows;
    for (Eigen::Index i = 0; i < levels; ++i)
      for (Eigen::Index j = 0; j < levels; ++j) {
        yes(i, j) = static_cast<double>(20 + (7 * i + 5 * j * j + 3 * i * j) % 23);
        no(i, j) = static_cast<double>(22 + (11 * i * i + 2 * j + i * j) % 19);
        for (int k = 0; k < static_cast<int>(yes(i, j)); ++k) rows.add(i, j, true);
        for (int k = 0; k < static_cast<int>(no(i, j)); ++k) rows.add(i, j, false);
      }
    const Eigen::MatrixXd joint = joint_part(yes + no);
    const Eigen::VectorXd values = joint * by_rows((yes.array() / no.array()).log());
    const Eigen::MatrixXd covariance =
        joint * by_rows(yes.cwiseInverse() + no.cwiseInverse()).asDiagonal() * joint.transpose();
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse;
    inverse.setThreshold(1e-9).compute(covariance);
    const InferenceSummary summary = stored_inference(fit(rows.data(), logit()).model);
    const EstimatedProduct& found = product(summary);
    ASSERT_EQ(found.value.size(), static_cast<std::size_t>(levels * levels));
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(found.value[at], values(i), 1e-5);
      EXPECT_NEAR(found.standard_error[at], std::sqrt(covariance(i, i)), 1e-5);
      EXPECT_NEAR(found.upper[at] - found.lower[at], 2 * 1.959964 * std::sqrt(covariance(i, i)), 1e-4);
    }
    EXPECT_EQ(found.flat_degrees, (levels - 1) * (levels - 1));
    EXPECT_NEAR(found.flat, values.dot(inverse.solve(values)), 1e-4 * found.flat);
  }
}

struct Replications {
  int covered = 0, points = 0, rejected = 0;
};

Replications replicate(const Cells& utility, int times) {
  constexpr std::uint64_t kRows = 450;
  Replications out;
  for (int r = 0; r < times; ++r) {
    const RandomStream random(static_cast<std::uint64_t>(r + 1), Purpose::test, 0);
    Rows rows;
    Cells counts = Cells::Zero(3, 3);
    for (std::uint64_t i = 0; i < kRows; ++i) {
      const auto x = static_cast<Eigen::Index>(random.below(3, 0, i));
      const Eigen::Index z =
          random.uniform(1, i) < 0.2 ? x : static_cast<Eigen::Index>(random.below(3, 2, i));  // correlated
      rows.add(x, z, random.uniform(3, i) < 1 / (1 + std::exp(-utility(x, z))));
      counts(x, z) += 1;
    }
    const Eigen::VectorXd planted = joint_part(counts) * by_rows(utility);
    const InferenceSummary summary = stored_inference(fit(rows.data(), logit()).model);
    const EstimatedProduct& found = product(summary);
    for (std::size_t i = 0; i < found.value.size(); ++i, ++out.points) {
      const double truth = planted(static_cast<Eigen::Index>(i));
      out.covered += found.lower[i] < truth && truth < found.upper[i];
    }
    out.rejected += found.flat_p < 0.05;
  }
  return out;
}

TEST(ProductBands, CoverThePlantedProductAndRejectNoEffectAtTheirLevel) {
  constexpr int kTimes = 200;
  Cells alone(3, 3), together(3, 3);
  alone << -0.8, -0.5, 0.1, -0.3, 0.0, 0.6, -0.5, -0.2, 0.4;  // rows and columns differ by constants
  together << 0.5, -0.2, -0.7, -0.6, 0.0, 0.8, -0.4, 0.3, 1.1;
  const Replications without = replicate(alone, kTimes), with = replicate(together, kTimes);
  std::printf("coverage %.4f without and %.4f with a product; no effect rejected %d and %d of %d times\n",
              static_cast<double>(without.covered) / without.points,
              static_cast<double>(with.covered) / with.points, without.rejected, with.rejected, kTimes);
  // The nine points of a product have four degrees of freedom.
  const double one_of_four = 3 * std::sqrt(0.05 * 0.95 / (4 * kTimes));
  for (const Replications& one : {without, with})
    EXPECT_NEAR(static_cast<double>(one.covered) / one.points, 0.95, one_of_four);
  EXPECT_NEAR(without.rejected, 0.05 * kTimes, 3 * std::sqrt(kTimes * 0.05 * 0.95));
  EXPECT_GE(with.rejected, 0.95 * kTimes);
}

std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += word + " ";
  return out;
}

TEST(ProductBands, StandInSummariesExplanationsAndPictures) {
  const RandomStream random(1, Purpose::test, 4);
  Rows rows;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    rows.x.push_back(2000 + 30 * random.uniform(0, i));
    rows.z.push_back(random.uniform(1, i));
    const double utility = 2 * (rows.x.back() - 2015) / 15 * (rows.z.back() - 0.5);
    rows.y.emplace_back(random.uniform(2, i) < 1 / (1 + std::exp(-utility)) ? "yes" : "no");
  }
  const Model model = fit(rows.data(), logit()).model;
  const InferenceSummary summary = stored_inference(model);
  EXPECT_EQ(product(summary).first_at.size(), 7U);
  const std::string text = render(summary, SummaryFormat::text);
  EXPECT_NE(text.find("U.x~*z~*[y=yes]: high where both are high or both are low"), std::string::npos)
      << text;
  EXPECT_NE(text.find("no effect: chi-squared"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  const std::string json = render(summary, SummaryFormat::json),
                    latex = render(summary, SummaryFormat::latex),
                    markdown = render(summary, SummaryFormat::markdown);
  EXPECT_NE(json.find("\"products\""), std::string::npos);
  EXPECT_NE(latex.find("\\begin{tabular}{r|rrrrrrr}"), std::string::npos) << latex;
  EXPECT_NE(markdown.find("| x down, z across |"), std::string::npos) << markdown;
  EXPECT_NE(in_one_line(explain_model(model, ExplainFormat::text)).find("that it has no effect is rejected"),
            std::string::npos);
  EXPECT_NE(explain_model(model, ExplainFormat::json).find("\"no_effect\""), std::string::npos);
  EXPECT_NE(explain_model(model, ExplainFormat::svg, {.block = "L1.B1"}).find("class='zero'"),
            std::string::npos);
}

}  // namespace
}  // namespace bl

#include "gibbs/diagnostics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace bl::gibbs {
namespace {

// x_t = phi x_{t-1} + u_t - 1/2 with u_t from a linear congruential generator: the same numbers in any
// language.
Matrix<double> fixed_draws(Index draws, Index chains, double phi, double shift_first, bool ties) {
  Matrix<double> out(draws, chains);
  for (Index c = 0; c < chains; ++c) {
    std::uint64_t state = (12345 + 777 * static_cast<std::uint64_t>(c)) % 2147483648U;
    double x = 0;
    for (Index t = 0; t < draws; ++t) {
      state = (state * 1103515245 + 12345) % 2147483648U;
      x = phi * x + (static_cast<double>(state) / 2147483648.0 - 0.5);
      const double y = x + (c == 0 ? shift_first : 0.0);
      out(t, c) = ties ? std::floor(4 * y) : y;
    }
  }
  return out;
}

struct Reference {
  Index draws, chains;
  double phi, shift;
  bool ties;
  Diagnostics expected;
};

// Expected values by ArviZ 0.23.4: ess(method="bulk"), ess(method="tail"), mean, std(ddof=1),
// mcse(method="mean") and R-hat from its _rhat, _z_scale and _split_chains as the R package posterior
// combines them (it folds before it splits).
const Reference kReferences[] = {
    {100,
     4,
     0.7,
     0,
     false,
     {1.0399632378634518, 78.47098234415509, 163.15083526399224, 0.03625222643361213, 0.3924429923400761,
      0.04430158153968321}},
    {101,
     3,
     -0.5,
     0,
     false,
     {1.01153805211532, 743.1363764158988, 275.99280931477557, 0.006206714806487522, 0.34994994143846986,
      0.012837240125818085}},
    {200,
     4,
     0.95,
     0.5,
     false,
     {1.1751994115403368, 19.00122559276524, 66.33940840946119, 0.24116202293597425, 0.8619619042377032,
      0.20286321423010492}},
    {150,
     2,
     0.3,
     0,
     true,
     {0.9995338863177862, 178.19764466853053, 193.68368080231195, -0.4066666666666667, 1.227318182853206,
      0.09012800958112654}},
};

TEST(Diagnostics, AgreeWithArviZ) {
  for (const Reference& r : kReferences) {
    const auto draws = fixed_draws(r.draws, r.chains, r.phi, r.shift, r.ties);
    const Diagnostics d = diagnose(draws.view());
    const auto close = [&](double value, double truth, const char* what) {
      EXPECT_NEAR(value, truth, 1e-9 * std::max(1.0, std::abs(truth))) << what << ", phi " << r.phi;
    };
    close(d.rhat, r.expected.rhat, "rhat");
    close(d.ess_bulk, r.expected.ess_bulk, "bulk");
    close(d.ess_tail, r.expected.ess_tail, "tail");
    close(d.mean, r.expected.mean, "mean");
    close(d.sd, r.expected.sd, "sd");
    close(d.mcse_mean, r.expected.mcse_mean, "mcse");
  }
}

TEST(Diagnostics, HaveNoValueForConstantOrVeryShortChains) {
  Matrix<double> constant(20, 3);
  std::fill(constant.flat().begin(), constant.flat().end(), 2.5);
  EXPECT_TRUE(std::isnan(diagnose(constant.view()).rhat));
  EXPECT_EQ(diagnose(constant.view()).mean, 2.5);
  EXPECT_TRUE(std::isnan(diagnose(fixed_draws(5, 3, 0, 0, false).view()).ess_bulk));
}

TEST(Diagnostics, OfSeveralDistributionsAreTheWorst) {
  const auto good = fixed_draws(100, 2, 0, 0, false), bad = fixed_draws(100, 2, 0.9, 1, false);
  Draws<double> draws(100, 4, 1);
  for (Index t = 0; t < 100; ++t)
    for (Index c = 0; c < 4; ++c) draws(t, c, 0) = c < 2 ? good(t, c) : bad(t, c - 2);
  const Context job(2);
  const auto result = diagnose(draws, 2, job);
  const Diagnostics a = diagnose(good.view()), b = diagnose(bad.view());
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].rhat, std::max(a.rhat, b.rhat));
  EXPECT_EQ(result[0].ess_bulk, std::min(a.ess_bulk, b.ess_bulk));
  EXPECT_NEAR(result[0].mean, (a.mean + b.mean) / 2, 1e-14);
  EXPECT_NEAR(result[0].mcse_mean, std::hypot(a.mcse_mean, b.mcse_mean) / 2, 1e-14);
}

// scipy.stats.norm.ppf.
TEST(NormalQuantile, AgreesWithSciPy) {
  EXPECT_NEAR(normal_quantile(1e-300), -37.0470962993612, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-14);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-14);
  EXPECT_NEAR(normal_quantile(0.3), -0.5244005127080409, 1e-15);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  for (double p = 0.01; p < 1; p += 0.01)
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)), p, 1e-14);
}

TEST(Verdict, SaysWhatIsGoodAndWhatIsPoor) {
  const Diagnostics good{1.002, 2000, 1800, 0, 1, 0.02};
  EXPECT_EQ(verdict({good, good}, 0, 4).rfind("All diagnostics are good: R-hat at most 1.002", 0), 0U);
  Diagnostics poor = good;
  poor.rhat = 1.2;
  poor.ess_tail = 30;
  const auto text = verdict({good, poor}, 3, 4);
  EXPECT_NE(text.find("R-hat is 1.200 in dimension 1"), std::string::npos);
  EXPECT_NE(text.find("Tail effective sample size is 30 in dimension 1"), std::string::npos);
  EXPECT_NE(text.find("3 moves diverged"), std::string::npos);
  EXPECT_EQ(text.find("Bulk"), std::string::npos);
  poor.rhat = std::nan("");
  EXPECT_NE(verdict({good, poor}, 0, 4).find("Dimension 1 gives no diagnostics"), std::string::npos);
}

}  // namespace
}  // namespace bl::gibbs

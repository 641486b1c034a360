// The sweep as a picture: mean |T| (points with bars of two standard errors) over the exact curve, on
// logarithmic axes, once against the temperature and once against lambda. A cross at the top marks a setting
// with no chain left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/reproduce.hpp"
#include "evidence/svg.hpp"

namespace bl {

namespace {

constexpr double kSweepWidth = 360, kSweepHeight = 260, kSweepLeft = 70, kSweepTop = 50, kSweepGap = 100;
constexpr const char* kSamples = "#D55E00";
constexpr const char* kExactStyle = "stroke=\"#0072B2\" stroke-width=\"2\"";

std::string axes(const svg::LogPanel& p, const std::string& title, const std::string& x_label) {
  std::string out = p.frame() + p.titles(title, x_label);
  for (int e = static_cast<int>(std::ceil(p.x_low)); e <= std::floor(p.x_high); ++e)
    out += p.vertical(p.x(std::pow(10, e)), fmt::format("{:g}", std::pow(10, e)));
  for (int e = static_cast<int>(std::ceil(p.y_low)); e <= std::floor(p.y_high); ++e)
    out += p.horizontal(p.y(std::pow(10, e)), fmt::format("{:g}", std::pow(10, e)));
  return out;
}

std::string cross(double x, double y) {
  return fmt::format("<path d=\"M{:.1f} {:.1f} l10 10 m0 -10 l-10 10\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                     x - 5, y - 5, kSamples);
}

// The decade above everything there is to show, 1 at least.
double highest_decade(const std::vector<ConstraintRow>& rows) {
  double top = 0;
  for (const ConstraintRow& r : rows)
    if (r.sampled && r.mean > 0)
      top = std::max(
          top, std::ceil(std::log10(r.mean + (std::isfinite(r.standard_error) ? 2 * r.standard_error : 0))));
  return top;
}

std::string draw(const svg::LogPanel& p, std::vector<ConstraintRow> rows, double ConstraintRow::*along) {
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return a.*along < b.*along; });
  std::vector<std::pair<double, double>> exact;
  std::string points;
  for (const ConstraintRow& r : rows) {
    if (!r.proper) continue;
    const double x = p.x(r.*along);
    exact.emplace_back(x, p.y(r.exact_mean));
    if (!r.sampled) points += cross(x, p.top + 10);
    if (!r.sampled || !(r.mean > 0)) continue;
    const double error = std::isfinite(r.standard_error) ? 2 * r.standard_error : 0;
    points += svg::line(x, p.y(r.mean + error), x, std::min(p.y(std::max(r.mean - error, 1e-12)), p.bottom()),
                        fmt::format("stroke=\"{}\" stroke-width=\"2\"", kSamples));
    points += svg::dot(x, p.y(r.mean), 4, kSamples);
  }
  return svg::curve(exact, kExactStyle) + points;
}

}  // namespace

std::string constraint_svg(const std::vector<ConstraintRow>& rows) {
  constexpr double kSweptLambda = 25, kSweptTau = 0.05;
  std::vector<ConstraintRow> by_tau, by_lambda;
  for (const ConstraintRow& r : rows) {
    if (r.lambda == kSweptLambda) by_tau.push_back(r);
    if (r.tau == kSweptTau && r.lambda > 0) by_lambda.push_back(r);
  }
  const double top = highest_decade(rows);
  const svg::LogPanel tau{{kSweepLeft, kSweepTop, kSweepWidth, kSweepHeight}, -2.5, 0.5, -2.5, top},
      lambda{{tau.right() + kSweepGap, kSweepTop, kSweepWidth, kSweepHeight}, -0.3, 3, -2.5, top};
  std::string out =
      axes(tau, "mean |T| at lambda = 25", "temperature tau") + draw(tau, by_tau, &ConstraintRow::tau) +
      axes(lambda, "mean |T| at tau = 0.05", "lambda") + draw(lambda, by_lambda, &ConstraintRow::lambda);
  const double legend = tau.bottom() + 70;
  out += svg::line(kSweepLeft, legend - 4, kSweepLeft + 30, legend - 4, kExactStyle) +
         svg::text(kSweepLeft + 36, legend, "start", "exact distribution") +
         svg::dot(kSweepLeft + 135, legend - 4, 4, kSamples) +
         svg::text(kSweepLeft + 146, legend, "start", "samples, with two standard errors");
  if (std::any_of(rows.begin(), rows.end(), [](const ConstraintRow& r) { return r.proper && !r.sampled; }))
    out += cross(kSweepLeft + 390, legend - 4) +
           svg::text(kSweepLeft + 402, legend, "start", "every chain left the finite numbers");
  return svg::page(lambda.right() + 30, tau.bottom() + 90, out);
}

}  // namespace bl

// The sweep as a picture: mean |T| (points with bars of two standard errors) over the exact curve, on
// logarithmic axes, once against the temperature and once against lambda. A cross at the top marks a setting
// with no chain left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/reproduce.hpp"

namespace bl {

namespace {

constexpr double kSweepPanelWidth = 360, kSweepPanelHeight = 260, kSweepLeft = 70, kSweepTop = 50,
                 kSweepGap = 100;
constexpr const char* kBlue = "#0072B2";
constexpr const char* kOrange = "#D55E00";

struct Panel {
  double left;
  double x_low, x_high, y_low, y_high;  // logarithms, base 10

  double x(double value) const {
    return left + (std::log10(value) - x_low) / (x_high - x_low) * kSweepPanelWidth;
  }
  double y(double value) const {
    return kSweepTop + kSweepPanelHeight - (std::log10(value) - y_low) / (y_high - y_low) * kSweepPanelHeight;
  }
};

std::string text(double x, double y, const std::string& anchor, const std::string& content, int size = 12) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
                     anchor, size, content);
}

std::string axes(const Panel& p, const std::string& title, const std::string& x_label) {
  std::string out = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", p.left,
      kSweepTop, kSweepPanelWidth, kSweepPanelHeight);
  for (int e = static_cast<int>(std::ceil(p.x_low)); e <= std::floor(p.x_high); ++e) {
    const double x = p.x(std::pow(10, e));
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#ddd\"/>\n", x,
                       kSweepTop, kSweepTop + kSweepPanelHeight);
    out += text(x, kSweepTop + kSweepPanelHeight + 18, "middle", fmt::format("{:g}", std::pow(10, e)));
  }
  for (int e = static_cast<int>(std::ceil(p.y_low)); e <= std::floor(p.y_high); ++e) {
    const double y = p.y(std::pow(10, e));
    out +=
        fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"#ddd\"/>\n",
                    p.left, y, p.left + kSweepPanelWidth);
    out += text(p.left - 8, y + 4, "end", fmt::format("{:g}", std::pow(10, e)));
  }
  out += text(p.left + kSweepPanelWidth / 2, kSweepTop - 14, "middle", title, 14);
  out += text(p.left + kSweepPanelWidth / 2, kSweepTop + kSweepPanelHeight + 38, "middle", x_label, 13);
  return out;
}

std::string cross(double x, double y) {
  return fmt::format("<path d=\"M{:.1f} {:.1f} l10 10 m0 -10 l-10 10\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                     x - 5, y - 5, kOrange);
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

std::string draw(const Panel& p, std::vector<ConstraintRow> rows, double ConstraintRow::*along) {
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return a.*along < b.*along; });
  std::string curve, points;
  for (const ConstraintRow& r : rows) {
    if (!r.proper) continue;
    curve += fmt::format("{}{:.1f},{:.1f}", curve.empty() ? "" : " ", p.x(r.*along), p.y(r.exact_mean));
    if (!r.sampled) points += cross(p.x(r.*along), kSweepTop + 10);
    if (!r.sampled || !(r.mean > 0)) continue;
    const double y = p.y(r.mean), error = std::isfinite(r.standard_error) ? 2 * r.standard_error : 0;
    const double bottom = std::min(p.y(std::max(r.mean - error, 1e-12)), kSweepTop + kSweepPanelHeight);
    points += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
        "stroke-width=\"2\"/>\n",
        p.x(r.*along), p.y(r.mean + error), bottom, kOrange);
    points +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", p.x(r.*along), y, kOrange);
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", curve,
                     kBlue) +
         points;
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
  const Panel tau{kSweepLeft, -2.5, 0.5, -2.5, top},
      lambda{kSweepLeft + kSweepPanelWidth + kSweepGap, -0.3, 3, -2.5, top};
  const double width = kSweepLeft + 2 * kSweepPanelWidth + kSweepGap + 30,
               height = kSweepTop + kSweepPanelHeight + 90;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  out += axes(tau, "mean |T| at lambda = 25", "temperature tau") + draw(tau, by_tau, &ConstraintRow::tau);
  out += axes(lambda, "mean |T| at tau = 0.05", "lambda") + draw(lambda, by_lambda, &ConstraintRow::lambda);
  const double legend = kSweepTop + kSweepPanelHeight + 70;
  out += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                     kSweepLeft, legend - 4, kSweepLeft + 30, legend - 4, kBlue);
  out += text(kSweepLeft + 36, legend, "start", "exact distribution");
  out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n", kSweepLeft + 135, legend - 4,
                     kOrange);
  out += text(kSweepLeft + 146, legend, "start", "samples, with two standard errors");
  if (std::any_of(rows.begin(), rows.end(), [](const ConstraintRow& r) { return r.proper && !r.sampled; })) {
    out += cross(kSweepLeft + 390, legend - 4);
    out += text(kSweepLeft + 402, legend, "start", "every chain left the finite numbers");
  }
  return out + "</svg>\n";
}

}  // namespace bl

// The evidence as a picture. Left: typical error against rows on logarithmic axes, with the information bound
// 1 / sqrt(rows) behind it. Right: coverage of every parameter's 95% intervals by model, with the band of
// 93-97%.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bl/reproduce.hpp"
#include "evidence/svg.hpp"

namespace bl {

namespace {

constexpr double kGap = 80, kLegend = 270;
constexpr double kLowest = 0.80;  // coverage at the bottom; what is below is drawn there
constexpr svg::Panel kErrors = {70, 50, 360, 300}, kCoverage = {70 + 360 + kGap, 50, 360, 300};
// Color-blind safe (Okabe and Ito): one for each response and score matching.
constexpr std::array<const char*, 4> kColors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7"};
constexpr std::array<const char*, 3> kDashes = {"", "6 3", "2 3"};  // single, shallow, deep

const char* color(const IdentificationModel& model) {
  if (model.objective != "likelihood") return kColors[3];
  if (model.name.ends_with("_class")) return kColors[0];
  return model.name.ends_with("_number") ? kColors[1] : kColors[2];
}

const char* dash(const IdentificationModel& model) {
  if (model.name.starts_with("single")) return kDashes[0];
  return model.name.starts_with("shallow") ? kDashes[1] : kDashes[2];
}

std::string label(const IdentificationModel& model) {
  std::string name = model.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  if (model.objective != "likelihood") name += ", score";
  return std::isfinite(model.slope) ? fmt::format("{}: slope {:.2f}", name, model.slope) : name;
}

// All rows and errors, and the bound at these rows.
svg::LogPanel error_panel(const std::vector<IdentificationModel>& models) {
  svg::LogPanel p{kErrors, 1e9, -1e9, 1e9, -1e9};
  for (const IdentificationModel& model : models)
    for (const RecoveryRound& size : model.sizes) {
      const double x = std::log10(static_cast<double>(size.rows));
      p.x_low = std::min(p.x_low, x - 0.1);
      p.x_high = std::max(p.x_high, x + 0.1);
      p.y_low = std::min({p.y_low, std::log10(size.error) - 0.1, -0.5 * x - 0.1});
      p.y_high = std::max({p.y_high, std::log10(size.error) + 0.1, -0.5 * x + 0.1});
    }
  return p;
}

constexpr const char* kBoundStyle = "stroke=\"#999\" stroke-width=\"4\" stroke-opacity=\"0.5\"";

std::string error_axes(const std::vector<IdentificationModel>& models, const svg::LogPanel& p) {
  std::string out = p.frame() + p.titles("error of the estimates", "rows");
  for (const RecoveryRound& size : models.front().sizes)
    out += p.vertical(p.x(static_cast<double>(size.rows)), fmt::format("{}", size.rows));
  for (int e = static_cast<int>(std::floor(p.y_low)); e <= std::floor(p.y_high); ++e)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10, e);
      if (std::log10(value) < p.y_low || std::log10(value) > p.y_high) continue;
      out += p.horizontal(p.y(value), fmt::format("{:g}", value));
    }
  const double first = std::pow(10, p.x_low), last = std::pow(10, p.x_high);
  return out +
         svg::line(p.x(first), p.y(1 / std::sqrt(first)), p.x(last), p.y(1 / std::sqrt(last)), kBoundStyle);
}

// Of a model's curve and of its line in the legend.
std::string style_of(const IdentificationModel& model) {
  return fmt::format("stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"", color(model), dash(model));
}

std::string error_curve(const IdentificationModel& model, const svg::LogPanel& p) {
  std::vector<std::pair<double, double>> points;
  std::string marks;
  for (const RecoveryRound& size : model.sizes) {
    points.emplace_back(p.x(static_cast<double>(size.rows)), p.y(size.error));
    marks += svg::dot(points.back().first, points.back().second, 3, color(model));
  }
  return svg::curve(points, style_of(model)) + marks;
}

double coverage_y(double share) {
  return kCoverage.top + kCoverage.height * (1 - (std::max(share, kLowest) - kLowest) / (1 - kLowest));
}

std::string coverage_axes() {
  std::string out = fmt::format(
      "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"#0072B2\" fill-opacity=\"0.12\"/>\n",
      kCoverage.left, coverage_y(0.97), kCoverage.width, coverage_y(0.93) - coverage_y(0.97));
  for (const double share : {0.8, 0.85, 0.9, 0.95, 1.0})
    out += kCoverage.horizontal(coverage_y(share), fmt::format("{:.0f}%", 100 * share));
  return out +
         svg::line(kCoverage.left, coverage_y(0.95), kCoverage.right(), coverage_y(0.95), "stroke=\"#444\"") +
         kCoverage.frame();
}

std::string coverage_points(const IdentificationModel& model, double x, double width) {
  std::string out;
  const auto& parameters = model.at_coverage_rows().parameters;
  const double step = 0.7 * width / static_cast<double>(parameters.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (std::isnan(parameters[k].coverage)) continue;
    out += svg::dot(x + 0.15 * width + (static_cast<double>(k) + 0.5) * step,
                    coverage_y(parameters[k].coverage), 3, color(model));
  }
  return out;
}

std::string legend(const std::vector<IdentificationModel>& models) {
  const double x = kCoverage.right() + 20;
  std::string out;
  double y = kCoverage.top + 12;
  for (std::size_t m = 0; m < models.size(); ++m, y += 20)
    out += svg::line(x, y - 4, x + 28, y - 4, style_of(models[m])) +
           svg::text(x + 34, y, "start", fmt::format("{} {}", m + 1, label(models[m])));
  return out + svg::line(x, y - 4, x + 28, y - 4, kBoundStyle) +
         svg::text(x + 34, y, "start", "information bound");
}

}  // namespace

std::string identification_svg(const std::vector<IdentificationModel>& models) {
  std::string out;
  if (!models.empty()) {
    const svg::LogPanel errors = error_panel(models);
    out = error_axes(models, errors) + coverage_axes();
    const double column = kCoverage.width / static_cast<double>(models.size());
    for (std::size_t m = 0; m < models.size(); ++m) {
      const double x = kCoverage.left + static_cast<double>(m) * column;
      out += error_curve(models[m], errors) + coverage_points(models[m], x, column) +
             svg::text(x + column / 2, kCoverage.bottom() + 18, "middle", fmt::format("{}", m + 1));
    }
    out += kCoverage.titles(
               fmt::format("coverage of 95% intervals, {} rows", models.front().at_coverage_rows().rows),
               "model; a point for each parameter") +
           legend(models);
  }
  return svg::page(kCoverage.right() + kLegend, kCoverage.bottom() + 60, out);
}

}  // namespace bl

// The evidence as a picture. Left: typical error against rows on logarithmic axes, with the information bound
// 1 / sqrt(rows) behind it. Right: coverage of every parameter's 95% intervals by model, with the band of
// 93-97%.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bl/reproduce.hpp"

namespace bl {

namespace {

constexpr double kPanelWidth = 360, kPanelHeight = 300, kLeft = 70, kTop = 50, kGap = 80, kLegend = 270;
constexpr double kLowest = 0.80;  // coverage at the bottom; what is below is drawn there
constexpr double kRight = kLeft + kPanelWidth + kGap;
// Color-blind safe (Okabe and Ito): one for each response and score matching.
constexpr std::array<const char*, 4> kColors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7"};
constexpr std::array<const char*, 3> kDashes = {"", "6 3", "2 3"};  // single, shallow, deep

std::string text(double x, double y, const char* anchor, const std::string& content, int size = 12) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
                     anchor, size, content);
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     style);
}

std::string frame(double left) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n",
                     left, kTop, kPanelWidth, kPanelHeight);
}

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

// Logarithms, base 10, of rows and errors.
struct Scale {
  double x_low = 1e9, x_high = -1e9, y_low = 1e9, y_high = -1e9;

  explicit Scale(const std::vector<IdentificationModel>& models) {
    for (const IdentificationModel& model : models)
      for (const RecoveryRound& size : model.sizes) {
        const double x = std::log10(static_cast<double>(size.rows));
        x_low = std::min(x_low, x - 0.1);
        x_high = std::max(x_high, x + 0.1);
        y_low = std::min({y_low, std::log10(size.error) - 0.1, -0.5 * x - 0.1});
        y_high = std::max({y_high, std::log10(size.error) + 0.1, -0.5 * x + 0.1});
      }
  }
  double x(double rows) const { return kLeft + (std::log10(rows) - x_low) / (x_high - x_low) * kPanelWidth; }
  double y(double error) const {
    return kTop + kPanelHeight - (std::log10(error) - y_low) / (y_high - y_low) * kPanelHeight;
  }
};

std::string error_axes(const std::vector<IdentificationModel>& models, const Scale& scale) {
  std::string out = frame(kLeft) +
                    text(kLeft + kPanelWidth / 2, kTop - 14, "middle", "error of the estimates", 14) +
                    text(kLeft + kPanelWidth / 2, kTop + kPanelHeight + 38, "middle", "rows", 13);
  for (const RecoveryRound& size : models.front().sizes) {
    const double x = scale.x(static_cast<double>(size.rows));
    out += line(x, kTop, x, kTop + kPanelHeight, "stroke=\"#ddd\"");
    out += text(x, kTop + kPanelHeight + 18, "middle", fmt::format("{}", size.rows));
  }
  for (int e = static_cast<int>(std::floor(scale.y_low)); e <= std::floor(scale.y_high); ++e)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10, e);
      if (std::log10(value) < scale.y_low || std::log10(value) > scale.y_high) continue;
      out += line(kLeft, scale.y(value), kLeft + kPanelWidth, scale.y(value), "stroke=\"#ddd\"");
      out += text(kLeft - 8, scale.y(value) + 4, "end", fmt::format("{:g}", value));
    }
  const double first = std::pow(10, scale.x_low), last = std::pow(10, scale.x_high);
  return out + line(scale.x(first), scale.y(1 / std::sqrt(first)), scale.x(last),
                    scale.y(1 / std::sqrt(last)),
                    "stroke=\"#999\" stroke-width=\"4\" stroke-opacity=\"0.5\"");
}

std::string error_curve(const IdentificationModel& model, const Scale& scale) {
  std::string points, marks;
  for (const RecoveryRound& size : model.sizes) {
    const double x = scale.x(static_cast<double>(size.rows)), y = scale.y(size.error);
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, color(model));
  }
  return fmt::format(
             "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
             "stroke-dasharray=\"{}\"/>\n",
             points, color(model), dash(model)) +
         marks;
}

double coverage_y(double share) {
  return kTop + kPanelHeight * (1 - (std::max(share, kLowest) - kLowest) / (1 - kLowest));
}

std::string coverage_axes() {
  std::string out = fmt::format(
      "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"#0072B2\" fill-opacity=\"0.12\"/>\n",
      kRight, coverage_y(0.97), kPanelWidth, coverage_y(0.93) - coverage_y(0.97));
  for (const double share : {0.8, 0.85, 0.9, 0.95, 1.0}) {
    out += line(kRight, coverage_y(share), kRight + kPanelWidth, coverage_y(share), "stroke=\"#ddd\"");
    out += text(kRight - 8, coverage_y(share) + 4, "end", fmt::format("{:.0f}%", 100 * share));
  }
  return out + line(kRight, coverage_y(0.95), kRight + kPanelWidth, coverage_y(0.95), "stroke=\"#444\"") +
         frame(kRight);
}

std::string coverage_points(const IdentificationModel& model, double x, double width) {
  std::string out;
  const auto& parameters = model.at_coverage_rows().parameters;
  const double step = 0.7 * width / static_cast<double>(parameters.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (std::isnan(parameters[k].coverage)) continue;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                       x + 0.15 * width + (static_cast<double>(k) + 0.5) * step,
                       coverage_y(parameters[k].coverage), color(model));
  }
  return out;
}

std::string legend(const std::vector<IdentificationModel>& models) {
  const double x = kRight + kPanelWidth + 20;
  std::string out;
  double y = kTop + 12;
  for (std::size_t m = 0; m < models.size(); ++m, y += 20) {
    out += line(x, y - 4, x + 28, y - 4,
                fmt::format("stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"", color(models[m]),
                            dash(models[m])));
    out += text(x + 34, y, "start", fmt::format("{} {}", m + 1, label(models[m])));
  }
  out += line(x, y - 4, x + 28, y - 4, "stroke=\"#999\" stroke-width=\"4\" stroke-opacity=\"0.5\"");
  return out + text(x + 34, y, "start", "information bound");
}

}  // namespace

std::string identification_svg(const std::vector<IdentificationModel>& models) {
  const double width = kRight + kPanelWidth + kLegend, height = kTop + kPanelHeight + 60;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  if (models.empty()) return out + "</svg>\n";
  const Scale scale(models);
  out += error_axes(models, scale) + coverage_axes();
  const double column = kPanelWidth / static_cast<double>(models.size());
  for (std::size_t m = 0; m < models.size(); ++m) {
    const double x = kRight + static_cast<double>(m) * column;
    out += error_curve(models[m], scale) + coverage_points(models[m], x, column);
    out += text(x + column / 2, kTop + kPanelHeight + 18, "middle", fmt::format("{}", m + 1));
  }
  const RecoveryRound& main = models.front().at_coverage_rows();
  out += text(kRight + kPanelWidth / 2, kTop - 14, "middle",
              fmt::format("coverage of 95% intervals, {} rows", main.rows), 14);
  out += text(kRight + kPanelWidth / 2, kTop + kPanelHeight + 38, "middle",
              "model; a point for each parameter", 13);
  return out + legend(models) + "</svg>\n";
}

}  // namespace bl

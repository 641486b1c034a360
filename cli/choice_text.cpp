#include "choice_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bl/inference.hpp"

namespace bl::cli {

using nlohmann::ordered_json;

std::string error_text(double error, const Interval& interval) {
  if (std::isnan(error)) return "";
  const std::string between =
      std::isnan(interval.lower) ? "" : fmt::format(", {:.6f} to {:.6f}", interval.lower, interval.upper);
  return fmt::format(" (s.e. {:.6f}{})", error, between);
}

std::string errors_note(const EconomicsErrors& errors, const std::string& clusters) {
  const std::string by =
      errors.covariance != "cluster" ? errors.covariance : "by " + (clusters.empty() ? "person" : clusters);
  std::string out = fmt::format("errors: delta method, {}", by);
  if (errors.draws > 0)
    out += fmt::format("; {:.4g}% intervals: {} draws (Krinsky-Robb)", 100 * errors.level, errors.draws);
  return out;
}

std::string no_errors_note(const Model& model) {
  return has_inference(model)
             ? "no standard errors: these choices do not determine all parameters (bl summary names "
               "what is missing)"
             : "no standard errors: the model stores none (bl summary says why)";
}

std::string segment_title(const std::string& column, const Segment& segment) {
  const std::string title = fmt::format("{} = {} ({} situations)", column, segment.level, segment.situations);
  return title + "\n" + std::string(title.size(), '=') + "\n";
}

ordered_json interval_json(const Interval& one) {
  return ordered_json::array({one.lower, one.upper});
}

ordered_json intervals_json(const std::vector<Interval>& all) {
  ordered_json out = ordered_json::array();
  for (const Interval& one : all) out.push_back(interval_json(one));
  return out;
}

}  // namespace bl::cli

#include "plan/used_settings.hpp"

#include <fmt/format.h>

#include "base/joined.hpp"

namespace bl {

using nlohmann::json;

namespace {

std::string sign_text(Sign sign) {
  return sign == Sign::free ? "free" : "non_negative";
}

}  // namespace

json used_model_settings(const Settings& s, const Architecture& member, Index members) {
  json out = json::object();
  const bool single = !member.readout.present;
  std::vector<std::string> widths;
  for (const LayerSpec& layer : member.layers) widths.push_back(std::to_string(layer.blocks));
  if (!single && s.layers == "auto") out["layers"] = joined(widths, ",");
  if (!single && s.members == 0) out["members"] = std::to_string(members);
  if (s.form == "auto") out["form"] = member.form == Form::scalar ? "scalar" : "vector";
  const LayerSpec& first = member.layers.front();
  if (s.heads == "auto")
    out["heads"] = fmt::format("{},{},{}", first.heads(HeadKind::utility), first.heads(HeadKind::inequality),
                               first.heads(HeadKind::equality));
  if (s.degree == 0) out["degree"] = std::to_string(member.degree());
  if (s.utility == "auto") out["utility"] = name(member.activation(HeadKind::utility));
  if (s.inequality == "auto") out["inequality"] = name(member.activation(HeadKind::inequality));
  if (s.equality == "auto") out["equality"] = name(member.activation(HeadKind::equality));
  if (!single && s.readout == "auto") out["readout"] = sign_text(member.readout.sign);
  return out;
}

json used_table_settings(const Settings& s, const Encoder& encoder, ObjectiveKind objective, Index knots) {
  json out = json::object();
  std::vector<std::string> curves;
  for (const FeatureEncoding& feature : encoder.features())
    if (feature.bends.size() > 0) curves.push_back(feature.name);
  if (s.curves == "auto") out["curves"] = curves.empty() ? "none" : joined(curves, ",");
  if (!s.knots.given() && !curves.empty()) out["knots"] = std::to_string(knots);
  if (s.objective == "auto")
    out["objective"] = objective == ObjectiveKind::likelihood       ? "likelihood"
                       : objective == ObjectiveKind::score_matching ? "dsm"
                                                                    : "hybrid";
  return out;
}

json used_training_settings(const Settings& s, const TrainSpec& spec, int starts) {
  json out = json::object();
  if (starts > 0) {
    out["starts"] = std::to_string(starts);
    out["optimizer"] = "lbfgs";
    out["precision"] = "float64";
    return out;
  }
  if (s.optimizer == "auto") out["optimizer"] = name(spec.optimizer.kind);
  if (s.epochs == 0) out["epochs"] = std::to_string(spec.epochs);
  if (s.patience == 0) out["patience"] = std::to_string(spec.patience);
  if (spec.optimizer.kind == OptimizerKind::lbfgs) return out;
  if (s.learning_rate == 0) out["learning_rate"] = fmt::format("{}", spec.optimizer.learning_rate);
  if (s.batch_size == 0) out["batch_size"] = std::to_string(spec.batch_size);
  if (s.weight_decay < 0) out["weight_decay"] = fmt::format("{}", spec.optimizer.weight_decay);
  if (s.schedule == "auto") out["schedule"] = name(spec.schedule);
  return out;
}

}  // namespace bl

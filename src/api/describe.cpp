// What a model is, in lines for a person.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "base/wrapped_text.hpp"
#include "bl/choice.hpp"
#include "choice/fit.hpp"
#include "fitted/fitted_model.hpp"
#include "model/parameters.hpp"

namespace bl {

namespace {

using nlohmann::json;

// A line of describe(): label and text under each other.
std::string labelled(const std::string& label, const std::string& text) {
  constexpr std::size_t kWidth = 80, kIndent = 12;
  return wrapped(fmt::format("{:<{}}", label, kIndent), text, kIndent, kWidth);
}

std::string metrics_text(const json& metrics) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : metrics.items())
    if (value.is_number()) parts.push_back(fmt::format("{} {:.4f}", name, value.get<double>()));
  return parts.empty() ? "none" : joined(parts);
}

std::string table_text(const FittedModel& model) {
  const StoredModel& m = model.stored;
  const Architecture& a = m.architecture;
  const ParameterLayout layout(a);
  std::vector<std::string> responses, features, products, layers;
  for (const ResponseEncoding& r : m.encoder.responses())
    responses.push_back(r.is_class() ? fmt::format("{} (classes {})", r.name, joined(r.levels))
                                     : fmt::format("{} (continuous, mean {:.6g}, standard deviation {:.6g})",
                                                   r.number.name(r.name), r.mean, r.scale));
  for (const FeatureEncoding& f : m.encoder.features())
    features.push_back(f.type == ColumnType::continuous ? f.name
                       : f.text
                           ? fmt::format("{} (text, {} terms in {} components)", f.name,
                                         f.text->terms().size(), f.text->components())
                           : fmt::format("{} ({} {} levels{})", f.name, f.levels.size(), to_string(f.type),
                                         f.first_level > 0 ? ", reference " + f.levels[0] : ""));
  for (const ProductEncoding& one : m.encoder.products())
    products.push_back(
        product_name(m.encoder.features()[one.first].name, m.encoder.features()[one.second].name));
  for (const LayerSpec& layer : a.layers)
    layers.push_back(fmt::format("{} blocks of {} U, {} C, {} T", layer.blocks,
                                 layer.heads(HeadKind::utility), layer.heads(HeadKind::inequality),
                                 layer.heads(HeadKind::equality)));
  std::string out;
  out += labelled("response", joined(responses, "; "));
  out += labelled("features", features.empty() ? "none" : joined(features));
  if (!products.empty()) out += labelled("products", joined(products));
  out +=
      labelled("model", fmt::format("{} form, {}, basis of {} terms, {} parameters ({})",
                                    a.form == Form::scalar ? "scalar" : "vector",
                                    a.readout.present ? joined(layers, "; ") : "single block, " + layers[0],
                                    layer_input_size(a, 0), layout.free_count(),
                                    m.single_precision ? "float32" : "float64"));
  out += labelled("activations",
                  fmt::format("U {}, C {}, T {}; temperature {}", name(a.activations[0]),
                              name(a.activations[1]), name(a.activations[2]), format_number(m.temperature)));
  for (std::size_t k = 0; k < model.space.continuous_responses.size(); ++k) {
    const ResponseEncoding& r = m.encoder.responses()[model.space.continuous_responses[k]];
    out += labelled("support", fmt::format("{} from {:.6g} to {:.6g}", r.name, r.decode(m.support().lower[k]),
                                           r.decode(m.support().upper[k])));
  }
  return out;
}

std::string choice_text(const StoredModel& m) {
  const ChoiceResponse& choice = *m.choice();
  const ChoiceSchema& schema = choice.schema;
  const std::vector<std::string> declared(
      schema.attributes.begin(), schema.attributes.begin() + static_cast<std::ptrdiff_t>(schema.declared));
  std::string out =
      labelled("choice", "among " + joined(choice.alternatives)) + labelled("attributes", joined(declared));
  for (const ChoiceTerm& term : schema.terms)
    out += labelled("term", term.name + " = " + term.expression.text());
  if (!schema.rivals.empty())
    out += labelled("rivals",
                    joined(choice.declaration.rivals) + " of the other alternatives; no random utility");
  for (const auto& [sign, what] : {std::pair(-1, "raise utility"), std::pair(1, "lower utility")}) {
    std::vector<std::string> kept;
    for (std::size_t k = 0; k < schema.signs.size(); ++k)
      if (schema.signs[k] == sign) kept.push_back(schema.attributes[k]);
    if (!kept.empty()) out += labelled("signs", fmt::format("{} never {}", joined(kept), what));
  }
  if (!schema.linear && !schema.beyond_logit())
    out += labelled("context", fmt::format("{} columns, encoded as {}", schema.context.size(),
                                           m.encoder.columns().size()));
  return out + labelled("model", choice_words(m));
}

// How it was learned, and from what.
std::string fit_text(const StoredModel& m) {
  const auto text = [&](const char* part, const char* field) {
    const json& group = m.information.value(part, json::object());
    const auto found = group.find(field);
    return found == group.end() ? std::string("unknown")
           : found->is_string() ? found->get<std::string>()
                                : found->dump();
  };
  std::string out;
  const std::string best = text("training", "best_epoch");
  out += labelled("training", fmt::format("{} epochs{}; {}", text("training", "epochs"),
                                          best == "unknown" || best == "0" ? "" : ", best " + best,
                                          text("training", "stop_cause")));
  const json& metrics = m.information.value("metrics", json::object());
  for (const char* part : {"validation", "test"})
    if (metrics.contains(part)) out += labelled(part, metrics_text(metrics[part]));
  out += labelled("data", fmt::format("{} rows, digest {}; seed {}", text("data", "rows"),
                                      text("data", "digest"), text("settings", "seed")));
  return out;
}

}  // namespace

std::string Model::describe() const {
  if (!is_choice()) return table_text(*impl_) + fit_text(impl_->stored);
  const std::string out = choice_text(impl_->stored) + fit_text(impl_->stored);
  const ChoiceSchema& schema = impl_->choice().schema;
  return schema.linear || schema.beyond_logit() ? out + "\n" + coefficients_text(*this) : out;
}

}  // namespace bl

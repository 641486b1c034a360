#include "plan/unused_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "plan/plan.hpp"

namespace bl {

namespace {

// What a setting needs.
struct Need {
  bool (*met)(const Settings&, const FitUse&);
  const char* words;  // "it is for ..."
};

bool stochastic(const Settings&, const FitUse& use) {
  return !use.to_minimum && use.optimizer != OptimizerKind::lbfgs;
}

constexpr Need kSgd = {
    [](const Settings&, const FitUse& use) { return !use.to_minimum && use.optimizer == OptimizerKind::sgd; },
    "`optimizer` = sgd"};
constexpr Need kLbfgs = {[](const Settings&, const FitUse& use) {
                           return !use.to_minimum && use.optimizer == OptimizerKind::lbfgs;
                         },
                         "`optimizer` = lbfgs without `starts`"};
constexpr Need kStochastic = {stochastic, "the optimizers adam, adamw and sgd"};
constexpr Need kTrainer = {[](const Settings&, const FitUse& use) { return !use.to_minimum; },
                           "fits other than those to the minimum from several starts"};
constexpr Need kNoise = {
    [](const Settings&, const FitUse& use) { return use.objective != ObjectiveKind::likelihood; },
    "score matching (`objective` = dsm or hybrid)"};
constexpr Need kMovingNoise = {[](const Settings& s, const FitUse& use) {
                                 return use.objective != ObjectiveKind::likelihood && stochastic(s, use);
                               },
                               "score matching by adam, adamw or sgd"};
constexpr Need kHybrid = {
    [](const Settings&, const FitUse& use) { return use.objective == ObjectiveKind::hybrid; },
    "`objective` = hybrid, of a class and a continuous response together"};
constexpr Need kQuadrature = {[](const Settings&, const FitUse& use) {
                                return use.continuous && use.objective == ObjectiveKind::likelihood;
                              },
                              "the likelihood of a continuous response"};
constexpr Need kContinuous = {[](const Settings&, const FitUse& use) { return use.continuous; },
                              "a continuous response"};
constexpr Need kOneNumber = {[](const Settings&, const FitUse& use) { return use.single_continuous; },
                             "one number as the response of a table"};
constexpr Need kLayers = {[](const Settings& s, const FitUse&) { return !s.single; },
                          "layers, and a single block has none"};

constexpr Need kCurves = {[](const Settings&, const FitUse& use) { return use.curves; },
                          "columns that enter as curves"};
constexpr Need kLearnedCurves = {
    [](const Settings& s, const FitUse& use) { return use.table && use.curves && stochastic(s, use); },
    "curves of a table learned by adam, adamw or sgd"};

constexpr Need kText = {[](const Settings&, const FitUse& use) { return use.text; },
                        "columns of running text"};
constexpr Need kClasses = {[](const Settings&, const FitUse& use) { return use.table && !use.continuous; },
                           "classes as the response of a table"};
constexpr Need kTable = {[](const Settings&, const FitUse& use) { return use.table && !use.to_minimum; },
                         "tables, and fits other than those to the minimum from several starts"};
constexpr Need kMonitor = {[](const Settings& s, const FitUse& use) {
                             return use.table && !use.to_minimum &&
                                    (s.monitor != "accuracy" || !use.continuous);
                           },
                           "tables (accuracy: of classes), and fits other than those to the minimum"};
constexpr Need kCut = {[](const Settings&, const FitUse& use) { return !use.parts; },
                       "parts that the fit cuts, and here every row has its part"};
// Networks that learn one number leave out folds of the training rows, which are cut in the same way.
constexpr Need kSplit = {
    [](const Settings&, const FitUse& use) { return !use.parts || use.single_continuous; }, kCut.words};

// Every setting that not every network uses. `nothing` is a value that asks for nothing, and harms nowhere.
struct Rule {
  const char* setting;
  Need need;
  const char* nothing = "";
};
constexpr std::array<Rule, 35> kRules = {{{"split", kSplit},
                                          {"fractions", kCut},
                                          {"text_ngrams", kText},
                                          {"text_vocabulary", kText},
                                          {"text_components", kText},
                                          {"label_smoothing", kClasses, "0"},
                                          {"shifts", kClasses, "none"},
                                          {"refit", kTable, "none"},
                                          {"monitor", kMonitor},
                                          {"skip", kLayers},
                                          {"knots", kCurves},
                                          {"curve_ends", kCurves},
                                          {"smoothness", kLearnedCurves},
                                          {"readout", kLayers},
                                          {"readout_bias", kLayers},
                                          {"sigma", kNoise},
                                          {"sigma_final", kMovingNoise},
                                          {"draws", kNoise},
                                          {"gamma_d", kHybrid},
                                          {"gamma_c", kHybrid},
                                          {"panels", kQuadrature},
                                          {"support", kContinuous},
                                          {"response_transform", kOneNumber},
                                          {"point_masses", kOneNumber},
                                          {"learning_rate", kStochastic},
                                          {"batch_size", kStochastic},
                                          {"weight_decay", kStochastic, "0"},
                                          {"momentum", kSgd},
                                          {"clip_norm", kStochastic, "0"},
                                          {"schedule", kStochastic, "constant"},
                                          {"average", kStochastic, "0"},
                                          {"precision", kTrainer, "float64"},
                                          {"patience", kTrainer},
                                          {"gradient_tolerance", kLbfgs},
                                          {"time_limit", kTrainer}}};

// Those that say how columns are encoded, which a model to go on from has settled.
constexpr std::array<std::string_view, 13> kEncoding = {
    "target",      "weight",     "missing",     "unseen",          "outliers",        "curves",
    "knots",       "curve_ends", "text_ngrams", "text_vocabulary", "text_components", "response_transform",
    "point_masses"};

// A linear utility has the likelihood's one maximum, by lbfgs in float64, and reads attributes as they are:
// only these count, and these values say what is done anyway. What columns mean is refused elsewhere
// (choice/fit.cpp) unless it is empty.
bool counts_in_linear(const Settings& settings, const FitUse& use, const SettingInfo& info,
                      const std::string& value) {
  static constexpr std::array<std::string_view, 9> used = {"delimiter", "out_of_core", "decimal_comma",
                                                           "na",        "labels",      "fractions",
                                                           "epochs",    "threads",     "device"};
  static constexpr std::array<std::array<std::string_view, 2>, 11> said = {{{"missing", "error"},
                                                                            {"unseen", "missing"},
                                                                            {"outliers", "auto"},
                                                                            {"outliers", "plain"},
                                                                            {"refit", "none"},
                                                                            {"class_weight", "none"},
                                                                            {"objective", "auto"},
                                                                            {"objective", "likelihood"},
                                                                            {"optimizer", "auto"},
                                                                            {"optimizer", "lbfgs"},
                                                                            {"precision", "float64"}}};
  if (info.group == "Data" && value.empty()) return true;
  if (info.name == "split") return settings.fractions.given();
  if (info.name == "seed") return settings.fractions.given() || use.seeded;
  return std::find(used.begin(), used.end(), info.name) != used.end() ||
         std::any_of(said.begin(), said.end(),
                     [&](const auto& one) { return one[0] == info.name && one[1] == value; });
}

std::string fit_words(const FitUse& use) {
  const std::string objective = use.objective == ObjectiveKind::likelihood       ? "likelihood"
                                : use.objective == ObjectiveKind::score_matching ? "dsm"
                                                                                 : "hybrid";
  return fmt::format("objective {}, {}{}", objective,
                     use.to_minimum ? "to the minimum from several starts"
                                    : fmt::format("optimizer {}", name(use.optimizer)),
                     use.continuous ? "" : ", no continuous response");
}

// "`momentum` = '0.5'".
std::string given_words(const SettingInfo& info, const std::string& value) {
  return fmt::format("`{}` = {}", info.name, in_quotes(value));
}

}  // namespace

FitUse fit_use(const Settings& settings, const ResponseSpace& space, Index train_rows, int starts,
               const Encoder& encoder) {
  const bool curves = has_bends(encoder);
  const auto values = static_cast<std::size_t>(space.values());
  Settings coarse = settings;  // only the kind is asked for
  if (space.values() <= kMostRuleDimensions) coarse.panels = 1;
  return {.to_minimum = starts > 0,
          .optimizer = plan_training(settings, train_rows, space.single_continuous(), curves).optimizer.kind,
          .objective =
              plan_objective(coarse, space, {std::vector<double>(values, 0), std::vector<double>(values, 1)})
                  .kind,
          .continuous = values > 0,
          .single_continuous = space.single_continuous(),
          .curves = curves,
          .text = !encoder.text_features().empty(),
          .table = true};
}

std::vector<std::string> unused_settings(const Settings& settings, const FitUse& use) {
  std::vector<std::string> unused;
  for (const SettingInfo& info : setting_list()) {
    if (!is_given(settings, info.name)) continue;
    const std::string value = get(settings, info.name);
    if (use.linear && !counts_in_linear(settings, use, info, value))
      unused.push_back(fmt::format(
          "{} has no effect on a linear utility, which is fitted to its one maximum; leave it out, or make "
          "the utility a network (`context`, or form = \"network\" in the choice schema)",
          given_words(info, value)));
    if (use.start && value != get(*use.start, info.name) &&
        std::find(kEncoding.begin(), kEncoding.end(), info.name) != kEncoding.end())
      unused.push_back(fmt::format(
          "{} has no effect on a fit that goes on from a model: its columns stay encoded with {}; leave it "
          "out, or fit afresh",
          given_words(info, value), given_words(info, get(*use.start, info.name))));
    for (const Rule& rule : kRules)
      if (!use.linear && rule.setting == info.name && value != rule.nothing && !rule.need.met(settings, use))
        unused.push_back(fmt::format("{} has no effect here: it is for {}, and this fit has {}; leave it out",
                                     given_words(info, value), rule.need.words, fit_words(use)));
  }
  return unused;
}

std::vector<std::string> refused_or_listed(std::vector<std::string> unused, bool list) {
  if (!list && !unused.empty()) throw UsageError(unused.front());
  return unused;
}

}  // namespace bl

#include "economics/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "choice/fit.hpp"
#include "fitted/fitted_model.hpp"
#include "model/join.hpp"

namespace bl {

namespace {

constexpr double kMixed = 0.05, kPleasing = 0.01, kApart = 0.5, kSpread = 1;

Index member_count(const StoredModel& stored) {
  if (stored.choice()->schema.linear || !stored.architecture.readout.present) return 1;
  const nlohmann::json count = stored.information.value("members", nlohmann::json());
  const Index members =
      count.is_number_integer() ? count.get<Index>() : joined_members(stored.architecture, stored.parameters);
  const bool fits =
      members > 0 && std::all_of(stored.architecture.layers.begin(), stored.architecture.layers.end(),
                                 [&](const LayerSpec& layer) { return layer.blocks % members == 0; });
  return fits ? members : 1;
}

}  // namespace

std::vector<Model> members_of(const Model& model) {
  const StoredModel& stored = model.impl().stored;
  const Index count = member_count(stored);
  std::vector<Model> out;
  if (count < 2) return out;
  StoredModel one = stored;
  one.inference.reset();
  one.architecture = member_architecture(stored.architecture, count);
  for (std::vector<double>& parameters : split_parameters(one.architecture, count, stored.parameters)) {
    one.parameters = std::move(parameters);
    out.push_back(model_of(one));
  }
  return out;
}

void warn_of_signs(const std::string& what, const SignShares& shares, Sentences& out) {
  if (shares.below >= kMixed && shares.above >= kMixed)
    out.push_back(fmt::format("{} has both signs: below zero in {:.1f}% of cases, above in {:.1f}%", what,
                              100 * shares.below, 100 * shares.above));
}

void warn_of_pleasing_cost(const std::string& money, const SignShares& shares, Sentences& out) {
  if (shares.above > kPleasing)
    out.push_back(
        fmt::format("{} raises the utility in {:.1f}% of cases, and a value in units of it means nothing "
                    "there; give it the "
                    "sign 'negative'",
                    money, 100 * shares.above));
}

void warn_of_members(const std::string& what, double value, const std::vector<double>& members,
                     Sentences& out) {
  if (members.empty()) return;
  const auto [low, high] = std::minmax_element(members.begin(), members.end());
  const bool known = std::all_of(members.begin(), members.end(), [](double m) { return std::isfinite(m); });
  if (known && *high - *low <= kApart * std::abs(value) && *low * *high >= 0) return;
  out.push_back(fmt::format("{} depends on where training began: the {} members say from {:.4g} to {:.4g}",
                            what, members.size(), *low, *high));
}

void warn_of_quartiles(const std::string& what, double value, double lower, double upper, Sentences& out) {
  if (upper - lower > kSpread * std::abs(value))
    out.push_back(
        fmt::format("{} differs between situations by more than its own size: quartiles {:.4g} and {:.4g}",
                    what, lower, upper));
}

void advise(const Model& model, std::size_t members, Sentences& out) {
  const FittedModel& m = model.impl();
  const ChoiceSchema& schema = m.choice().schema;
  if (schema.linear) return;
  if (!out.empty() && !schema.smooth)
    out.emplace_back(
        "a smaller and smoother network gives steadier numbers: form 'smooth', with a sign for every cost");
  if (members == 0 && !m.stored.inference)
    out.emplace_back(
        "this is one network: nothing shows how much its numbers depend on where training began; fit several "
        "`members`");
  if (!schema.rivals.empty()) out.emplace_back(kRivalWords);
}

}  // namespace bl

#include "choice/beyond_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/joined.hpp"
#include "fitted/choice_utility.hpp"

namespace bl {

namespace {

std::string mixed_text(const ChoiceSchema& schema, const std::vector<std::string>& names,
                       const std::vector<double>& values, std::size_t terms) {
  static constexpr const char* kWords[] = {"normal", "log-normal", "triangular", "uniform"};
  std::string out = schema.linear ? "\nCoefficients above are means; these differ between persons:\n"
                                  : "\nThe block above is at the means of what differs between persons:\n";
  for (const RandomCoefficients::One& one : schema.random->coefficients)
    out += fmt::format("  {}: {}\n", one.name, kWords[static_cast<std::size_t>(one.mixing)]);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (k >= terms || names[k].starts_with("mean(log"))
      out += fmt::format("  {} = {:.4g}\n", names[k], values[k]);
  return out;
}

std::string nested_text(const ChoiceSchema& schema, const std::vector<std::string>& names,
                        const std::vector<double>& values, std::size_t terms) {
  std::string out = "\nAlternatives of a nest are closer substitutes; 1 is the logit:\n";
  for (std::size_t k = terms; k < names.size(); ++k) {
    const bool nest = k - terms < schema.nests.size();
    out += fmt::format("  {} = {:.4g}{}\n", names[k], values[k],
                       nest ? " of " + joined(schema.nests[k - terms].alternatives) : "");
  }
  return out;
}

std::string latent_text(const ChoiceSchema& schema, const std::vector<std::string>& names,
                        const std::vector<double>& values) {
  std::string out = schema.linear ? "\nCoefficients above are means over the classes; those of each class:\n"
                                  : "\nThe block above is that of class 1; the parameters of all classes:\n";
  for (std::size_t k = 0; k < names.size(); ++k) out += fmt::format("  {} = {:.4g}\n", names[k], values[k]);
  return schema.latent->membership.empty() || !schema.linear
             ? out
             : out + "The means are for persons whose membership columns are 0.\n";
}

std::string scale_text(const ChoiceSchema& schema, const std::vector<double>& values, std::size_t terms) {
  std::string out = fmt::format("\nThese are utilities where {} is {}; they are multiplied where it is\n",
                                schema.scale->column, schema.scale->levels[0]);
  const std::size_t others = schema.scale->levels.size() - 1,
                    classes = schema.latent ? static_cast<std::size_t>(schema.latent->classes) : 1;
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t s = 0; s < others; ++s)
      out += fmt::format("  {}: by {:.4g}{}\n", schema.scale->levels[s + 1],
                         std::exp(values[c * (terms + others) + terms + s]),
                         schema.latent ? fmt::format(" (class {})", c + 1) : "");
  return out;
}

}  // namespace

std::string beyond_text(const FittedModel& model) {
  const ChoiceResponse& choice = model.choice();
  const ChoiceSchema& schema = choice.schema;
  const std::vector<UtilityParameter> utility = utility_parameters(model.stored);
  const std::vector<std::string> names = beyond_names(schema, utility);
  const std::size_t scales = schema.scale ? schema.scale->levels.size() - 1 : 0, terms = utility.size();
  std::string out;
  if (schema.random) out += mixed_text(schema, names, choice.beyond, terms + scales);
  if (schema.latent) out += latent_text(schema, names, choice.beyond);
  if (!schema.nests.empty()) out += nested_text(schema, names, choice.beyond, terms + scales);
  if (schema.scale) out += scale_text(schema, choice.beyond, terms);
  return out;
}

}  // namespace bl

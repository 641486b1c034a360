// What a person's choices say about the person.
#include <fmt/format.h>

#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "choice/reading.hpp"
#include "random_utility/latent_classes.hpp"

namespace bl {

OutputTable posterior_means(const Model& model, const Data& data, std::size_t threads) {
  const FittedModel& m = model.impl();
  const ChoiceSchema& schema = m.choice().schema;
  if (!schema.random && !schema.latent)
    throw UsageError("only random coefficients and latent classes differ between persons");
  const Table& table = data.impl().table;
  const ChoiceData choices = read_part(m, table, Part::all, true);
  const BeyondModel beyond = make_beyond(m.stored, choices);
  OutputTable out;
  out.rows = static_cast<std::size_t>(beyond.sets->person_count());
  out.columns.push_back({schema.person.empty() ? "situation" : schema.person, {}, {}});
  for (std::size_t p = 0; p < out.rows; ++p) {
    const auto first =
        static_cast<std::size_t>(beyond.order[static_cast<std::size_t>(beyond.sets->persons[p])]);
    out.columns[0].texts.push_back(schema.person.empty() ? choices.labels[first]
                                                         : person_name(table, schema, choices.rows[first]));
  }
  const Context job(threads);
  const auto add = [&](const std::string& name, const Matrix<double>& from, Index k) {
    out.columns.push_back({name, {}, {}});
    for (Index p = 0; p < from.rows(); ++p) out.columns.back().numbers.push_back(from(p, k));
  };
  if (schema.latent) {
    const auto& classes = dynamic_cast<const random_utility::LatentClassLogit&>(*beyond.model);
    const Matrix<double> posterior = classes.posterior(m.choice().beyond);
    for (Index c = 0; c < posterior.cols(); ++c) add(fmt::format("p(class {})", c + 1), posterior, c);
    return out;
  }
  const auto& mixed = dynamic_cast<const random_utility::MixedLogit&>(*beyond.model);
  const random_utility::Posterior posterior = mixed.posterior(m.choice().beyond, job);
  for (std::size_t k = 0; k < schema.random->coefficients.size(); ++k) {
    add("mean(" + schema.random->coefficients[k].name + ")", posterior.mean, static_cast<Index>(k));
    add("sd(" + schema.random->coefficients[k].name + ")", posterior.standard_deviation,
        static_cast<Index>(k));
  }
  return out;
}

}  // namespace bl

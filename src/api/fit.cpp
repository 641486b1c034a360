#include "bl/fit.hpp"

#include "bl/ranks.hpp"
#include "choice/fit.hpp"
#include "fit/table_fit.hpp"

namespace bl {

FitSummary fit(const Data& data, const Settings& settings, const FitOptions& options) {
  return fit_table(data.impl().table, settings, options, fit_context(settings, options));
}

FitSummary fit(const Data& data, const ChoiceDeclaration& declaration, const Settings& settings,
               const FitOptions& options) {
  FitSummary summary = fit_choices(data.impl().table, declaration, settings, options);
  if (current_ranks()) summary.notes.emplace_back("every rank holds all rows: choices are not shared");
  return summary;
}

}  // namespace bl

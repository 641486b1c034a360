// The economics of a model of a table with delta-method errors.
#include <algorithm>

#include "bl/explain.hpp"
#include "bl/inference.hpp"
#include "fitted/fitted_model.hpp"
#include "summary/inference_watch.hpp"

namespace bl {

OutputTable economics_with_errors(const Model& model, const Data& data, const std::string& numeraire,
                                  const InferenceOptions& options) {
  of_table(model, "economics of columns");
  const EconomicsOptions wanted{.numeraire = numeraire};
  const OutputTable table = economics(model, data, wanted);
  InferenceWatch watch(options);
  const inference::OnStep on_step = watch.on_step();
  // Of the estimate itself, and on both sides of it in every parameter.
  const Index evaluations =
      has_inference(model) ? 1 + 2 * static_cast<Index>(model.impl().stored.inference->positions.size()) : 0;
  Index done = 0;
  const auto numbers = [&](const Model& moved) {
    std::vector<double> out;
    for (const OutputColumn& column : economics(moved, data, wanted).columns)
      if (column.texts.empty()) out.insert(out.end(), column.numbers.begin(), column.numbers.end());
    on_step("derivatives of economics", ++done, evaluations);
    return out;
  };
  const std::vector<Quantity> quantities = delta_method(model, numbers, options.covariance);
  OutputTable out{.rows = table.rows, .columns = {}};
  std::size_t at = 0;
  for (const OutputColumn& column : table.columns) {
    out.columns.push_back(column);
    if (!column.texts.empty()) continue;
    OutputColumn errors{column.name + " s.e.", {}, {}};
    for (std::size_t i = 0; i < column.numbers.size(); ++i)
      errors.numbers.push_back(quantities[at++].standard_error);
    // What does not depend on the parameters (a column's mean) has no error to show.
    const bool exact =
        std::all_of(errors.numbers.begin(), errors.numbers.end(), [](double e) { return e == 0; });
    if (!exact) out.columns.push_back(std::move(errors));
  }
  return out;
}

}  // namespace bl

// The economics of a model of a table with delta-method errors.
#include <algorithm>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/inference.hpp"
#include "economics/delta.hpp"
#include "economics/effects.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

namespace {

std::vector<double> numbers_of(const OutputTable& table) {
  std::vector<double> out;
  for (const OutputColumn& column : table.columns)
    if (column.texts.empty()) out.insert(out.end(), column.numbers.begin(), column.numbers.end());
  return out;
}

}  // namespace

OutputTable economics_with_errors(const Model& model, const Data& data, const std::string& numeraire,
                                  const InferenceOptions& options, const std::vector<double>& covariance) {
  of_table(model, "economics of columns");
  if (!options.cluster.empty() && covariance.empty())
    throw UsageError("errors by clusters are those of an inference from rows; give its covariance");
  const Eigen::MatrixXd v = covariance_for(model, options.covariance, covariance);
  const EconomicsOptions wanted{.numeraire = numeraire};
  const Context job(options.threads,
                    {.should_stop = options.should_stop, .on_progress = options.on_progress});
  const EconomicsRows rows = economics_rows(model.impl(), data.impl().table, wanted);
  const OutputTable table = economics_at(model.impl(), rows, wanted, job);
  const std::size_t count = numbers_of(table).size();
  Index done = 0;  // on both sides of the estimate in every parameter
  const std::vector<double> found = delta_errors(model, v, count, [&](const Model& moved) {
    std::vector<double> out = numbers_of(economics_at(moved.impl(), rows, wanted, job));
    job.tell("derivatives of economics", ++done, 2 * v.rows());
    job.require_going();
    return out;
  });
  OutputTable out{.rows = table.rows, .columns = {}};
  std::size_t at = 0;
  for (const OutputColumn& column : table.columns) {
    out.columns.push_back(column);
    if (!column.texts.empty()) continue;
    OutputColumn errors{column.name + " s.e.", {}, {}};
    for (std::size_t i = 0; i < column.numbers.size(); ++i) errors.numbers.push_back(found[at++]);
    // What does not depend on the parameters (a column's mean) has no error to show.
    const bool exact =
        std::all_of(errors.numbers.begin(), errors.numbers.end(), [](double e) { return e == 0; });
    if (!exact) out.columns.push_back(std::move(errors));
  }
  return out;
}

}  // namespace bl

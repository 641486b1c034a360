// Rows of a table as the problem sees them: their responses, and the distribution of the response as points
// with weights, so that any mean under the distribution is a sum.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "explain/best_response.hpp"
#include "explain/problem.hpp"
#include "features/encoder.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// Numbers and places of levels have derivatives; indicators have none.
bool has_derivative(const explain::Variable& variable);

// True where the table has every response column.
bool has_responses(const FittedModel& model, const Table& table);
// The responses of encoded rows.
std::vector<explain::Response> observed_responses(const FittedModel& model, const Encoded<double>& encoded);

// Which utility a response has, and its parts; problem in either unit.
struct Solution {
  std::size_t output = 0;
  explain::Evaluation evaluation;
  double utility() const { return evaluation.outputs[output]; }
};
Solution solution(const explain::Problem& problem, const double* features, const explain::Response& response);

struct WeightedResponse {
  explain::Response response;
  double weight = 0;  // they sum to 1
};

// The distribution of the response given each row of context: classes exactly, one continuous response by the
// nodes of its quadrature (with point masses apart from the rest), several by draws (so many that means have
// an error of a twentieth of a standard deviation).
std::vector<std::vector<WeightedResponse>> row_distributions(const Model::Impl& model,
                                                             const Matrix<double>& context,
                                                             const Context& job);

}  // namespace bl

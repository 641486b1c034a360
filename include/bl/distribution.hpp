// What a model says about responses that are given: their utility, and how likely they are.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

struct DistributionOptions {
  double temperature = 0;  // another than the trained one; 0: the trained one
  bool treat_unseen_as_missing = false;
  std::size_t threads = 0;
  std::function<void(const std::string&)> on_note = {};  // as of PredictOptions
};

// log p(y|x) of the response in each row, in the data's own units: of a class, of one or two continuous
// responses, or of a class and up to two. Minus infinity outside the support. UsageError for more continuous
// responses, whose distribution is known up to a constant only. Weights are not needed.
std::vector<double> log_density(const Model& model, const Data& data,
                                const DistributionOptions& options = {});

// BL(x, y) of the response in each row.
std::vector<double> utility(const Model& model, const Data& data, const DistributionOptions& options = {});

}  // namespace bl

// Nodes for an integral over one number of exp(BL/tau), where BL is piecewise linear in it: docs/model.md,
// "Objectives". Gauss-Legendre between the kinks, where the integrand is smooth; other engines have a closed
// form.
#pragma once

#include <vector>

#include "engine/reference/utility.hpp"

namespace bl::reference {

struct IntervalNode {
  double place, log_weight;
};

// Of the number at z[v], over [lower, upper]. UsageError where BL is not piecewise linear in it.
std::vector<IntervalNode> interval_nodes(const Utility& utility, const Architecture& architecture,
                                         std::vector<double> z, std::size_t v, double lower, double upper,
                                         double temperature);

}  // namespace bl::reference

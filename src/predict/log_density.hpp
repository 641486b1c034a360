// log_density (bl/distribution.hpp) of some of a table's rows.
#pragma once

#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/matrix.hpp"
#include "bl/distribution.hpp"
#include "data/table.hpp"

namespace bl {

// One for each of these rows, whose responses must not be missing.
std::vector<double> log_density(const Model& model, const Table& table, std::span<const Index> rows,
                                const DistributionOptions& options, const Context& job);

}  // namespace bl

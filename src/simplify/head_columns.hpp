// Which features each head of the first layer reads, where it may read only a few.
#pragma once

#include <vector>

#include "artifact/model_file.hpp"
#include "model/monotone.hpp"

namespace bl {

// Bounds that hold at zero the weights of all but the `most` features that move a head most: by the
// standard deviation, over these encoded rows, of what a feature adds to the head. Empty where no head reads
// more. Terms of the response alone stay free; a product of features counts for the first of them.
std::vector<Bound> head_bounds(const StoredModel& model, const Matrix<double>& rows, std::size_t most);

}  // namespace bl

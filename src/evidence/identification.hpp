// The evidence for identification: rows from known models, fitted again many times, side by side. The numbers
// are the same for any number of threads.
#pragma once

#include "bl/reproduce.hpp"

namespace bl {

// Other sizes have as many as come to as many rows in all, at least a fifth of the replications and
// at most all of them.
std::size_t replications_at(const IdentificationOptions& spec, std::size_t rows);

}  // namespace bl

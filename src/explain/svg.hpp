// The graph of one block as an SVG picture.
#pragma once

#include <string>

#include "explain/render.hpp"

namespace bl::explain {

// In the paper's manner: around each head a node per variable, an edge for a linear term, an edge onto that
// edge for an interaction, a loop for a power; width by size, color by sign; terms that options hide are
// counted in the caption. Without options.block the problem must have one block; UsageError otherwise.
std::string render_svg(const Problem& problem, const RenderOptions& options);

}  // namespace bl::explain

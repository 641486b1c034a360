// Pictures of the problem as SVG.
#pragma once

#include <string>

#include "explain/render.hpp"

namespace bl::explain {

// With options.block, or where there is only one: the block. Otherwise the network.
std::string render_svg(const Problem& problem, const RenderOptions& options);

// One block in the paper's manner: around each head a node per variable, an arrow for a linear term, an arrow
// onto another variable's arrow for an interaction, one back onto its own for a power; width by size, color
// by sign. Every head has the same ring, on which levels of one column stand together; of many variables only
// those with a shown term. Under each head its formula and how many terms are hidden; at the foot the curves.
std::string block_svg(const Problem& problem, const Block& block, const RenderOptions& options);

// From the data at the foot to the utility at the top: columns, then the blocks of each layer with their
// profiles, joined by what they read; the strongest way is drawn in full. Of a wide layer the most
// influential blocks.
std::string network_svg(const Problem& problem);

}  // namespace bl::explain

// Heads of the first layer as images, where rows are images: what U wants to see, what C forbids, what T
// balances.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "explain/problem.hpp"

namespace bl::explain {

// Where rows are images whose pixels stand in the heads as they are.
std::optional<ImageShape> image_of(const StoredModel& model);

// The weights of one head by pixel, row by row of the image, in standardised units; pixels that were constant
// in training have 0. `block` counts from 0; heads of a kind are added.
std::vector<double> head_image(const StoredModel& model, const ImageShape& shape, HeadKind kind, Index block);

struct ImageBlock {
  Index block = 0;
  double influence = 0;
};
// The most influential blocks of the first layer, or the one asked for; none where that is of another layer.
std::vector<ImageBlock> image_blocks(const Problem& standardised, const std::string& asked);

// Three images for each of these blocks of the first layer, "L1.B7", with its influence where it is given;
// blue raises the head, red lowers it, the strongest pixel of each in full color.
std::string image_svg(const StoredModel& model, const ImageShape& shape,
                      const std::vector<ImageBlock>& blocks);

}  // namespace bl::explain

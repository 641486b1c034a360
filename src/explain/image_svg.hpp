// Heads of the first layer as images, where rows are images: what U wants to see, what C forbids, what T balances.
#pragma once

#include <string>
#include <vector>

#include "artifact/model_file.hpp"

namespace bl::explain {

// The weights of one head by pixel, row by row of the image, in standardised units; pixels that were constant in
// training have 0. `block` counts from 0; heads of a kind are added.
std::vector<double> head_image(const StoredModel& model, const ImageShape& shape, HeadKind kind, Index block);

// Three images for each of these blocks of the first layer, "L1.B7", with its influence where it is given; blue
// raises the head, red lowers it, the strongest pixel of each in full color.
struct ImageBlock {
  Index block = 0;
  double influence = 0;
};
std::string image_svg(const StoredModel& model, const ImageShape& shape,
                      const std::vector<ImageBlock>& blocks);

// Bytes of a PNG image of three channels as a data URI.
std::string png_uri(const std::vector<unsigned char>& rgb, Index height, Index width);

}  // namespace bl::explain

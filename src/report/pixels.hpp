// Models of images: what the heads look for, as pictures.
#pragma once

#include <string>

#include "explain/problem.hpp"
#include "fitted/fitted_model.hpp"

namespace bl::report {

// Whether every feature is a pixel of a square image (columns pixel_0, pixel_1, ... as image files are read).
bool reads_pixels(const FittedModel& model);

// The weights of the heads of the most influential blocks of the first layer, each as a picture: blue where a
// brighter pixel raises the head, red where it lowers it.
std::string pixel_heads_html(const FittedModel& model, const explain::Problem& standardised);

}  // namespace bl::report

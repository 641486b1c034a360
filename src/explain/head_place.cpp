#include "explain/head_place.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl::explain {

std::vector<HeadPlace> head_places(const Architecture& a) {
  std::vector<HeadPlace> places;
  for (std::size_t l = 0; l < a.layers.size(); ++l)
    for (Index b = 0; b < a.layers[l].blocks; ++b)
      for (const HeadKind kind : kHeadKinds)
        for (Index h = 0; h < a.layers[l].heads(kind); ++h)
          places.push_back({fmt::format("L{}.B{}.{}{}", l + 1, b + 1, letter(kind), h + 1), l, kind,
                            b * a.layers[l].heads(kind) + h});
  return places;
}

HeadPlace head_place(const Architecture& a, const std::string& name) {
  std::vector<std::string> names;
  for (HeadPlace& place : head_places(a)) {
    if (place.name == name) return place;
    names.push_back(std::move(place.name));
  }
  throw UsageError(fmt::format("there is no head {} among {}{}", in_quotes(name), quoted_list(names),
                               did_you_mean(name, names)));
}

void scale_lambda(const Architecture& a, const HeadPlace& head, double factor,
                  std::vector<double>& parameters) {
  constexpr double kSoftplusZero = -1000;  // exp of it is 0, and so is its softplus
  const ParameterLayout layout(a);
  const TensorInfo& tensor = layout.tensor(fmt::format("layers/{}/{}/lambda", head.layer, letter(head.kind)));
  double& raw = parameters[static_cast<std::size_t>(tensor.offset + head.row)];
  if (tensor.sign == Sign::free) {
    raw *= factor;
    return;
  }
  if (!(factor >= 0) || std::isinf(factor))
    throw UsageError(
        fmt::format("{}: factor {}: weights of this model cannot be negative; give a number of at least 0",
                    head.name, factor));
  const double wanted = factor * softplus(raw);
  raw = wanted > 0 ? inverse_softplus(wanted) : kSoftplusZero;
}

}  // namespace bl::explain

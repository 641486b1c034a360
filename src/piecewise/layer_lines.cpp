#include "piecewise/layer_lines.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "compute/activation_kinds.hpp"

namespace bl::piecewise {

namespace {

// The head reaches `level` at this y; beyond the interval's ends, on the side that keeps "below the kink" and
// "above the kink" true, where it never does.
double kink_place(double offset, double slope, double level) {
  constexpr double kFar = 1e300;
  const double missing = level - offset;
  if (slope != 0) return std::clamp(missing / slope, -kFar, kFar);
  return missing < 0 ? -kFar : kFar;  // a flat head above its level has its kink far to the left
}

}  // namespace

LayerLines::Section LayerLines::lines_of(Activation activation, std::size_t begin, std::size_t end) {
  Section out{.activation = activation, .begin = begin, .end = end, .kinks = facts(activation).kinks};
  assert(facts(activation).lines && out.kinks.size() <= 2);
  out.slopes[0] = slope(activation, out.kinks.empty() ? 0 : out.kinks[0]);
  for (std::size_t k = 0; k < out.kinks.size(); ++k) {
    const double at = out.kinks[k];
    out.slopes[k + 1] = slope_from_right(activation, at);
    out.constants[k] = activate(activation, at) - out.slopes[k] * at;
    out.constants[k + 1] = activate(activation, at) - out.slopes[k + 1] * at;
  }
  return out;
}

bool has_lines(const Architecture& a) {
  return a.form == Form::scalar && a.layers.size() == 1 && a.basis.kind == BasisKind::affine &&
         !a.basis.response_only && a.input.values == 1 &&
         std::all_of(kHeadKinds.begin(), kHeadKinds.end(), [&](HeadKind kind) {
           return a.layers[0].heads(kind) == 0 || facts(a.activation(kind)).lines;
         });
}

template <class T>
void LayerLines::prepare(const Network<T>& network, const PreparedParameters<T>& w, double temperature) {
  const BlockShape& shape = network.block_shape(0);
  const auto heads = static_cast<std::size_t>(shape.total());
  gain_.resize(heads);
  slope_.resize(heads);
  change_.assign(2 * heads, 0);
  sections_.clear();
  for (const HeadSection& section : shape.sections) {
    const auto begin = static_cast<std::size_t>(section.begin);
    const auto count = static_cast<std::size_t>(shape.blocks * section.heads_per_block);
    if (count == 0) continue;  // its activation may have a bend
    sections_.push_back(lines_of(section.activation, begin, begin + count));
    for (std::size_t h = begin; h < begin + count; ++h) {
      const auto block = static_cast<Index>(h - begin) / section.heads_per_block;
      const double readout = w.readout.cols() > 0 ? static_cast<double>(w.readout(0, block)) : 1;
      gain_[h] = section.sign * static_cast<double>(w.lambdas[0][h]) * readout / temperature;
      slope_[h] = static_cast<double>(w.inputs[0].values(0, static_cast<Index>(h)));
      const Section& lines = sections_.back();
      for (std::size_t k = 0; k < lines.kinks.size(); ++k)
        change_[2 * h + k] = std::abs(slope_[h]) * gain_[h] * lines.jump(k);
    }
  }
}

template <class T>
double LayerLines::at(const T* offsets, double y, std::span<HeadShare> shares) const {
  double u = 0;
  for (const Section& section : sections_)
    for (std::size_t h = section.begin; h < section.end; ++h) {
      const ValueAndSlope<double> head =
          value_and_slope(section.activation, static_cast<double>(offsets[h]) + slope_[h] * y);
      u += gain_[h] * head.value;
      if (!shares.empty()) shares[h] = {head.slope, y * head.slope, head.value};
    }
  return u;
}

namespace {

// Values at the sorted kinks, from the value and the slope at the lower end; `change` is that of the slope at
// each kink.
void walk_kinks(double lower, double upper, double value, double slope, std::span<const double> change,
                LineWorkspace& ws) {
  const std::size_t n = ws.kinks.size();
  ws.places.resize(n + 2);
  ws.values.resize(n + 2);
  ws.places[0] = lower;
  ws.values[0] = value;
  for (std::size_t k = 0; k < n; ++k) {
    const Kink& kink = ws.kinks[k];
    const auto id = static_cast<std::size_t>(kink.id);
    value += slope * (kink.place - ws.places[k]);
    slope += change[id];
    ws.places[k + 1] = kink.place;
    ws.values[k + 1] = value;
    ws.rank[id] = static_cast<std::int32_t>(k + 1);
  }
  ws.places[n + 1] = upper;
  ws.values[n + 1] = value + slope * (upper - ws.places[n]);
}

}  // namespace

template <class T>
void LayerLines::breakpoints(const T* offsets, double lower, double upper, LineWorkspace& ws) const {
  ws.kinks.clear();
  ws.rank.resize(2 * slope_.size());
  // Room for every kink: more of them may lie inside the interval in a later step.
  const std::size_t most = ws.rank.size() + 2;
  ws.kinks.reserve(most);
  for (std::vector<double>* numbers : {&ws.places, &ws.values, &ws.relative, &ws.mass, &ws.moment})
    numbers->reserve(most);
  double value = 0, slope = 0;  // of u at the lower end
  const auto add = [&](std::size_t id, double place) {
    if (place > lower && place < upper) ws.kinks.push_back({place, static_cast<std::int32_t>(id)});
    ws.rank[id] = place <= lower ? 0 : -1;  // -1: the last breakpoint, unless it is ranked below
  };
  for (const Section& section : sections_)
    for (std::size_t h = section.begin; h < section.end; ++h) {
      const double c = static_cast<double>(offsets[h]), w = slope_[h], a = c + w * lower;
      value += gain_[h] * value_and_slope(section.activation, a).value;
      std::size_t piece = 0;  // just to the right of the lower end
      for (std::size_t k = 0; k < section.kinks.size(); ++k) {
        const double place = kink_place(c, w, section.kinks[k]);
        add(2 * h + k, place);
        if ((place <= lower) == (w >= 0)) ++piece;
      }
      slope += gain_[h] * w * section.slopes[piece];
    }
  std::sort(ws.kinks.begin(), ws.kinks.end(), [](const Kink& a, const Kink& b) {
    return a.place < b.place || (a.place == b.place && a.id < b.id);
  });
  walk_kinks(lower, upper, value, slope, change_, ws);
}

double LayerLines::log_normalizer(LineWorkspace& ws) const {
  constexpr double kSeries = 0.05;
  const std::size_t n = ws.places.size();
  ws.relative.resize(n);
  ws.mass.resize(n);
  ws.moment.resize(n);
  double top = ws.values[0];
  for (std::size_t k = 1; k < n; ++k) top = std::max(top, ws.values[k]);
  for (std::size_t k = 0; k < n; ++k) ws.relative[k] = std::exp(ws.values[k] - top);
  double mass = 0, moment = 0;
  ws.mass[0] = ws.moment[0] = 0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double h = ws.places[k + 1] - ws.places[k], d = ws.values[k + 1] - ws.values[k];
    const double from = ws.relative[k], to = ws.relative[k + 1];
    // Mass h m, and first moment h (y_k m + h t): the integrals of exp(d t) and of t exp(d t).
    double m, t;
    if (std::abs(d) < kSeries) {
      m = from * (1 + d / 2 * (1 + d / 3 * (1 + d / 4 * (1 + d / 5 * (1 + d / 6 * (1 + d / 7))))));
      t = from *
          (1.0 / 2 +
           d * (1.0 / 3 + d * (1.0 / 8 + d * (1.0 / 30 + d * (1.0 / 144 + d * (1.0 / 840 + d / 5760))))));
    } else {
      m = (to - from) / d;
      t = (to - m) / d;
    }
    mass += h * m;
    moment += h * (ws.places[k] * m + h * t);
    ws.mass[k + 1] = mass;
    ws.moment[k + 1] = moment;
  }
  for (std::size_t k = 0; k < n; ++k) {
    ws.mass[k] /= mass;
    ws.moment[k] /= mass;
  }
  return top + std::log(mass);
}

template <class T>
void LayerLines::shares(const T* offsets, const LineWorkspace& ws, std::span<HeadShare> out) const {
  const std::size_t end = ws.places.size() - 1;
  const double mean = ws.moment[end];
  const auto rank = [&](std::size_t id) {
    return ws.rank[id] < 0 ? end : static_cast<std::size_t>(ws.rank[id]);
  };
  for (const Section& section : sections_)
    for (std::size_t h = section.begin; h < section.end; ++h) {
      const double c = static_cast<double>(offsets[h]), w = slope_[h];
      HeadShare& share = out[h];
      // From the piece on the right end, kink by kink to the left; a head that falls runs through its pieces
      // backwards.
      const std::size_t last = w >= 0 ? section.kinks.size() : 0;
      const double sign = w >= 0 ? 1 : -1;
      share.by_offset = section.slopes[last];
      share.by_slope = section.slopes[last] * mean;
      double constant = section.constants[last];
      for (std::size_t k = section.kinks.size(); k-- > 0;) {
        const double jump = sign * section.jump(k);
        const std::size_t at = rank(2 * h + k);
        share.by_offset -= jump * ws.mass[at];
        share.by_slope -= jump * ws.moment[at];
        constant += jump * section.kinks[k] * ws.mass[at];
      }
      share.value = c * share.by_offset + w * share.by_slope + constant;
    }
}

#define BL_INSTANTIATE(T)                                                                        \
  template void LayerLines::prepare<T>(const Network<T>&, const PreparedParameters<T>&, double); \
  template double LayerLines::at<T>(const T*, double, std::span<HeadShare>) const;               \
  template void LayerLines::breakpoints<T>(const T*, double, double, LineWorkspace&) const;      \
  template void LayerLines::shares<T>(const T*, const LineWorkspace&, std::span<HeadShare>) const;
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl::piecewise

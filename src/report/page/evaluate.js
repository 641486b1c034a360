// The model, evaluated in the page: from a row's values to probabilities. No part of it touches the document, so that
// tests run it outside a browser. The formulas are those of the library; the numbers agree to 1e-6.
//
// A row is an object of column names: a number, the text of a level, or null where the value is missing.
"use strict";
const BehaviorModel = (() => {
  const ACTIVATIONS = {
    tanh: Math.tanh,
    identity: (t) => t,
    relu: (t) => (t > 0 ? t : 0),
    softplus: (t) => Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t))),
    abs: Math.abs,
    square: (t) => t * t,
    huber: (t) => (Math.abs(t) <= 1 ? 0.5 * t * t : Math.abs(t) - 0.5),
    clip: (t) => Math.min(1, Math.max(-1, t)),
  };
  // Those that are straight between their kinks: where these are, and the slopes between them.
  const LINES = {
    identity: { kinks: [], slopes: [1] },
    relu: { kinks: [0], slopes: [0, 1] },
    abs: { kinks: [0], slopes: [-1, 1] },
    clip: { kinks: [-1, 1], slopes: [0, 1, 0] },
  };
  const KINDS = ["U", "C", "T"];
  // Gauss-Legendre with five nodes on [0, 1].
  const GAUSS = [
    [0.046910077030668003, 0.118463442528094544],
    [0.230765344947158454, 0.239314335249683234],
    [0.5, 0.284444444444444444],
    [0.769234655052841546, 0.239314335249683234],
    [0.953089922969331997, 0.118463442528094544],
  ];

  // --- columns

  function pulled(pull, value) {
    const { from, to } = pull;
    const last = from.length - 1;
    if (value <= from[0]) return to[0];
    if (value >= from[last]) return to[last];
    let i = 0;
    while (from[i + 1] <= value) ++i;
    return to[i] + ((value - from[i]) * (to[i + 1] - to[i])) / (from[i + 1] - from[i]);
  }

  function pieceValue(bends, piece, x) {
    const lower = bends.knots[piece];
    const part = (x - lower) / (bends.knots[piece + 1] - lower);
    if (part < 0 && !(bends.straight && piece === 0)) return 0;
    if (part > 1 && !(bends.straight && piece + 2 === bends.knots.length)) return 1;
    return part;
  }

  // The cubic spline that is 1 at one knot and 0 at the others.
  function splineValue(bends, knot, value) {
    const { knots, period, knot_slopes: slopes } = bends;
    const count = knots.length;
    const x = period > 0 ? value - period * Math.floor((value - knots[0]) / period) : value;
    const pieces = period > 0 ? count : count - 1;
    let i = 0;
    while (i + 1 < pieces && knots[i + 1] <= x) ++i;
    const next = (i + 1) % count;
    const width = (i + 1 < count ? knots[i + 1] : knots[0] + period) - knots[i];
    const part = (x - knots[i]) / width;
    const low = i === knot ? 1 : 0;
    const high = next === knot ? 1 : 0;
    const from = slopes[knot * count + i];
    const to = slopes[knot * count + next];
    if (period === 0 && part < 0) return low + (bends.straight ? part * width * from : 0);
    if (period === 0 && part > 1) return high + (bends.straight ? (part - 1) * width * to : 0);
    const rest = 1 - part;
    return (
      rest * rest * ((1 + 2 * part) * low + part * width * from) +
      part * part * ((1 + 2 * rest) * high - rest * width * to)
    );
  }

  function bendValue(bends, j, value) {
    if (bends.kind === "step") return value >= bends.knots[j + 1] ? 1 : 0;
    if (bends.kind !== "linear") return splineValue(bends, j + 1, value);
    return pieceValue(bends, j < bends.widest ? j : j + 1, value);
  }

  function pushNumber(feature, value, out) {
    const straight = ((feature.pull ? pulled(feature.pull, value) : value) - feature.mean) / feature.scale;
    out.push(straight);
    const bends = feature.bends;
    if (!bends) return;
    bends.constant.forEach((constant, j) => {
      out.push((bendValue(bends, j, value) - constant - bends.slope[j] * straight) / bends.scale);
    });
  }

  // Between which knots of an axis the value lies, and what part of the way; constant beyond the outer ones.
  function placeOn(axis, value) {
    const { knots, period } = axis;
    const x = period > 0 ? value - period * Math.floor((value - knots[0]) / period) : value;
    const pieces = period > 0 ? knots.length : knots.length - 1;
    let low = 0;
    while (low + 1 < pieces && knots[low + 1] <= x) ++low;
    const upper = low + 1 < knots.length ? knots[low + 1] : knots[0] + period;
    const part = Math.min(1, Math.max(0, (x - knots[low]) / (upper - knots[low])));
    return { low, high: (low + 1) % knots.length, part };
  }

  // Products of two curves, by their values on a grid.
  function pushProducts(products, numbers, out) {
    for (const product of products) {
      const a = placeOn(product.first, numbers[product.first.name]);
      const b = placeOn(product.second, numbers[product.second.name]);
      const width = product.second.knots.length;
      for (const values of product.columns) {
        const across = (i) => (1 - b.part) * values[i * width + b.low] + b.part * values[i * width + b.high];
        out.push((1 - a.part) * across(a.low) + a.part * across(a.high));
      }
    }
  }

  // The columns that the network reads, from those of the data.
  function encode(model, row) {
    const out = [];
    const numbers = {};
    for (const feature of model.features) {
      const given = row[feature.name];
      let missing = given === null || given === undefined || given === "";
      if (feature.type === "number") {
        numbers[feature.name] = missing ? feature.fill : Number(given);
        if (feature.value) pushNumber(feature, numbers[feature.name], out);
      } else {
        let level = missing ? -1 : feature.levels.indexOf(String(given));
        if (level < 0) {
          level = feature.fill_level;
          missing = true;
        }
        numbers[feature.name] = level;
        if (feature.value && feature.type === "ordinal") pushNumber(feature, level, out);
        else if (feature.value)
          for (let k = feature.first; k < feature.levels.length; ++k) out.push(k === level ? 1 : 0);
      }
      if (feature.indicator) out.push(missing ? 1 : 0);
    }
    pushProducts(model.products || [], numbers, out);
    return out;
  }

  // --- networks

  function decodeNumbers(text, single) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return Float64Array.from(single ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer));
  }

  const softplus = ACTIVATIONS.softplus;

  // One member: parameters in the order in which they are used.
  function network(model, text) {
    const flat = decodeNumbers(text, model.single);
    const tensor = (name) => {
      const at = model.tensors[name];
      if (!at) return null;
      const [offset, rows, cols, positive] = at;
      const values = flat.slice(offset, offset + rows * cols);
      return { rows, cols, values: positive ? values.map(softplus) : values };
    };
    const layers = model.layers.map((shape, l) => {
      const sections = [];
      const weights = [], bias = [], lambda = [];
      let heads = 0;
      KINDS.forEach((kind, k) => {
        const count = shape.heads[k] * shape.blocks;
        if (count === 0) return;
        sections.push({ kind: k, begin: heads, per: shape.heads[k], phi: ACTIVATIONS[model.activations[k]] });
        weights.push(tensor(`layers/${l}/${kind}/weight`));
        const constants = tensor(`layers/${l}/${kind}/bias`);
        bias.push(...(constants ? constants.values : new Float64Array(count)));
        lambda.push(...tensor(`layers/${l}/${kind}/lambda`).values);
        heads += count;
      });
      // By column, so that inputs that are 0 cost nothing.
      const cols = weights[0].cols;
      const columns = Array.from({ length: cols }, () => new Float64Array(heads));
      let row = 0;
      for (const part of weights)
        for (let i = 0; i < part.rows; ++i, ++row)
          for (let j = 0; j < cols; ++j) columns[j][row] = part.values[i * cols + j];
      return { blocks: shape.blocks, heads, sections, columns, bias, lambda, reads: shape.reads,
               projection: tensor(`projections/${l}`) };
    });
    return { layers, readout: tensor("readout/weight"), constant: tensor("readout/bias") };
  }

  // Terms of the first layer: those of the context alone, and those that change with the response.
  function sortedTerms(model) {
    const size = model.input[0] + model.input[1] + model.input[2];
    const terms = model.terms || Array.from({ length: size }, (_, i) => [i]);
    const context = [], response = [];
    terms.forEach((factors, column) => {
      (factors.some((i) => i >= model.input[0]) ? response : context).push({ factors, column });
    });
    return { context, response };
  }

  function prepare(model) {
    const members = model.members.map((text) => network(model, text));
    const ready = { ...model, networks: members, sorted: sortedTerms(model), scaled: {} };
    if (model.number && model.number.exact) ready.lines = numberLines(ready);
    return ready;
  }

  function addTerms(terms, columns, z, heads) {
    for (const { factors, column } of terms) {
      let value = 1;
      for (const i of factors) value *= z[i];
      if (value === 0) continue;
      const weights = columns[column];
      for (let h = 0; h < heads.length; ++h) heads[h] += value * weights[h];
    }
  }

  // What the context adds to the heads of the first layer, of every member: the same for all candidates of a row.
  function contextHeads(model, x) {
    return model.networks.map((net) => {
      const heads = Float64Array.from(net.layers[0].bias);
      addTerms(model.sorted.context, net.layers[0].columns, x, heads);
      return heads;
    });
  }

  // Switches and weights of the page: "L1.B2.C1" -> factor of its weight. Blocks of joined members stand one after
  // the other.
  function factorOf(model, member, layer, kind, block, head) {
    const name = `L${layer + 1}.B${member * model.layers[layer].blocks + block + 1}.${KINDS[kind]}${head + 1}`;
    const factor = model.scaled[name];
    return factor === undefined ? 1 : factor;
  }

  function blockValues(model, member, l, layer, heads, out, from) {
    const scaled = Object.keys(model.scaled).length > 0;
    for (const { kind, begin, per, phi } of layer.sections) {
      const sign = kind === 0 ? 1 : -1;
      for (let b = 0, h = begin; b < layer.blocks; ++b)
        for (let k = 0; k < per; ++k, ++h) {
          const factor = scaled ? factorOf(model, member, l, kind, b, k) : 1;
          out[from + b] += sign * layer.lambda[h] * factor * phi(heads[h]);
        }
    }
  }

  // The outputs of one member for z = [x ; v ; e].
  function memberOutputs(model, member, base, z) {
    const net = model.networks[member];
    const blocks = net.layers.reduce((sum, layer) => sum + layer.blocks, 0);
    const state = new Float64Array(z.length + blocks);
    state.set(z);
    let from = z.length;
    net.layers.forEach((layer, l) => {
      const heads = Float64Array.from(l === 0 ? base : layer.bias);
      if (l === 0) addTerms(model.sorted.response, layer.columns, z, heads);
      else addTerms(layer.reads.map((i, column) => ({ factors: [i], column })), layer.columns, state, heads);
      blockValues(model, member, l, layer, heads, state, from);
      if (l > 0 && model.skip === "residual") addResidual(layer, net.layers[l - 1].blocks, state, from);
      from += layer.blocks;
    });
    const last = net.layers[net.layers.length - 1].blocks;
    const top = state.subarray(from - last, from);
    if (!net.readout) return [top[0]];
    const out = [];
    for (let o = 0; o < net.readout.rows; ++o) {
      let sum = net.constant ? net.constant.values[o] : 0;
      for (let b = 0; b < last; ++b) sum += net.readout.values[o * last + b] * top[b];
      out.push(sum);
    }
    return out;
  }

  function addResidual(layer, before, state, from) {
    for (let b = 0; b < layer.blocks; ++b) {
      if (!layer.projection) {
        state[from + b] += state[from - before + b];
        continue;
      }
      for (let k = 0; k < before; ++k)
        state[from + b] += layer.projection.values[b * before + k] * state[from - before + k];
    }
  }

  function inputs(model, x, v, classIndex) {
    const [dx, values, classes] = model.input;
    const z = new Float64Array(dx + values + classes);
    z.set(x);
    z.set(v, dx);
    if (classes > 0) z[dx + values + classIndex] = 1;
    return z;
  }

  // The mean over members of the outputs for one candidate: values v, and the class where it is part of the input.
  function outputs(model, x, base, v, classIndex) {
    const z = inputs(model, x, v, classIndex);
    let sum = null;
    model.networks.forEach((_, m) => {
      const one = memberOutputs(model, m, base[m], z);
      sum = sum ? sum.map((u, o) => u + one[o]) : one;
    });
    return sum.map((u) => u / model.networks.length);
  }

  // Values of heads of the first layer by name, "L1.B2.C1"; names of other layers are left out.
  function firstHeads(model, row, v, classIndex, names) {
    const x = encode(model, row), z = inputs(model, x, v, classIndex), blocks = model.layers[0].blocks;
    const heads = contextHeads(model, x).map((base, m) => {
      addTerms(model.sorted.response, model.networks[m].layers[0].columns, z, base);
      return base;
    });
    const out = [];
    for (const name of names) {
      const found = name.match(/^L1\.B(\d+)\.([UCT])(\d+)$/);
      if (!found) continue;
      const block = Number(found[1]) - 1, member = Math.floor(block / blocks);
      const { begin, per } = model.networks[member].layers[0].sections.find((s) => KINDS[s.kind] === found[2]);
      out.push({ name, value: heads[member][begin + (block % blocks) * per + Number(found[3]) - 1] });
    }
    return out;
  }

  // The utility of a class, or of an encoded number.
  function utility(model, row, v, classIndex) {
    const x = encode(model, row), all = outputs(model, x, contextHeads(model, x), v, classIndex);
    return all.length > 1 ? all[classIndex] : all[0];
  }

  // --- classes and choices

  function softmax(utilities) {
    const top = Math.max(...utilities);
    const parts = utilities.map((u) => Math.exp(u - top));
    const sum = parts.reduce((a, b) => a + b, 0);
    return parts.map((p) => p / sum);
  }

  function predictClasses(model, row) {
    const x = encode(model, row);
    const base = contextHeads(model, x);
    const utilities = model.input[2] > 0
      ? model.classes.map((_, c) => outputs(model, x, base, [], c)[0])
      : outputs(model, x, base, [], 0);
    return { utilities, probabilities: softmax(utilities.map((u) => u / model.temperature)) };
  }

  // `attributes`: per alternative an object of attribute names, or null where it is not available.
  function predictChoice(model, row, attributes) {
    const x = encode(model, row);
    const base = contextHeads(model, x);
    const utilities = model.classes.map((_, c) => {
      if (!attributes[c]) return -Infinity;
      const v = model.attributes.map((a) => (attributes[c][a.name] - a.mean) / a.scale);
      return outputs(model, x, base, v, c)[0] / model.temperature;
    });
    const top = Math.max(...utilities);
    const logSum = top + Math.log(utilities.reduce((sum, u) => sum + Math.exp(u - top), 0));
    return { utilities, probabilities: softmax(utilities), logSum };
  }

  // --- numbers whose utility is piecewise linear in them

  // Every head of the one layer as a line in the number: what does not depend on the row.
  function numberLines(model) {
    const lines = [];
    model.networks.forEach((net, m) => {
      const layer = net.layers[0], slopes = layer.columns[model.input[0]];
      for (const { kind, begin, per, phi } of layer.sections)
        for (let b = 0, h = begin; b < layer.blocks; ++b)
          for (let k = 0; k < per; ++k, ++h) {
            const gain = ((kind === 0 ? 1 : -1) * layer.lambda[h] * (net.readout ? net.readout.values[b] : 1)) /
              (model.networks.length * model.temperature);
            lines.push({ m, h, kind, b, k, gain, phi, slope: slopes[h], ...LINES[model.activations[kind]] });
          }
    });
    return lines;
  }

  // The slope of the activation just to the right of t, for a head that rises (falls: the limit from the left).
  function sideSlope(line, t) {
    return line.slopes[line.kinks.filter((level) => (line.slope > 0 ? t >= level : t > level)).length];
  }

  // Breakpoints of u(v)/tau over the support, and its values there: the slope changes by a known amount at each kink.
  function breakpoints(model, base) {
    const { lower, upper } = model.number;
    const scaled = Object.keys(model.scaled).length > 0;
    const changes = [];
    let value = 0, slope = 0;
    for (const line of model.lines) {
      const gain = scaled ? line.gain * factorOf(model, line.m, 0, line.kind, line.b, line.k) : line.gain;
      const offset = base[line.m][line.h], at = offset + line.slope * lower;
      value += gain * line.phi(at);
      if (line.slope === 0) continue;
      slope += gain * line.slope * sideSlope(line, at);
      line.kinks.forEach((level, k) => {
        const place = (level - offset) / line.slope;
        if (!(place > lower && place < upper)) return;
        changes.push([place, gain * Math.abs(line.slope) * (line.slopes[k + 1] - line.slopes[k])]);
      });
    }
    for (const [, low, high] of slots(model.number))
      for (const end of [low, high]) if (end > lower && end < upper) changes.push([end, 0]);
    changes.sort((a, b) => a[0] - b[0]);
    const places = [lower], values = [value];
    for (const [place, change] of [...changes, [upper, 0]]) {
      value += slope * (place - places[places.length - 1]);
      slope += change;
      places.push(place);
      values.push(value);
    }
    return { places, values };
  }

  const meanExponential = (d) => (Math.abs(d) < 1e-12 ? 1 - Math.abs(d) / 2 : -Math.expm1(-Math.abs(d)) / Math.abs(d));

  function shareBelow(d, t) {
    if (Math.abs(d) < 1e-12) return t;
    if (d < 0) return Math.expm1(d * t) / Math.expm1(d);
    return (Math.exp(d * (t - 1)) * Math.expm1(-d * t)) / Math.expm1(-d);
  }

  function placeOfShare(d, share) {
    if (Math.abs(d) < 1e-12) return share;
    const t = d < 0 ? Math.log1p(share * Math.expm1(d)) / d : 1 + Math.log1p((1 - share) * Math.expm1(-d)) / d;
    return Math.min(1, Math.max(0, t));
  }

  // A density that is log-linear between breakpoints: everything in closed form.
  function linearDensity({ places, values }) {
    const n = places.length - 1;
    const top = Math.max(...values);
    const mass = [];
    let total = 0;
    for (let k = 0; k < n; ++k) {
      mass.push((places[k + 1] - places[k]) * Math.exp(Math.max(values[k], values[k + 1]) - top) *
        meanExponential(values[k + 1] - values[k]));
      total += mass[k];
    }
    const below = [0];
    for (let k = 0; k < n; ++k) below.push(below[k] + (mass[k] /= total));
    const segment = (y) => {
      let low = 0, high = n - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (places[middle] <= y) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    const part = (k, y) => (places[k + 1] > places[k] ? (y - places[k]) / (places[k + 1] - places[k]) : 0);
    return {
      lower: places[0], upper: places[n],
      logDensity: (y) => {
        const k = segment(y);
        return values[k] + (values[k + 1] - values[k]) * part(k, y) - top - Math.log(total);
      },
      cdf: (y) => {
        if (y <= places[0]) return 0;
        if (y >= places[n]) return 1;
        const k = segment(y);
        return below[k] + mass[k] * shareBelow(values[k + 1] - values[k], part(k, y));
      },
      quantile: (p) => {
        let k = 0;
        while (k < n - 1 && below[k + 1] < p) ++k;
        const share = mass[k] > 0 ? Math.min(1, (p - below[k]) / mass[k]) : 0;
        return places[k] + (places[k + 1] - places[k]) * placeOfShare(values[k + 1] - values[k], share);
      },
      mean: (f) => {
        let sum = 0, weight = 0;
        for (let k = 0; k < n; ++k) {
          const rise = values[k + 1] - values[k], h = places[k + 1] - places[k];
          if (mass[k] < 1e-14) continue;
          const panels = Math.min(400, Math.max(1, Math.ceil(Math.abs(rise)), Math.ceil(h * 4)));
          for (let i = 0; i < panels; ++i)
            for (const [t, w] of GAUSS) {
              const at = (i + t) / panels;
              const share = (w / panels) * h * Math.exp(values[k] + rise * at - top) / total;
              sum += share * f(places[k] + h * at);
              weight += share;
            }
        }
        return sum / weight;
      },
      mode: () => places[values.indexOf(top)],
    };
  }

  // --- numbers of any other utility, by adaptive quadrature

  function quadratureDensity(logUnnormalised, lower, upper) {
    const START = 64, TOLERANCE = 1e-10, DEEPEST = 18;
    let top = -Infinity, best = lower;
    for (let i = 0; i <= 4 * START; ++i) {
      const y = lower + ((upper - lower) * i) / (4 * START);
      const u = logUnnormalised(y);
      if (u > top) [top, best] = [u, y];
    }
    const f = (y) => Math.exp(logUnnormalised(y) - top);
    const gauss = (a, b, g = f) => GAUSS.reduce((sum, [t, w]) => sum + w * g(a + (b - a) * t), 0) * (b - a);
    const panels = [];
    const refine = (a, b, whole, depth) => {
      const m = (a + b) / 2, left = gauss(a, m), right = gauss(m, b);
      if (depth >= DEEPEST || Math.abs(left + right - whole) <= TOLERANCE * (upper - lower)) {
        panels.push([a, m, left], [m, b, right]);
        return;
      }
      refine(a, m, left, depth + 1);
      refine(m, b, right, depth + 1);
    };
    for (let i = 0; i < START; ++i) {
      const a = lower + ((upper - lower) * i) / START, b = lower + ((upper - lower) * (i + 1)) / START;
      refine(a, b, gauss(a, b), 0);
    }
    const total = panels.reduce((sum, [, , mass]) => sum + mass, 0);
    const quantile = (p) => {
      let rest = p * total, k = 0;
      while (k < panels.length - 1 && rest > panels[k][2]) rest -= panels[k++][2];
      let [low, high] = panels[k];
      const from = low;
      for (let i = 0; i < 60; ++i) {
        const middle = (low + high) / 2;
        if (gauss(from, middle) < rest) low = middle;
        else high = middle;
      }
      return (low + high) / 2;
    };
    return {
      lower, upper, quantile,
      logDensity: (y) => logUnnormalised(y) - top - Math.log(total),
      mean: (g) => panels.reduce((sum, [a, b]) => sum + gauss(a, b, (y) => f(y) * g(y)), 0) / total,
      mode: () => best,
    };
  }

  // --- the axis of a number (transform, point masses)

  function inverseTransform(number, t) {
    if (number.transform === "log") return number.location + Math.exp(t);
    if (number.transform === "asinh") return number.location + number.unit * Math.sinh(t);
    return t;
  }

  // The response at an encoded place.
  function decode(number, encoded) {
    const x = encoded * number.scale + number.mean;
    let before = 0;
    for (const [value, place, width] of number.masses) {
      const lower = place + before;
      if (x < lower) break;
      if (x <= lower + width) return value;
      before += width;
    }
    if (number.whole) {
      const first = number.masses[0], last = number.masses[number.masses.length - 1];
      return before === 0 ? first[0] : last[0];
    }
    return inverseTransform(number, x - before);
  }

  // Point masses: value and encoded ends of the slot.
  function slots(number) {
    let before = 0;
    return number.masses.map(([value, place, width]) => {
      const lower = (place + before - number.mean) / number.scale;
      before += width;
      return [value, lower, lower + width / number.scale];
    });
  }

  function distribution(model, row) {
    const x = encode(model, row);
    const base = contextHeads(model, x);
    if (model.number.exact) return linearDensity(breakpoints(model, base));
    const u = (v) => outputs(model, x, base, [v], 0)[0] / model.temperature;
    return quadratureDensity(u, model.number.lower, model.number.upper);
  }

  function predictNumber(model, row) {
    const number = model.number, density = distribution(model, row);
    const raw = (v) => decode(number, v);
    const masses = slots(number).map(([value, low, high]) => ({ value, p: density.cdf(high) - density.cdf(low) }));
    return { mean: density.mean(raw), quantile: (p) => raw(density.quantile(p)), mode: raw(density.mode()), masses,
             density, raw };
  }

  // Points (response, density) for a picture, without point masses.
  function densityCurve(model, prediction, points) {
    const { density, raw } = prediction, number = model.number;
    const inSlot = (v) => slots(number).some(([, low, high]) => v >= low && v <= high);
    const low = density.quantile(0.001), high = density.quantile(0.999);
    const out = [];
    for (let i = 0; i <= points; ++i) {
      const v = low + ((high - low) * i) / points, step = (high - low) * 1e-6;
      if (inSlot(v)) continue;
      const slope = (raw(v + step) - raw(v - step)) / (2 * step);
      if (slope > 0) out.push([raw(v), Math.exp(density.logDensity(v)) / slope]);
    }
    return out;
  }

  return { prepare, encode, predictClasses, predictChoice, predictNumber, densityCurve, utility, firstHeads };
})();

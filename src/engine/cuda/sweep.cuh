// The sweeps of a network and the objectives, written once for two ways of running them: by the threads of
// one block in shared memory, or from the host as one launch after the other over memory of the GPU.
//
// A runner X has
//   each(n, m, operation)       operation(r, p) for r < n, p < m
//   rows(n, width, operation)   operation(r, lanes) for r < n; width: what lanes share
//   forward, back, outer        the products (products.cuh) between slabs and pieces of the parameters
//   sum_loss(which, n)          adds the losses of n rows to sum number `which`
//   frame(), set(source, k)     what it works on; says that rows have k points of this kind
// and everything one of them does is done before the next begins.
#pragma once

#include "engine/cuda/losses.cuh"
#include "engine/cuda/products.cuh"

// A sweep is compiled for host and device, while a runner is used on one side alone: hence the pragmas. Calls
// cost little, and the code stays small.
#define BL_OUT_OF_LINE __noinline__

namespace bl::cuda {

// One slab, or two that are treated alike: value and tangent.
struct Two {
  int first, second = -1;
};

// Outputs, and with `both` their derivatives along the direction of the sweep.
#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE BL_OUT_OF_LINE void forward_sweep(X& x, const Plan& plan, int rows, int points, bool both) {
  const Frame<T>& f = x.frame();
  const LayerPlan& first = plan.layer[0];
  const auto two = [&](int value, int dot) { return both ? Two{value, dot} : Two{value}; };
  if (first.context.count > 0 && f.outer_heads) {
    x.each((first.heads + 3) / 4, rows, FetchHeads<T>{f});
  } else if (first.context.count > 0 && !f.held_heads) {
    x.each(plan.row_terms, rows, RowFeatures<T>{f});
    x.forward({plan.row_heads}, first.context, {plan.row_features}, first.heads, rows, Onto::zero);
  }
  if (first.inputs.count > 0) x.each(first.inputs.count, points, Features<T>{f, both});
  if (plan.reads_input) x.each(plan.context + plan.values + plan.classes, points, Inputs<T>{f, both});
  for (int l = 0; l < plan.layers; ++l) {
    const LayerPlan& layer = plan.layer[l];
    if (layer.inputs.count > 0)
      x.forward(two(layer.phi, layer.dot), layer.inputs,
                l == 0 ? two(plan.features, plan.features_dot) : two(plan.z, plan.z_dot), layer.heads, points,
                Onto::zero);
    if (layer.reads.count > 0)
      x.forward(two(layer.phi, layer.dot), layer.reads, two(plan.s + layer.read, plan.s_dot + layer.read),
                layer.heads, points, layer.inputs.count > 0 ? Onto::itself : Onto::zero);
    x.each(layer.blocks, points, Activate<T>{f, l, both});
    if (layer.projection.count > 0) {
      const int below = plan.layer[l - 1].out;
      x.forward(two(plan.s + layer.out, plan.s_dot + layer.out), layer.projection,
                two(plan.s + below, plan.s_dot + below), layer.blocks, points, Onto::itself);
    }
  }
  if (plan.readout.count == 0) return;
  const int last = plan.last().out;
  x.forward(two(plan.out, plan.out_dot), plan.readout, two(plan.s + last, plan.s_dot + last), plan.outputs,
            points, Onto::zero);
  if (plan.readout_bias >= 0) x.each(plan.outputs, points, AddOutputBias<T>{f});
}

// After forward_sweep without tangents: derivatives along plan.direction, as far as parameters' need them.
#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE BL_OUT_OF_LINE void tangent_sweep(X& x, const Plan& plan, int points) {
  const Frame<T>& f = x.frame();
  x.each(plan.layer[0].inputs.count, points, FeaturesDot<T>{f});
  if (plan.reads_input) x.each(plan.context + plan.values + plan.classes, points, InputsDot<T>{f});
  for (int l = 0; l < plan.layers; ++l) {
    const LayerPlan& layer = plan.layer[l];
    if (layer.inputs.count > 0)
      x.forward({layer.dot}, layer.inputs, {l == 0 ? plan.features_dot : plan.z_dot}, layer.heads, points,
                Onto::zero);
    if (layer.reads.count > 0)
      x.forward({layer.dot}, layer.reads, {plan.s_dot + layer.read}, layer.heads, points,
                layer.inputs.count > 0 ? Onto::itself : Onto::zero);
    x.each(layer.blocks, points, ActivateDot<T>{f, l});
    if (layer.projection.count > 0)
      x.forward({plan.s_dot + layer.out}, layer.projection, {plan.s_dot + plan.layer[l - 1].out},
                layer.blocks, points, Onto::itself);
  }
}

// Passes derivatives by blocks (slab d_s) on to the layer below, from those by heads (slab d_heads).
#pragma nv_exec_check_disable
template <class X>
BL_HOST_DEVICE BL_OUT_OF_LINE void pass_down(X& x, const Plan& plan, int l, Two d_heads, Two d_s,
                                             int points) {
  const LayerPlan& layer = plan.layer[l];
  // With dense skips all layers but the uppermost add to what is there.
  const bool first_writer = !plan.dense || l + 1 == plan.layers;
  const Two to{d_s.first + layer.read, d_s.second < 0 ? -1 : d_s.second + layer.read};
  x.back(to, layer.reads, d_heads, layer.heads, points, first_writer ? Onto::zero : Onto::itself);
}

#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE BL_OUT_OF_LINE void pass_residual(X& x, const Plan& plan, int l, int d_s, int points) {
  const Frame<T>& f = x.frame();
  const LayerPlan& layer = plan.layer[l];
  const int below = d_s + plan.layer[l - 1].out;
  if (layer.projection.count > 0)
    x.back({below}, layer.projection, {d_s + layer.out}, layer.blocks, points, Onto::itself);
  else
    x.each(layer.blocks, points, Add<T>{f, below, d_s + layer.out});
}

// After forward_sweep: adds the gradient of sum_p d_out[p] out[p].
#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE BL_OUT_OF_LINE void backward_sweep(X& x, const Plan& plan, int rows, int points) {
  const Frame<T>& f = x.frame();
  if (plan.readout.count > 0) {
    const int last = plan.last().out;
    x.outer(plan.readout, {plan.d_out}, {plan.s + last}, plan.outputs, points);
    if (plan.readout_bias >= 0) x.rows(plan.outputs, points, OutputBiasBackward<T>{f, points});
    x.back({plan.d_s + last}, plan.readout, {plan.d_out}, plan.outputs, points, Onto::zero);
  }
  for (int l = plan.layers - 1; l >= 0; --l) {
    const LayerPlan& layer = plan.layer[l];
    x.rows(layer.heads, points, HeadBackward<T>{f, l, layer.slope, points, true});
    if (layer.inputs.count > 0)
      x.outer(layer.inputs, {layer.slope}, {l == 0 ? plan.features : plan.z}, layer.heads, points);
    if (layer.reads.count > 0) {
      x.outer(layer.reads, {layer.slope}, {plan.s + layer.read}, layer.heads, points);
      pass_down(x, plan, l, {layer.slope}, {plan.d_s}, points);
    }
    if (!layer.residual) continue;
    if (layer.projection.count > 0)
      x.outer(layer.projection, {plan.d_s + layer.out}, {plan.s + plan.layer[l - 1].out}, layer.blocks,
              points);
    pass_residual<T>(x, plan, l, plan.d_s, points);
  }
  const LayerPlan& first = plan.layer[0];
  if (first.context.count == 0) return;
  x.each(first.heads, rows, RowHeadBackward<T>{f, first.slope});
  if (!f.outer_heads) x.outer(first.context, {plan.row_heads}, {plan.row_features}, first.heads, rows);
}

// After forward_sweep and tangent_sweep: adds the gradient of sum_p d_out[p] out_dot[p].
#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE BL_OUT_OF_LINE void backward_dot_sweep(X& x, const Plan& plan, int rows, int points) {
  const Frame<T>& f = x.frame();
  const int last = plan.last().out, blocks = plan.last().blocks;
  if (plan.readout.count > 0) {
    x.outer(plan.readout, {plan.d_out}, {plan.s_dot + last}, plan.outputs, points);
    x.back({plan.d_s_dot + last}, plan.readout, {plan.d_out}, plan.outputs, points, Onto::zero);
  } else {  // d_out is d_s of the one block
    x.each(blocks, points, Fill<T>{f, plan.d_s_dot + last, T(0)});
    x.each(blocks, points, Add<T>{f, plan.d_s_dot + last, plan.d_s + last});
  }
  x.each(blocks, points, Fill<T>{f, plan.d_s + last, T(0)});
  for (int l = plan.layers - 1; l >= 0; --l) {
    const LayerPlan& layer = plan.layer[l];
    x.rows(layer.heads, points, HeadBackwardDot<T>{f, l, points});
    const Two by_heads{layer.phi, layer.slope};
    if (layer.inputs.count > 0)
      x.outer(layer.inputs, by_heads,
              l == 0 ? Two{plan.features, plan.features_dot} : Two{plan.z, plan.z_dot}, layer.heads, points);
    if (layer.reads.count > 0) {
      x.outer(layer.reads, by_heads, {plan.s + layer.read, plan.s_dot + layer.read}, layer.heads, points);
      pass_down(x, plan, l, by_heads, {plan.d_s, plan.d_s_dot}, points);
    }
    if (!layer.residual) continue;
    const int below = plan.layer[l - 1].out;
    if (layer.projection.count > 0)
      x.outer(layer.projection, {plan.d_s + layer.out, plan.d_s_dot + layer.out},
              {plan.s + below, plan.s_dot + below}, layer.blocks, points);
    pass_residual<T>(x, plan, l, plan.d_s, points);
    pass_residual<T>(x, plan, l, plan.d_s_dot, points);
  }
  const LayerPlan& first = plan.layer[0];
  if (first.context.count == 0) return;
  x.each(first.heads, rows, RowHeadBackward<T>{f, first.phi});
  if (!f.outer_heads) x.outer(first.context, {plan.row_heads}, {plan.row_features}, first.heads, rows);
}

// After forward_sweep: gradient of sum_p d_out[p] out[p] by the response, into plan.residual. The slopes
// stay.
#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE BL_OUT_OF_LINE void value_sweep(X& x, const Plan& plan, int points) {
  const Frame<T>& f = x.frame();
  if (plan.readout.count > 0)
    x.back({plan.d_s + plan.last().out}, plan.readout, {plan.d_out}, plan.outputs, points, Onto::zero);
  for (int l = plan.layers - 1; l >= 0; --l) {
    const LayerPlan& layer = plan.layer[l];
    x.rows(layer.heads, points, HeadBackward<T>{f, l, layer.dot, points, false});
    if (layer.inputs.count > 0)
      x.back({l == 0 ? plan.features_dot : plan.z_dot}, layer.inputs, {layer.dot}, layer.heads, points,
             l == 0 || l + 1 == plan.layers ? Onto::zero : Onto::itself);
    if (layer.reads.count > 0) pass_down(x, plan, l, {layer.dot}, {plan.d_s}, points);
    if (layer.residual) pass_residual<T>(x, plan, l, plan.d_s, points);
  }
  x.each(plan.values, points, ValueGradient<T>{f});
}

#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE void likelihood(X& x, const Plan& plan, int rows, double scale, bool learns) {
  x.set(plan.source, plan.per_row);
  const Frame<T>& f = x.frame();
  const int points = rows * f.per_row;
  if (plan.values > 0) x.each(plan.values, points, FillValues<T>{f});
  forward_sweep<T>(x, plan, rows, points, false);
  x.rows(rows, f.source == Source::outputs ? plan.outputs : f.per_row, LikelihoodLoss<T>{f, scale, learns});
  x.sum_loss(0, rows);
  if (learns) backward_sweep<T>(x, plan, rows, points);
}

#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE void score_matching(X& x, const Plan& plan, int rows, double scale, bool learns) {
  x.set(Source::values, plan.draws);
  const Frame<T>& f = x.frame();
  const int points = rows * f.per_row;
  x.each(plan.values / 2 + 1, points, FillNoise<T>{f});
  // For one value its own slope is the tangent.
  forward_sweep<T>(x, plan, rows, points, plan.values == 1);
  if (plan.values > 1) {
    x.each(plan.outputs, points, OwnOutput<T>{f});
    value_sweep<T>(x, plan, points);
  }
  x.rows(rows, f.per_row, ScoreLoss<T>{f, scale, learns});
  x.sum_loss(1, rows);
  if (!learns) return;
  if (plan.values > 1) tangent_sweep<T>(x, plan, points);
  backward_dot_sweep<T>(x, plan, rows, points);
}

// The loss of a chunk of rows and its gradient.
#pragma nv_exec_check_disable
template <class T, class X>
BL_HOST_DEVICE void objective_sweep(X& x, const Plan& plan, int rows, double scale, bool learns) {
  const bool hybrid = plan.kind == ObjectiveKind::hybrid;
  if (plan.kind != ObjectiveKind::score_matching)
    likelihood<T>(x, plan, rows, hybrid ? scale * plan.gamma_discrete : scale, learns);
  if (plan.kind != ObjectiveKind::likelihood)
    score_matching<T>(x, plan, rows, hybrid ? scale * plan.gamma_continuous : scale, learns);
}

}  // namespace bl::cuda

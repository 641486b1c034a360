#include "bl/shapley.hpp"

#include "bindings.hpp"
#include "bl/errors.hpp"

namespace bl::python {

namespace {

nb::dict run_shapley(const Model& model, const Data& data, const Data& background,
                     const ShapleyOptions& options) {
  ShapleyValues result;
  interruptible(
      options, [&](const ShapleyOptions& heard) { result = shapley_values(model, data, background, heard); });
  nb::dict out;
  out["columns"] = result.columns;
  out["outcomes"] = result.outcomes;
  out["exact"] = result.exact;
  out["background"] = result.background;
  out["base"] = to_array(std::move(result.base));
  out["values"] = to_array(std::move(result.values));
  out["errors"] = to_array(std::move(result.errors));
  return out;
}

}  // namespace

void bind_shapley(nb::module_& module) {
  nb::class_<ShapleyOptions>(module, "ShapleyOptions")
      .def(nb::init<>())
      .def_rw("background", &ShapleyOptions::background)
      .def_rw("rounds", &ShapleyOptions::rounds)
      .def_rw("treat_unseen_as_missing", &ShapleyOptions::treat_unseen_as_missing)
      .def_rw("seed", &ShapleyOptions::seed)
      .def_rw("threads", &ShapleyOptions::threads);
  module.def("shapley_values", &run_shapley, nb::arg("model"), nb::arg("data"), nb::arg("background"),
             nb::arg("options"));
}

}  // namespace bl::python

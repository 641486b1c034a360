// The extension module behavior_learning._core.
#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "Behavior Learning's C++ library.";
  module.def("library_version", &bl::library_version);
  bl::python::bind_errors(module);
  bl::python::bind_settings(module);
  bl::python::bind_data(module);
  bl::python::bind_arrow(module);
  bl::python::bind_model(module);
  bl::python::bind_fit(module);
  bl::python::bind_explain(module);
  bl::python::bind_choice(module);
  bl::python::bind_inference(module);
  bl::python::bind_shapley(module);
  bl::python::bind_datasets(module);
}

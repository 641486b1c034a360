// The extension module behavior_learning._core.
#include "bindings.hpp"
#include "bl/devices.hpp"

NB_MODULE(_core, module) {
  module.doc() = "Behavior Learning's C++ library.";
  module.def("library_version", &bl::library_version);
  module.def(
      "devices",
      [] {
        nanobind::list out;
        for (const bl::ComputeDevice& one : bl::compute_devices()) {
          nanobind::dict entry;
          entry["device"] = one.setting;
          entry["name"] = one.name;
          entry["details"] = one.details;
          out.append(entry);
        }
        return out;
      },
      "What training can run on: a list of dictionaries with the value of the parameter `device`, name and "
      "details.");
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

#include "bl/datasets.hpp"

#include "bindings.hpp"

namespace bl::python {

void bind_datasets(nb::module_& module) {
  module.def(
      "datasets",
      [] {
        nb::list out;
        for (const DatasetInfo& info : datasets()) {
          nb::dict one;
          one["name"] = info.name;
          one["summary"] = info.summary;
          one["description"] = info.description;
          one["response"] = info.response;
          out.append(one);
        }
        return out;
      },
      "The data sets that come with the library.");
  module.def(
      "dataset", [](const std::string& name) { return to_list(dataset(name)); }, nb::arg("name"));
}

}  // namespace bl::python

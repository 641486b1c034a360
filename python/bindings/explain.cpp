#include "bl/explain.hpp"

#include "bindings.hpp"
#include "bl/choice.hpp"
#include "bl/errors.hpp"

namespace bl::python {

namespace {

ExplainFormat format_of(const std::string& name) {
  static const std::map<std::string, ExplainFormat> formats = {
      {"text", ExplainFormat::text},         {"json", ExplainFormat::json}, {"latex", ExplainFormat::latex},
      {"markdown", ExplainFormat::markdown}, {"dot", ExplainFormat::dot},   {"svg", ExplainFormat::svg}};
  const auto found = formats.find(name);
  if (found == formats.end())
    throw UsageError("format '" + name + "': expected text, json, latex, markdown, dot or svg");
  return found->second;
}

}  // namespace

void bind_explain(nb::module_& module) {
  nb::class_<ExplainOptions>(module, "ExplainOptions")
      .def(nb::init<>())
      .def_rw("standardised", &ExplainOptions::standardised)
      .def_rw("terms", &ExplainOptions::terms, nb::arg().none())
      .def_rw("threshold", &ExplainOptions::threshold)
      .def_rw("block", &ExplainOptions::block);
  module.def(
      "explain_model",
      [](const Model& model, const std::string& format, const ExplainOptions& options) {
        return explain_model(model, format_of(format), options);
      },
      nb::arg("model"), nb::arg("format"), nb::arg("options"), nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "explain_choice",
      [](const ChoiceModel& model, const std::string& format, const ExplainOptions& options,
         const std::string& alternative) {
        return explain_choice(model, format_of(format), options, alternative);
      },
      nb::arg("model"), nb::arg("format"), nb::arg("options"), nb::arg("alternative"),
      nb::call_guard<nb::gil_scoped_release>());
  module.def("explain_row", &explain_row, nb::arg("model"), nb::arg("data"), nb::arg("row"),
             nb::arg("options"), nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "importance",
      [](const Model& model, const Data& data, const std::string& part) {
        OutputTable table;
        {
          const nb::gil_scoped_release unlocked;
          table = importance(model, data, part_of(part));
        }
        return to_list(std::move(table));
      },
      nb::arg("model"), nb::arg("data"), nb::arg("part"));
  module.def(
      "marginal_utilities",
      [](const Model& model, const Data& data, const std::string& numeraire) {
        OutputTable table;
        {
          const nb::gil_scoped_release unlocked;
          table = marginal_utilities(model, data, numeraire);
        }
        return to_list(std::move(table));
      },
      nb::arg("model"), nb::arg("data"), nb::arg("numeraire"));
}

}  // namespace bl::python

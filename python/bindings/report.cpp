#include "bl/report.hpp"

#include "bindings.hpp"
#include "bl/errors.hpp"

namespace bl::python {

namespace {

std::string run_report(const Model& model, const Data& data, ReportOptions options) {
  FitWatch watch{nb::object(nb::none())};
  options.should_stop = watch.options().should_stop;
  std::string page;
  try {
    const nb::gil_scoped_release unlocked;
    page = report_html(model, data, options);
  } catch (const Interrupted&) {
    watch.rethrow();
    throw;
  }
  watch.rethrow();
  return page;
}

}  // namespace

void bind_report(nb::module_& module) {
  nb::class_<ReportOptions>(module, "ReportOptions")
      .def(nb::init<>())
      .def_rw("title", &ReportOptions::title)
      .def_rw("command", &ReportOptions::command)
      .def_rw("row", &ReportOptions::row)
      .def_rw("money", &ReportOptions::money)
      .def_rw("threads", &ReportOptions::threads);
  module.def("report_html", &run_report, nb::arg("model"), nb::arg("data"), nb::arg("options"));
}

}  // namespace bl::python

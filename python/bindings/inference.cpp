// Standard errors, tests and canonical forms.
#include "bl/inference.hpp"
#include "bl/compare.hpp"

#include "bindings.hpp"
#include "bl/errors.hpp"

namespace bl::python {

namespace {

nb::dict test_dict(const HypothesisTest& test) {
  nb::dict out;
  out["hypothesis"] = test.hypothesis;
  out["statistic"] = test.statistic;
  out["degrees"] = test.degrees;
  out["pvalue"] = test.p;
  return out;
}

nb::tuple run_inference(const Model& model, const Data& data, const InferenceOptions& options) {
  std::optional<Inference> result;
  interruptible(options, [&](const InferenceOptions& heard) { result.emplace(infer(model, data, heard)); });
  return nb::make_tuple(std::move(result->model), std::move(result->summary));
}

nb::object choice_facts(const InferenceSummary& summary) {
  if (!summary.choice) return nb::none();
  nb::dict out;
  out["alternatives"] = summary.choice->alternatives;
  out["persons"] = summary.choice->persons;
  out["null_log_likelihood"] = summary.choice->null_log_likelihood;
  out["rho_square"] = summary.choice->rho_square;
  out["adjusted_rho_square"] = summary.choice->adjusted_rho_square;
  return out;
}

void bind_infer(nb::module_& module) {
  module.def("infer", &run_inference, nb::arg("model"), nb::arg("data"), nb::arg("options"),
             "The model at the minimum, in canonical form and with its covariances; and the summary.");
  module.def(
      "stored_inference",
      [](const Model& model, const InferenceOptions& options) { return stored_inference(model, options); },
      nb::arg("model"), nb::arg("options"));
  module.def(
      "has_inference", [](const Model& model) { return has_inference(model); }, nb::arg("model"));
}

void bind_estimates(nb::module_& module) {
  nb::class_<EstimatedParameter>(module, "EstimatedParameter")
      .def_ro("name", &EstimatedParameter::name)
      .def_ro("estimate", &EstimatedParameter::estimate)
      .def_ro("standard_error", &EstimatedParameter::standard_error)
      .def_ro("z", &EstimatedParameter::z)
      .def_ro("p", &EstimatedParameter::p)
      .def_ro("lower", &EstimatedParameter::lower)
      .def_ro("upper", &EstimatedParameter::upper)
      .def_ro("bootstrap_error", &EstimatedParameter::bootstrap_error)
      .def_ro("state", &EstimatedParameter::state)
      .def_ro("of_bend", &EstimatedParameter::of_bend);
  nb::class_<EstimatedCurve>(module, "EstimatedCurve")
      .def_ro("name", &EstimatedCurve::name)
      .def_ro("in_words", &EstimatedCurve::in_words)
      .def_ro("at", &EstimatedCurve::at)
      .def_ro("value", &EstimatedCurve::value)
      .def_ro("standard_error", &EstimatedCurve::standard_error)
      .def_ro("lower", &EstimatedCurve::lower)
      .def_ro("upper", &EstimatedCurve::upper)
      .def_ro("straight", &EstimatedCurve::straight)
      .def_ro("straight_degrees", &EstimatedCurve::straight_degrees)
      .def_ro("straight_p", &EstimatedCurve::straight_p)
      .def_ro("flat", &EstimatedCurve::flat)
      .def_ro("flat_degrees", &EstimatedCurve::flat_degrees)
      .def_ro("flat_p", &EstimatedCurve::flat_p);
  nb::class_<EstimatedProduct>(module, "EstimatedProduct")
      .def_ro("name", &EstimatedProduct::name)
      .def_ro("in_words", &EstimatedProduct::in_words)
      .def_ro("first", &EstimatedProduct::first)
      .def_ro("second", &EstimatedProduct::second)
      .def_ro("first_at", &EstimatedProduct::first_at)
      .def_ro("second_at", &EstimatedProduct::second_at)
      .def_ro("value", &EstimatedProduct::value)
      .def_ro("standard_error", &EstimatedProduct::standard_error)
      .def_ro("lower", &EstimatedProduct::lower)
      .def_ro("upper", &EstimatedProduct::upper)
      .def_ro("flat", &EstimatedProduct::flat)
      .def_ro("flat_degrees", &EstimatedProduct::flat_degrees)
      .def_ro("flat_p", &EstimatedProduct::flat_p);
}

}  // namespace

void bind_inference(nb::module_& module) {
  nb::class_<InferenceOptions>(module, "InferenceOptions")
      .def(nb::init<>())
      .def_rw("covariance", &InferenceOptions::covariance)
      .def_rw("cluster", &InferenceOptions::cluster)
      .def_rw("level", &InferenceOptions::level)
      .def_rw("standardised", &InferenceOptions::standardised)
      .def_rw("reference", &InferenceOptions::reference)
      .def_rw("starts", &InferenceOptions::starts)
      .def_rw("bootstrap", &InferenceOptions::bootstrap)
      .def_rw("seed", &InferenceOptions::seed)
      .def_rw("threads", &InferenceOptions::threads)
      .def_rw("device", &InferenceOptions::device);
  bind_estimates(module);
  nb::class_<InferenceSummary>(module, "InferenceSummary")
      .def_ro("rows", &InferenceSummary::rows)
      .def_ro("log_likelihood", &InferenceSummary::log_likelihood)
      .def_ro("aic", &InferenceSummary::aic)
      .def_ro("bic", &InferenceSummary::bic)
      .def_ro("parameters", &InferenceSummary::parameters)
      .def_ro("covariance", &InferenceSummary::covariance)
      .def_ro("condition", &InferenceSummary::condition)
      .def_ro("unidentified", &InferenceSummary::unidentified)
      .def_ro("notes", &InferenceSummary::notes)
      .def_ro("estimates", &InferenceSummary::estimates)
      .def_ro("curves", &InferenceSummary::curves)
      .def_ro("products", &InferenceSummary::products)
      .def("choice", &choice_facts)
      .def("covariance_matrix", [](const InferenceSummary& s) { return to_array(s.covariance_matrix); });
  bind_infer(module);
  module.def(
      "render_summary",
      [](const InferenceSummary& summary, const std::string& format) {
        return render(summary, summary_format(format));
      },
      nb::arg("summary"), nb::arg("format"));
  module.def("render_comparison",
             [](const std::vector<std::pair<std::string, InferenceSummary>>& models,
                const std::string& format) { return render(compare(models), summary_format(format)); });
  module.def("wald_test", [](const InferenceSummary& summary, const std::string& hypothesis) {
    return test_dict(wald_test(summary, hypothesis));
  });
  module.def("likelihood_ratio_test", [](const InferenceSummary& a, const InferenceSummary& b) {
    return test_dict(likelihood_ratio_test(a, b));
  });
  module.def("canonical", [](const Model& model, const std::string& reference) {
    Canonical result = canonical(model, reference);
    return nb::make_tuple(std::move(result.model), std::move(result.notes));
  });
}

}  // namespace bl::python

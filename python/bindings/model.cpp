#include "bl/model.hpp"

#include "bindings.hpp"
#include "bl/distribution.hpp"
#include "bl/errors.hpp"
#include "bl/sample.hpp"

namespace bl::python {

namespace {

nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

nb::list predict(const Model& model, const Data& data, const std::string& part,
                 const PredictOptions& options) {
  OutputTable table;
  with_notes(options,
             [&](const PredictOptions& heard) { table = model.predict(data, part_of(part), heard); });
  return to_list(std::move(table));
}

nb::dict sample_dict(const Model& model, const Data* data, const SampleOptions& options) {
  SampleResult result;
  interruptible(options, [&](const SampleOptions& heard) {
    result = data ? sample(model, *data, heard) : sample(model, heard);
  });
  nb::dict out;
  out["draws"] = to_list(std::move(result.draws));
  out["method"] = result.method;
  out["verdict"] = result.verdict;
  out["warning"] = result.warning;
  out["note"] = result.note;
  out["acceptance"] = result.acceptance;
  out["worst_rhat"] = result.worst_rhat;
  out["least_bulk_size"] = result.least_bulk_size;
  out["least_tail_size"] = result.least_tail_size;
  out["divergences"] = result.divergences;
  return out;
}

Numbers row_log_density(const Model& model, const Data& data, const DistributionOptions& options) {
  std::vector<double> numbers;
  with_notes(options, [&](const DistributionOptions& heard) { numbers = log_density(model, data, heard); });
  return to_array(std::move(numbers));
}

Numbers row_utility(const Model& model, const Data& data, const DistributionOptions& options) {
  std::vector<double> numbers;
  {
    const nb::gil_scoped_release unlocked;
    numbers = utility(model, data, options);
  }
  return to_array(std::move(numbers));
}

void bind_options(nb::module_& module) {
  nb::class_<PredictOptions>(module, "PredictOptions")
      .def(nb::init<>())
      .def_rw("quantiles", &PredictOptions::quantiles)
      .def_rw("interval", &PredictOptions::interval)
      .def_rw("highest_density", &PredictOptions::highest_density)
      .def_rw("mode", &PredictOptions::mode)
      .def_rw("utilities", &PredictOptions::utilities)
      .def_rw("ood", &PredictOptions::ood)
      .def_rw("density_points", &PredictOptions::density_points)
      .def_rw("temperature", &PredictOptions::temperature)
      .def_rw("tolerance", &PredictOptions::tolerance)
      .def_rw("treat_unseen_as_missing", &PredictOptions::treat_unseen_as_missing)
      .def_rw("threads", &PredictOptions::threads);
  nb::class_<DistributionOptions>(module, "DistributionOptions")
      .def(nb::init<>())
      .def_rw("temperature", &DistributionOptions::temperature)
      .def_rw("treat_unseen_as_missing", &DistributionOptions::treat_unseen_as_missing)
      .def_rw("threads", &DistributionOptions::threads);
  nb::class_<SampleOptions>(module, "SampleOptions")
      .def(nb::init<>())
      .def_rw("method", &SampleOptions::method)
      .def_rw("draws", &SampleOptions::draws)
      .def_rw("chains", &SampleOptions::chains)
      .def_rw("warmup", &SampleOptions::warmup)
      .def_rw("temperature", &SampleOptions::temperature)
      .def_rw("step", &SampleOptions::step)
      .def_rw("given", &SampleOptions::given)
      .def_rw("seed", &SampleOptions::seed)
      .def_rw("threads", &SampleOptions::threads)
      .def_rw("device", &SampleOptions::device);
}

}  // namespace

void bind_model(nb::module_& module) {
  bind_options(module);
  nb::class_<ResponseInfo>(module, "ResponseInfo")
      .def_ro("name", &ResponseInfo::name)
      .def_ro("levels", &ResponseInfo::levels)
      .def_ro("text", &ResponseInfo::text)
      .def_ro("lower", &ResponseInfo::lower)
      .def_ro("upper", &ResponseInfo::upper);
  nb::class_<FeatureInfo>(module, "FeatureInfo")
      .def_ro("name", &FeatureInfo::name)
      .def_ro("used", &FeatureInfo::used)
      .def_ro("type", &FeatureInfo::type)
      .def_ro("text", &FeatureInfo::text)
      .def_ro("levels", &FeatureInfo::levels);
  nb::class_<Model>(module, "Model")
      .def_static("load", &Model::load, nb::arg("path"), nb::arg("no_verify") = false,
                  nb::call_guard<nb::gil_scoped_release>())
      .def("save", &Model::save, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("to_bytes", [](const Model& model) { return bytes_of(model.to_bytes()); })
      .def_static("from_bytes",
                  [](const nb::bytes& bytes, const std::string& name) {
                    return Model::from_bytes({bytes.c_str(), bytes.size()}, name);
                  })
      .def("__getstate__", [](const Model& model) { return bytes_of(model.to_bytes()); })
      .def("__setstate__",
           [](Model& model, const nb::bytes& bytes) {
             new (&model) Model(Model::from_bytes({bytes.c_str(), bytes.size()}, "pickled model"));
           })
      .def("information_json", &Model::information_json)
      .def("describe", &Model::describe)
      .def("is_choice", &Model::is_choice)
      .def("responses", &Model::responses)
      .def("features", &Model::features)
      .def("predict", &predict, nb::arg("data"), nb::arg("part"), nb::arg("options"))
      .def(
          "evaluate",
          [](const Model& model, const Data& data, const std::string& part, const PredictOptions& options) {
            std::vector<Metric> metrics;
            with_notes(options, [&](const PredictOptions& heard) {
              metrics = model.evaluate(data, part_of(part), heard);
            });
            return to_dict(metrics);
          },
          nb::arg("data"), nb::arg("part"), nb::arg("options"))
      .def("log_density", &row_log_density, nb::arg("data"), nb::arg("options"))
      .def("utility", &row_utility, nb::arg("data"), nb::arg("options"))
      .def("sample", &sample_dict, nb::arg("data").none(), nb::arg("options"));
}

}  // namespace bl::python

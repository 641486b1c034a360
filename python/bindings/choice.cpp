#include "bl/choice.hpp"

#include "bindings.hpp"

namespace bl::python {

namespace {

// Runs without the interpreter's lock.
template <class Function>
auto unlocked(Function&& function) {
  const nb::gil_scoped_release release;
  return function();
}

nb::dict coefficient_dict(const ChoiceCoefficient& one) {
  nb::dict out;
  out["name"] = one.name;
  out["estimate"] = one.estimate;
  out["standard_error"] = one.standard_error;
  out["robust_error"] = one.robust_error;
  out["clustered_error"] = one.clustered_error;
  return out;
}

nb::dict run_fit(const Data& data, const std::string& schema, const SettingTexts& texts, nb::object progress,
                 bool training_rows_only) {
  const Settings settings = settings_of(texts);
  FitWatch watch(std::move(progress));
  FitOptions options = watch.options();
  options.training_rows_only = training_rows_only;
  std::optional<ChoiceFitSummary> summary;
  {
    const nb::gil_scoped_release release;
    summary.emplace(fit_choice_text(data, schema, "choice schema", settings, options));
  }
  watch.rethrow();
  nb::dict out;
  out["model"] = summary->model;
  out["plan"] = summary->plan;
  out["notes"] = summary->notes;
  out["stop_cause"] = summary->stop_cause;
  out["interrupted"] = watch.interrupted();
  out["epochs"] = summary->epochs;
  out["seconds"] = summary->seconds;
  out["train"] = to_dict(summary->train);
  out["validation"] = to_dict(summary->validation);
  out["test"] = to_dict(summary->test);
  return out;
}

nb::dict what_if_dict(const ChoiceModel& model, const Data& data,
                      const std::vector<std::vector<std::string>>& changes,
                      const std::map<std::string, std::string>& added,
                      const std::vector<std::string>& withdrawn, const std::string& money) {
  ChoiceScenario scenario;
  for (const auto& [name, like] : added) scenario.added.push_back({name, like});
  for (const auto& change : changes) scenario.changes.push_back({change.at(0), change.at(1), change.at(2)});
  scenario.withdrawn = withdrawn;
  const WhatIf result = unlocked([&] { return model.what_if(data, scenario, money); });
  nb::dict out;
  out["alternatives"] = result.alternatives;
  out["before"] = to_array(result.before);
  out["after"] = to_array(result.after);
  out["change_error"] = to_array(result.change_error);
  out["diversion"] = to_array(result.diversion);
  out["surplus_change"] = result.surplus_change;
  out["surplus_error"] = result.surplus_error;
  out["money_change"] = result.money_change;
  out["money_error"] = result.money_error;
  return out;
}

void bind_economics(nb::class_<ChoiceModel>& model) {
  model
      .def("what_if", &what_if_dict, nb::arg("data"), nb::arg("changes"), nb::arg("added"),
           nb::arg("withdrawn"), nb::arg("money"))
      .def(
          "elasticities",
          [](const ChoiceModel& m, const Data& data, const std::string& attribute) {
            const ChoiceElasticities result = unlocked([&] { return m.elasticities(data, attribute); });
            return nb::make_tuple(result.by, result.errors);
          },
          nb::arg("data"), nb::arg("attribute"))
      .def(
          "slopes",
          [](const ChoiceModel& m, const Data& data, const std::string& attribute) {
            const ChoiceSlopes result = unlocked([&] { return m.slopes(data, attribute); });
            return nb::make_tuple(result.alternatives, to_array(result.mean), to_array(result.negative));
          },
          nb::arg("data"), nb::arg("attribute"))
      .def(
          "trade_off",
          [](const ChoiceModel& m, const Data& data, const std::string& attribute, const std::string& money) {
            const ChoiceTradeOff result = unlocked([&] { return m.trade_off(data, attribute, money); });
            nb::dict out;
            out["value"] = result.value;
            out["standard_error"] = result.standard_error;
            out["lower_quartile"] = result.lower_quartile;
            out["upper_quartile"] = result.upper_quartile;
            out["alternatives"] = result.alternatives;
            out["by"] = to_array(result.by);
            out["errors"] = to_array(result.errors);
            return out;
          },
          nb::arg("data"), nb::arg("attribute"), nb::arg("money"));
}

}  // namespace

void bind_choice(nb::module_& module) {
  nb::class_<ChoiceModel> model(module, "ChoiceModel");
  model.def_static("load", &ChoiceModel::load, nb::arg("path"))
      .def("save", &ChoiceModel::save, nb::arg("path"))
      .def("to_bytes",
           [](const ChoiceModel& m) {
             const std::string bytes = m.to_bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static("from_bytes",
                  [](const nb::bytes& bytes, const std::string& name) {
                    return ChoiceModel::from_bytes({bytes.c_str(), bytes.size()}, name);
                  })
      .def("__getstate__",
           [](const ChoiceModel& m) {
             const std::string bytes = m.to_bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__",
           [](ChoiceModel& m, const nb::bytes& bytes) {
             new (&m) ChoiceModel(ChoiceModel::from_bytes({bytes.c_str(), bytes.size()}, "pickled model"));
           })
      .def("describe", &ChoiceModel::describe)
      .def("information_json", &ChoiceModel::information_json)
      .def("alternatives", &ChoiceModel::alternatives)
      .def("attributes", &ChoiceModel::attributes)
      .def("coefficients",
           [](const ChoiceModel& m) {
             nb::list out;
             for (const ChoiceCoefficient& one : m.coefficients()) out.append(coefficient_dict(one));
             return out;
           })
      .def("predict", [](const ChoiceModel& m,
                         const Data& data) { return to_list(unlocked([&] { return m.predict(data); })); })
      .def("utilities", [](const ChoiceModel& m,
                           const Data& data) { return to_list(unlocked([&] { return m.utilities(data); })); })
      .def("market_shares",
           [](const ChoiceModel& m, const Data& data) {
             return to_list(unlocked([&] { return m.market_shares(data); }));
           })
      .def("evaluate", [](const ChoiceModel& m, const Data& data) {
        return to_dict(unlocked([&] { return m.evaluate(data); }));
      });
  bind_economics(model);
  module.def("fit_choice", &run_fit, nb::arg("data"), nb::arg("schema"), nb::arg("settings"),
             nb::arg("progress").none(), nb::arg("training_rows_only"));
}

}  // namespace bl::python

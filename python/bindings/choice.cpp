#include "bl/choice.hpp"

#include "bindings.hpp"
#include "bl/choice_declaration.hpp"
#include "bl/names.hpp"

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

using Bounds = std::pair<double, double>;

Bounds bounds(const Interval& one) {
  return {one.lower, one.upper};
}

std::vector<Bounds> bounds(const std::vector<Interval>& all) {
  std::vector<Bounds> out;
  for (const Interval& one : all) out.push_back(bounds(one));
  return out;
}

nb::dict what_if_dict(const Model& model, const Data& data,
                      const std::vector<std::vector<std::string>>& changes,
                      const std::map<std::string, std::string>& added,
                      const std::vector<std::string>& withdrawn, const std::string& money,
                      std::size_t threads, const EconomicsErrors& errors) {
  ChoiceScenario scenario;
  for (const auto& [name, like] : added) scenario.added.push_back({name, like});
  for (const auto& change : changes) scenario.changes.push_back({change.at(0), change.at(1), change.at(2)});
  scenario.withdrawn = withdrawn;
  const WhatIf result = unlocked([&] { return what_if(model, data, scenario, money, threads, errors); });
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
  out["notes"] = result.notes;
  if (errors.draws == 0) return out;
  out["change_interval"] = bounds(result.change_interval);
  out["surplus_interval"] = bounds(result.surplus_interval);
  out["money_interval"] = bounds(result.money_interval);
  return out;
}

nb::dict trade_off_dict(const Model& m, const Data& data, const std::string& attribute,
                        const std::string& money, std::size_t threads, const EconomicsErrors& errors) {
  const ChoiceTradeOff result =
      unlocked([&] { return trade_off(m, data, attribute, money, threads, errors); });
  nb::dict out;
  out["value"] = result.value;
  out["standard_error"] = result.standard_error;
  out["lower_quartile"] = result.lower_quartile;
  out["upper_quartile"] = result.upper_quartile;
  out["alternatives"] = result.alternatives;
  out["by"] = to_array(result.by);
  out["errors"] = to_array(result.errors);
  out["members"] = to_array(result.members);
  out["warnings"] = result.warnings;
  if (errors.draws == 0) return out;
  out["interval"] = bounds(result.interval);
  out["intervals"] = bounds(result.intervals);
  return out;
}

void bind_declaration_parts(nb::module_& module) {
  using D = ChoiceDeclaration;
  nb::class_<D::Alternative>(module, "ChoiceAlternative")
      .def(nb::init<>())
      .def_rw("name", &D::Alternative::name)
      .def_rw("code", &D::Alternative::code)
      .def_rw("columns", &D::Alternative::columns)
      .def_rw("available", &D::Alternative::available)
      .def_rw("attributes", &D::Alternative::attributes);
  nb::class_<D::Specific>(module, "ChoiceSpecific")
      .def("__init__",
           [](D::Specific* self, const std::string& attribute, const std::vector<std::string>& alternatives) {
             new (self) D::Specific{attribute, alternatives};
           });
  nb::class_<D::Nest>(module, "ChoiceNest")
      .def("__init__",
           [](D::Nest* self, const std::string& name, const std::vector<std::string>& alternatives) {
             new (self) D::Nest{name, alternatives};
           });
}

void bind_declaration(nb::module_& module) {
  using D = ChoiceDeclaration;
  bind_declaration_parts(module);
  nb::class_<D>(module, "ChoiceDeclaration")
      .def(nb::init<>())
      .def_static("parse",
                  [](const std::string& text, const std::string& name) { return D::parse(text, name); })
      .def_rw("layout", &D::layout)
      .def_rw("choice", &D::choice)
      .def_rw("situation", &D::situation)
      .def_rw("alternative", &D::alternative)
      .def_rw("chosen", &D::chosen)
      .def_rw("available", &D::available)
      .def_rw("outside", &D::outside)
      .def_rw("rank", &D::rank)
      .def_rw("ranking", &D::ranking)
      .def_rw("filter", &D::filter)
      .def_rw("weight", &D::weight)
      .def_rw("person", &D::person)
      .def_rw("derived", &D::derived)
      .def_rw("attributes", &D::attributes)
      .def_rw("terms", &D::terms)
      .def_rw("alternatives", &D::alternatives)
      .def_rw("form", &D::form)
      .def_rw("constants", &D::constants)
      .def_rw("reference", &D::reference)
      .def_rw("generic", &D::generic)
      .def_rw("specific", &D::specific)
      .def_rw("signs", &D::signs)
      .def_rw("context", &D::context)
      .def_rw("nominal", &D::nominal)
      .def_rw("rivals", &D::rivals)
      .def_rw("settings", &D::settings)
      .def_rw("random", &D::random)
      .def_rw("correlated", &D::correlated)
      .def_rw("draws", &D::draws)
      .def_rw("nests", &D::nests)
      .def_rw("latent", &D::latent)
      .def_rw("membership", &D::membership)
      .def_rw("scale", &D::scale)
      .def_rw("scale_levels", &D::scale_levels)
      .def_rw("places", &D::places);
  module.def("did_you_mean", [](const std::string& wrong, const std::vector<std::string>& valid) {
    return did_you_mean(wrong, valid);
  });
}

}  // namespace

void bind_choice(nb::module_& module) {
  bind_declaration(module);
  nb::class_<EconomicsErrors>(module, "EconomicsErrors")
      .def(nb::init<>())
      .def_rw("covariance", &EconomicsErrors::covariance)
      .def_rw("draws", &EconomicsErrors::draws)
      .def_rw("level", &EconomicsErrors::level)
      .def_rw("seed", &EconomicsErrors::seed);
  module.def("alternatives", &alternatives);
  module.def("coefficients", [](const Model& m) {
    nb::list out;
    for (const ChoiceCoefficient& one : coefficients(m)) out.append(coefficient_dict(one));
    return out;
  });
  module.def("market_shares", [](const Model& m, const Data& data, std::size_t threads) {
    return to_list(unlocked([&] { return market_shares(m, data, Part::all, threads); }));
  });
  module.def("segments", [](const Model& m, const Data& data, const std::string& column) {
    nb::list out;
    for (const Segment& one : unlocked([&] { return segments(m, data, column); }))
      out.append(nb::make_tuple(one.level, one.data));
    return out;
  });
  module.def("posterior_means", [](const Model& m, const Data& data, std::size_t threads) {
    return to_list(unlocked([&] { return posterior_means(m, data, threads); }));
  });
  module.def("what_if", &what_if_dict, nb::arg("model"), nb::arg("data"), nb::arg("changes"),
             nb::arg("added"), nb::arg("withdrawn"), nb::arg("money"), nb::arg("threads"), nb::arg("errors"));
  module.def("elasticities", [](const Model& m, const Data& data, const std::string& attribute,
                                std::size_t threads, const EconomicsErrors& errors) {
    const ChoiceElasticities result =
        unlocked([&] { return elasticities(m, data, attribute, threads, errors); });
    return nb::make_tuple(result.by, result.errors, result.warnings);
  });
  module.def("slopes",
             [](const Model& m, const Data& data, const std::string& attribute, std::size_t threads) {
               const ChoiceSlopes result = unlocked([&] { return slopes(m, data, attribute, threads); });
               return nb::make_tuple(result.alternatives, to_array(result.mean), result.warnings);
             });
  module.def("trade_off", &trade_off_dict, nb::arg("model"), nb::arg("data"), nb::arg("attribute"),
             nb::arg("money"), nb::arg("threads"), nb::arg("errors"));
}

}  // namespace bl::python

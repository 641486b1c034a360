#include "bl/explain.hpp"

#include "bindings.hpp"
#include "bl/errors.hpp"
#include "bl/report.hpp"
#include "bl/response_curves.hpp"
#include "bl/scenario.hpp"
#include "bl/simplify.hpp"

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

template <class Function>
nb::list unlocked_table(Function&& function) {
  OutputTable table;
  {
    const nb::gil_scoped_release unlocked;
    table = function();
  }
  return to_list(std::move(table));
}

// The small model, the table of sizes, and both in words.
nb::tuple run_simplify(const Model& model, const Data& data, const SimplifyOptions& options) {
  std::optional<Simplified> result;
  interruptible(options, [&](const SimplifyOptions& heard) { result.emplace(simplify(model, data, heard)); });
  return nb::make_tuple(result->model, to_list(size_table(*result)), render(*result));
}

std::string run_report(const Model& model, const Data& data, const ReportOptions& options) {
  std::string page;
  interruptible(options, [&](const ReportOptions& heard) { page = report_html(model, data, heard); });
  return page;
}

void bind_report(nb::module_& module) {
  nb::class_<ReportOptions>(module, "ReportOptions")
      .def(nb::init<>())
      .def_rw("title", &ReportOptions::title)
      .def_rw("command", &ReportOptions::command)
      .def_rw("row", &ReportOptions::row)
      .def_rw("money", &ReportOptions::money)
      .def_rw("threads", &ReportOptions::threads);
  module.def(
      "response_curves",
      [](const Model& model, const Data& data, const std::vector<std::string>& columns, std::size_t row,
         std::size_t threads) {
        return response_curves(model, data, {.columns = columns, .row = row, .threads = threads});
      },
      nb::arg("model"), nb::arg("data"), nb::arg("columns"), nb::arg("row"), nb::arg("threads"),
      nb::call_guard<nb::gil_scoped_release>());
  module.def("report_html", &run_report, nb::arg("model"), nb::arg("data"), nb::arg("options"));
}

void bind_simplify(nb::module_& module) {
  nb::class_<SimplifyOptions>(module, "SimplifyOptions")
      .def(nb::init<>())
      .def_rw("blocks", &SimplifyOptions::blocks)
      .def_rw("columns", &SimplifyOptions::columns)
      .def_rw("most_blocks", &SimplifyOptions::most_blocks)
      .def_rw("head_columns", &SimplifyOptions::head_columns)
      .def_rw("starts", &SimplifyOptions::starts)
      .def_rw("threads", &SimplifyOptions::threads);
  module.attr("READABLE_BLOCKS") = kReadableBlocks;
  module.def("simplify", &run_simplify, nb::arg("model"), nb::arg("data"), nb::arg("options"));
}

}  // namespace

static void bind_explain_options(nb::module_& module) {
  nb::class_<ExplainOptions>(module, "ExplainOptions")
      .def(nb::init<>())
      .def_rw("standardised", &ExplainOptions::standardised)
      .def_rw("terms", &ExplainOptions::terms, nb::arg().none())
      .def_rw("threshold", &ExplainOptions::threshold)
      .def_rw("block", &ExplainOptions::block)
      .def_rw("alternative", &ExplainOptions::alternative)
      .def_rw("full", &ExplainOptions::full);
}

// Tables of what a model says about rows.
static void bind_questions_of_rows(nb::module_& module) {
  module.def(
      "importance",
      [](const Model& model, const Data& data, bool by_head, std::size_t threads) {
        return unlocked_table(
            [&] { return importance(model, data, {.by_head = by_head, .threads = threads}); });
      },
      nb::arg("model"), nb::arg("data"), nb::arg("by_head"), nb::arg("threads"));
  module.def(
      "responses",
      [](const Model& model, const Data& data, std::size_t threads) {
        OutputTable table;
        with_notes(ResponsesOptions{.threads = threads},
                   [&](const ResponsesOptions& heard) { table = responses(model, data, heard); });
        return to_list(std::move(table));
      },
      nb::arg("model"), nb::arg("data"), nb::arg("threads"));
  module.def(
      "economics",
      [](const Model& model, const Data& data, const std::string& numeraire, std::size_t row,
         std::size_t threads) {
        return unlocked_table(
            [&] { return economics(model, data, {.numeraire = numeraire, .row = row, .threads = threads}); });
      },
      nb::arg("model"), nb::arg("data"), nb::arg("numeraire"), nb::arg("row"), nb::arg("threads"));
  module.def(
      "constraint_diagnostics",
      [](const Model& model, const Data& data, const std::string& numeraire, bool at_best,
         std::size_t threads) {
        return unlocked_table([&] {
          return constraint_diagnostics(model, data,
                                        {.numeraire = numeraire, .at_best = at_best, .threads = threads});
        });
      },
      nb::arg("model"), nb::arg("data"), nb::arg("numeraire"), nb::arg("at_best"), nb::arg("threads"));
}

void bind_explain(nb::module_& module) {
  bind_simplify(module);
  bind_report(module);
  bind_explain_options(module);
  nb::class_<Scenario>(module, "Scenario")
      .def(nb::init<>())
      .def_rw("set", &Scenario::set)
      .def_rw("drop_constraints", &Scenario::drop_constraints)
      .def_rw("scale_lambdas", &Scenario::scale_lambdas)
      .def_rw("threads", &Scenario::threads);
  module.def(
      "explain_model",
      [](const Model& model, const std::string& format, const ExplainOptions& options) {
        return explain_model(model, format_of(format), options);
      },
      nb::arg("model"), nb::arg("format"), nb::arg("options"), nb::call_guard<nb::gil_scoped_release>());
  module.def("explain_row", &explain_row, nb::arg("model"), nb::arg("data"), nb::arg("row"),
             nb::arg("options"), nb::call_guard<nb::gil_scoped_release>());
  bind_questions_of_rows(module);
  module.def(
      "solve_scenario",
      [](const Model& model, const Data& data, const Scenario& scenario) {
        ScenarioResult result;
        {
          const nb::gil_scoped_release unlocked;
          result = solve_scenario(model, data, scenario);
        }
        return nb::make_tuple(to_list(std::move(result.summary)), to_list(std::move(result.rows)),
                              std::move(result.notes));
      },
      nb::arg("model"), nb::arg("data"), nb::arg("scenario"));
}

}  // namespace bl::python

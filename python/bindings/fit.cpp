#include "bl/fit.hpp"

#include <chrono>

#include "bindings.hpp"
#include "bl/shared_data.hpp"
#include "ranks.hpp"

namespace bl::python {

namespace {

constexpr std::chrono::milliseconds kBetweenChecks(50);

// The rows from `first_validation` on are for validation, those before for training.
std::vector<Part> parts_of(std::size_t rows, std::size_t first_validation) {
  std::vector<Part> parts(rows, Part::train);
  for (std::size_t row = first_validation; row < rows; ++row) parts[row] = Part::validation;
  return parts;
}

nb::dict progress_dict(const FitProgress& p) {
  nb::dict out;
  out["text"] = p.text;
  out["member"] = p.member;
  out["members"] = p.members;
  out["epoch"] = p.epoch;
  out["epoch_share"] = p.epoch_share;
  out["epochs"] = p.epochs;
  out["train_loss"] = p.train_loss;
  out["validation_loss"] = p.validation_loss;
  out["best"] = p.best;
  out["best_epoch"] = p.best_epoch;
  out["seconds"] = p.seconds;
  out["seconds_left"] = p.seconds_left;
  out["left_at_most"] = p.left_at_most;
  out["trial"] = p.trial;
  return out;
}

struct FitArguments {
  bool training_rows_only = false;
  std::optional<std::size_t> first_validation_row;  // nothing: the settings cut the rows
  std::optional<ChoiceDeclaration> declaration;     // of choices among alternatives
  std::optional<Model> start;
  std::string checkpoint;
  bool resume = false;
};

// work(options) with what Python gave.
template <class Work>
nb::tuple watched_fit(nb::object progress, const FitArguments& given, std::size_t rows, const Work& work) {
  FitWatch watch(std::move(progress));
  FitOptions options = watch.options();
  if (given.first_validation_row) options.parts = parts_of(rows, *given.first_validation_row);
  options.training_rows_only = given.training_rows_only;
  options.start = given.start;
  options.checkpoint = given.checkpoint;
  options.resume = given.resume;
  options.list_unused = true;
  std::optional<FitSummary> summary;
  {
    const nb::gil_scoped_release unlocked;
    summary.emplace(work(options));
  }
  watch.rethrow();
  for (auto* sentences : {&summary->notes, &summary->unused})
    for (std::string& one : *sentences) one = spelled(std::move(one));
  return nb::make_tuple(std::move(*summary), watch.interrupted());
}

nb::tuple run_fit(const Data& data, const SettingTexts& texts, nb::object progress,
                  const FitArguments& given) {
  const Settings settings = settings_of(texts);
  return watched_fit(std::move(progress), given, data.rows(), [&](const FitOptions& options) {
    return given.declaration ? fit(data, *given.declaration, settings, options)
                             : fit(data, settings, options);
  });
}

// Of the rows of all ranks, each of which gives its own.
nb::tuple run_shared_fit(std::vector<Data::Column> columns, const std::string& name,
                         const SettingTexts& texts, nb::object progress, const FitArguments& given,
                         const nb::object& collectives) {
  const Settings settings = settings_of(texts);
  const WithRanks ranks(collectives);
  return watched_fit(std::move(progress), given, 0, [&](const FitOptions& options) {
    const SharedData data = SharedData::from_columns(std::move(columns), name);
    return given.declaration ? fit(data.whole(), *given.declaration, settings, options)
                             : fit(data, settings, options);
  });
}

}  // namespace

FitOptions FitWatch::options() {
  FitOptions out;
  out.should_stop = [this] { return should_stop(); };
  if (!progress_.is_none()) out.on_progress = [this](const FitProgress& p) { on_progress(p); };
  return out;
}

bool FitWatch::should_stop() {
  if (stop_) return true;
  const auto time = std::chrono::steady_clock::now();
  if (time - last_check_ < kBetweenChecks) return false;
  last_check_ = time;
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) keep_error();
  return stop_;
}

void FitWatch::on_progress(const FitProgress& progress) {
  if (stop_) return;
  const nb::gil_scoped_acquire lock;
  PyObject* result = PyObject_CallFunctionObjArgs(progress_.ptr(), progress_dict(progress).ptr(), nullptr);
  if (result == nullptr) return keep_error();
  const int truth = PyObject_IsTrue(result);
  Py_DECREF(result);
  if (truth < 0) return keep_error();
  if (truth == 1) stop_ = true;
}

// Of the exception that is set: an interrupt only ends training, others wait for rethrow().
void FitWatch::keep_error() {
  stop_ = true;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_Clear();
    interrupted_ = true;
    return;
  }
  try {
    throw nb::python_error();
  } catch (...) {
    error_ = std::current_exception();
  }
}

void FitWatch::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

void bind_fit(nb::module_& module) {
  nb::class_<FitSummary>(module, "FitSummary")
      .def_ro("model", &FitSummary::model)
      .def_ro("plan", &FitSummary::plan)
      .def_ro("notes", &FitSummary::notes)
      .def_ro("unused", &FitSummary::unused)
      .def_ro("stop_reason", &FitSummary::stop_reason)
      .def_ro("stop_cause", &FitSummary::stop_cause)
      .def_ro("interrupted", &FitSummary::interrupted)
      .def_ro("epochs", &FitSummary::epochs)
      .def_ro("best_epoch", &FitSummary::best_epoch)
      .def_ro("parameters", &FitSummary::parameters)
      .def_ro("seconds", &FitSummary::seconds)
      .def_prop_ro("train", [](const FitSummary& s) { return to_dict(s.train); })
      .def_prop_ro("validation", [](const FitSummary& s) { return to_dict(s.validation); })
      .def_prop_ro("test", [](const FitSummary& s) { return to_dict(s.test); })
      .def_ro("train_rows", &FitSummary::train_rows)
      .def_ro("validation_rows", &FitSummary::validation_rows)
      .def_ro("test_rows", &FitSummary::test_rows);
  nb::class_<FitArguments>(module, "FitArguments")
      .def(nb::init<>())
      .def_rw("training_rows_only", &FitArguments::training_rows_only)
      .def_rw("first_validation_row", &FitArguments::first_validation_row, nb::arg().none())
      .def_rw("declaration", &FitArguments::declaration, nb::arg().none())
      .def_rw("start", &FitArguments::start, nb::arg().none())
      .def_rw("checkpoint", &FitArguments::checkpoint)
      .def_rw("resume", &FitArguments::resume);
  module.def("fit", &run_fit, nb::arg("data"), nb::arg("settings"), nb::arg("progress").none(),
             nb::arg("arguments"), "The summary, and whether KeyboardInterrupt ended training.");
  module.def("shared_fit", &run_shared_fit, nb::arg("columns"), nb::arg("name"), nb::arg("settings"),
             nb::arg("progress").none(), nb::arg("arguments"), nb::arg("ranks"),
             "The same from the rows of several processes, of which this one has the columns.");
}

}  // namespace bl::python

// What the files of the extension module share. They see the public headers and nothing else.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "bl/model.hpp"

namespace bl::python {

namespace nb = nanobind;

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
// Names and values as texts, in the spelling of bl::set().
using SettingTexts = std::map<std::string, std::string>;

// One function per file of the module.
void bind_errors(nb::module_& module);
void bind_settings(nb::module_& module);
void bind_data(nb::module_& module);
void bind_arrow(nb::module_& module);
void bind_model(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_explain(nb::module_& module);
void bind_choice(nb::module_& module);
void bind_inference(nb::module_& module);
void bind_shapley(nb::module_& module);
void bind_datasets(nb::module_& module);

// The parameters of settings that Python calls by another name.
const std::map<std::string, std::string>& renamed_settings();
// A message of the library with settings called by their parameters.
std::string spelled(std::string message);
Settings settings_of(const SettingTexts& texts);
Part part_of(const std::string& name);

// An array that owns the numbers.
Numbers to_array(std::vector<double> numbers);
// name -> array of numbers, or list of texts; in the order of the table.
nb::list to_list(OutputTable table);
nb::dict to_dict(const std::vector<Metric>& metrics);

// Warns of what is to be known about numbers, from the caller's line outside the package.
void warn_of(const std::vector<std::string>& notes);

// work(options) without the interpreter's lock; warns of what it notes.
template <class Options, class Work>
void with_notes(Options options, Work&& work) {
  std::vector<std::string> notes;
  options.on_note = [&](const std::string& text) { notes.push_back(text); };
  {
    const nb::gil_scoped_release unlocked;
    work(options);
  }
  warn_of(notes);
}

// A Python callable and Python's signals beside a fit that runs without the interpreter's lock.
class FitWatch {
 public:
  // progress: called with every FitProgress; a true result ends training. None: no calls.
  explicit FitWatch(nb::object progress) : progress_(std::move(progress)) {}

  // Options whose hooks call this; it must outlive them.
  FitOptions options();
  // Throws what a callback or a signal handler raised, other than KeyboardInterrupt.
  void rethrow() const;
  // KeyboardInterrupt came: training ended with the best model so far.
  bool interrupted() const { return interrupted_; }

 private:
  bool should_stop();
  void on_progress(const FitProgress& progress);
  void keep_error();

  nb::object progress_;
  std::exception_ptr error_;
  bool stop_ = false, interrupted_ = false;
  std::chrono::steady_clock::time_point last_check_;
};

// work(options) without the interpreter's lock, ended by Python's signals: throws what their handler raised.
template <class Options, class Work>
void interruptible(Options options, Work&& work) {
  FitWatch watch{nb::object(nb::none())};
  options.should_stop = watch.options().should_stop;
  try {
    const nb::gil_scoped_release unlocked;
    work(options);
  } catch (const Interrupted&) {
    watch.rethrow();
    throw;
  }
  watch.rethrow();
}

}  // namespace bl::python

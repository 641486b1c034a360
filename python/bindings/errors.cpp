// The library's errors as Python exceptions: each is a behavior_learning.Error and the built-in one that
// Python programs expect.
#include "bl/errors.hpp"
#include "bindings.hpp"

namespace bl::python {

namespace {

PyObject* error_class = nullptr;
PyObject* usage_error = nullptr;
PyObject* data_error = nullptr;
PyObject* model_file_error = nullptr;
PyObject* numeric_error = nullptr;

PyObject* add_class(nb::module_& module, const char* name, const char* text, PyObject* builtin) {
  const std::string full = std::string("behavior_learning.") + name;
  const nb::object bases = error_class == nullptr
                               ? nb::borrow(builtin)
                               : nb::object(nb::make_tuple(nb::borrow(error_class), nb::borrow(builtin)));
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), text, bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  module.attr(name) = nb::borrow(made);
  return made;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

// The library names settings in backquotes; people know them by their parameter.
std::string spelled(std::string message) {
  for (const auto& [setting, parameter] : renamed_settings()) {
    replace_all(message, "`" + setting + "`", "`" + parameter + "`");
    if (message.starts_with(setting + " = ")) message.replace(0, setting.size(), parameter);
  }
  replace_all(message, "`unseen_as_missing`", "`unseen=\"missing\"`");
  return message;
}

namespace {

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const UsageError& error) {
    PyErr_SetString(usage_error, spelled(error.what()).c_str());
  } catch (const DataError& error) {
    PyErr_SetString(data_error, spelled(error.what()).c_str());
  } catch (const ModelFileError& error) {
    PyErr_SetString(model_file_error, spelled(error.what()).c_str());
  } catch (const NumericError& error) {
    PyErr_SetString(numeric_error, spelled(error.what()).c_str());
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const Error& error) {
    PyErr_SetString(error_class, spelled(error.what()).c_str());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  error_class = add_class(module, "Error", "What the library refuses; the text says why and what to do.",
                          PyExc_Exception);
  usage_error =
      add_class(module, "UsageError", "A setting or argument that makes no sense.", PyExc_ValueError);
  data_error = add_class(module, "DataError", "Data that cannot be used as asked.", PyExc_ValueError);
  model_file_error = add_class(module, "ModelFileError", "A model file that is damaged or not one of ours.",
                               PyExc_ValueError);
  numeric_error = add_class(module, "NumericError", "Arithmetic that cannot reach its stated accuracy.",
                            PyExc_ArithmeticError);
  nb::register_exception_translator(translate, nullptr);
}

}  // namespace bl::python

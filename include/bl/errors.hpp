// The failures that callers can cause; each front end translates them once (exit codes, exceptions). Messages
// name settings and arguments in backquotes, `learning_rate`; a front end prints what they are called there.
#pragma once

#include <stdexcept>
#include <string>

namespace bl {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A setting, option or argument that makes no sense: wrong name, value out of range, contradiction.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A data file or table that cannot be used as asked; the text names file, line, column and value.
class DataError : public Error {
 public:
  using Error::Error;
};

// A model file or checkpoint that is damaged, of another version, or not one of ours.
class ModelFileError : public Error {
 public:
  using Error::Error;
};

// Arithmetic that left the finite numbers, or a computation that cannot reach its stated accuracy.
class NumericError : public Error {
 public:
  using Error::Error;
};

// The caller's should_stop ended the work, and there is nothing to keep of it.
class Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace bl

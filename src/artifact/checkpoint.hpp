// The state of a training run as a file: written whole or not at all, at most every few seconds, and read
// back, bit-identical. A checkpoint belongs to one run: data and settings must be the same.
#pragma once

#include <optional>
#include <string>

#include "artifact/safetensors.hpp"
#include "base/context.hpp"
#include "training/trainer.hpp"

namespace bl {

template <class T>
class Checkpoint {
 public:
  // An empty path: nothing is ever saved.
  Checkpoint(std::string path, std::string data_digest, std::string settings, double seconds_between = 2);

  // Saves unless the last time, or the start of the job, was less than seconds_between ago. Training does not
  // end where the file cannot be written: it is tried again at the next time, and failure() says why it did
  // not work.
  void save(const TrainingState<T>& state, const Context& job);
  // Of the last attempt; empty where it succeeded, or there was none.
  const std::string& failure() const { return failure_; }
  // Replaces `state` if the file is there. ModelFileError where it is damaged or belongs to another run.
  bool load(TrainingState<T>& state) const;
  // The same refusals of a file that belongs to another run, before anything is trained.
  void check() const { read(); }

 private:
  std::optional<artifact::TensorFile> read() const;

  std::string path_, data_digest_, settings_, failure_;
  double seconds_between_;
  double last_saved_ = 0;
};

}  // namespace bl

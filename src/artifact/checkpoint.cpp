#include "artifact/checkpoint.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "artifact/digest.hpp"
#include "artifact/safetensors.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

using artifact::Tensor;
using artifact::TensorFile;

constexpr const char* kCheckpointFormat = "behavior_learning.checkpoint";
constexpr const char* kFormatVersion = "1";

template <class T>
Tensor vector_tensor(const std::vector<T>& values) {
  return Tensor::of<T>(values, {static_cast<std::int64_t>(values.size())});
}

template <class T>
std::vector<T> read_vector(const TensorFile& file, const std::string& name) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end())
    throw ModelFileError(fmt::format("{}: the checkpoint has no tensor '{}'", file.source, name));
  try {
    return found->second.as<T>();
  } catch (const ModelFileError& error) {
    throw ModelFileError(fmt::format("{}: tensor '{}': {}", file.source, name, error.what()));
  }
}

// Counters and scalars, in this order.
template <class T>
std::vector<std::int64_t> counters(const TrainingState<T>& s) {
  return {s.epoch,
          s.best_epoch,
          s.stale_epochs,
          s.plateau_epochs,
          s.optimizer.steps,
          s.lbfgs.started ? 1 : 0,
          static_cast<std::int64_t>(s.lbfgs.steps.size())};
}

template <class T>
std::vector<double> scalars(const TrainingState<T>& s) {
  return {s.best_monitor, s.rate_factor, s.lbfgs.value};
}

std::vector<double> flat_history(const std::vector<EpochRecord>& history) {
  std::vector<double> flat;
  for (const EpochRecord& r : history)
    flat.insert(flat.end(), {static_cast<double>(r.epoch), r.train_loss, r.validation_loss, r.monitor,
                             r.gradient_norm, r.learning_rate});
  return flat;
}

constexpr std::size_t kHistoryColumns = 6;

}  // namespace

template <class T>
Checkpoint<T>::Checkpoint(std::string path, std::string data_digest, std::string settings,
                          double seconds_between)
    : path_(std::move(path)),
      data_digest_(std::move(data_digest)),
      settings_(std::move(settings)),
      seconds_between_(seconds_between) {}

template <class T>
void Checkpoint<T>::save(const TrainingState<T>& s, const Context& job) {
  if (path_.empty() || job.seconds() - last_saved_ < seconds_between_) return;
  TensorFile file;
  file.metadata = {{"format", kCheckpointFormat},
                   {"format_version", kFormatVersion},
                   {"data", data_digest_},
                   {"settings", settings_}};
  file.tensors["counters"] = vector_tensor(counters(s));
  file.tensors["scalars"] = vector_tensor(scalars(s));
  file.tensors["history"] = vector_tensor(flat_history(s.history));
  file.tensors["parameters"] = vector_tensor(s.parameters);
  file.tensors["averaged"] = vector_tensor(s.averaged);
  file.tensors["best_parameters"] = vector_tensor(s.best_parameters);
  file.tensors["optimizer/first"] = vector_tensor(s.optimizer.first);
  file.tensors["optimizer/second"] = vector_tensor(s.optimizer.second);
  file.tensors["lbfgs/gradient"] = vector_tensor(s.lbfgs.gradient);
  for (std::size_t k = 0; k < s.lbfgs.steps.size(); ++k) {
    file.tensors[fmt::format("lbfgs/step/{}", k)] = vector_tensor(s.lbfgs.steps[k]);
    file.tensors[fmt::format("lbfgs/change/{}", k)] = vector_tensor(s.lbfgs.changes[k]);
  }
  artifact::add_digest(file);
  try {
    artifact::save(path_, file);
    failure_.clear();
  } catch (const DataError& error) {
    failure_ = error.what();
  }
  last_saved_ = job.seconds();
}

template <class T>
std::optional<TensorFile> Checkpoint<T>::read() const {
  if (path_.empty() || !std::filesystem::exists(path_)) return std::nullopt;
  TensorFile file = artifact::load(path_);
  if (file.metadata_value("format") != kCheckpointFormat)
    throw ModelFileError(path_ + ": not a checkpoint of a training run");
  if (file.metadata_value("format_version") != kFormatVersion)
    throw ModelFileError(path_ +
                         ": a checkpoint of another version of this program; remove it to start afresh");
  if (file.metadata_value("data") != data_digest_)
    throw ModelFileError(path_ +
                         ": the checkpoint was made from other data; remove it or give the same file");
  if (file.metadata_value("settings") != settings_)
    throw ModelFileError(path_ + ": the checkpoint was made with other settings; remove it or repeat them");
  if (!artifact::digest_holds(file))
    throw ModelFileError(path_ +
                         ": the checkpoint is damaged: its contents do not match its digest; remove it to "
                         "start afresh");
  return file;
}

template <class T>
bool Checkpoint<T>::load(TrainingState<T>& state) const {
  const std::optional<TensorFile> found = read();
  if (!found) return false;
  const TensorFile& file = *found;
  const auto whole = read_vector<std::int64_t>(file, "counters");
  const auto real = read_vector<double>(file, "scalars");
  const auto history = read_vector<double>(file, "history");
  TrainingState<T> s;
  s.parameters = read_vector<T>(file, "parameters");
  s.averaged = read_vector<T>(file, "averaged");
  s.best_parameters = read_vector<T>(file, "best_parameters");
  s.optimizer.first = read_vector<T>(file, "optimizer/first");
  s.optimizer.second = read_vector<T>(file, "optimizer/second");
  s.lbfgs.gradient = read_vector<T>(file, "lbfgs/gradient");
  const std::size_t n = state.parameters.size();
  const auto fits = [&](const std::vector<T>& v) { return v.empty() || v.size() == n; };
  if (whole.size() != 7 || real.size() != 3 || history.size() % kHistoryColumns != 0 ||
      s.parameters.size() != n || !fits(s.averaged) || !fits(s.best_parameters) || !fits(s.optimizer.first) ||
      !fits(s.optimizer.second) || !fits(s.lbfgs.gradient))
    throw ModelFileError(path_ + ": the checkpoint does not fit this model; remove it to start afresh");
  s.epoch = whole[0];
  s.best_epoch = whole[1];
  s.stale_epochs = whole[2];
  s.plateau_epochs = whole[3];
  s.optimizer.steps = whole[4];
  s.lbfgs.started = whole[5] != 0;
  for (std::int64_t k = 0; k < whole[6]; ++k) {
    s.lbfgs.steps.push_back(read_vector<T>(file, fmt::format("lbfgs/step/{}", k)));
    s.lbfgs.changes.push_back(read_vector<T>(file, fmt::format("lbfgs/change/{}", k)));
    if (s.lbfgs.steps.back().size() != n || s.lbfgs.changes.back().size() != n)
      throw ModelFileError(path_ + ": the checkpoint does not fit this model; remove it to start afresh");
  }
  s.best_monitor = real[0];
  s.rate_factor = real[1];
  s.lbfgs.value = real[2];
  for (std::size_t i = 0; i < history.size(); i += kHistoryColumns)
    s.history.push_back({.epoch = static_cast<std::int64_t>(history[i]),
                         .train_loss = history[i + 1],
                         .validation_loss = history[i + 2],
                         .monitor = history[i + 3],
                         .gradient_norm = history[i + 4],
                         .learning_rate = history[i + 5]});
  state = std::move(s);
  return true;
}

template class Checkpoint<float>;
template class Checkpoint<double>;

}  // namespace bl

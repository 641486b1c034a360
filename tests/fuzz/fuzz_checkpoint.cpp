// Any bytes are either a checkpoint of this run or refused with a ModelFileError; a refused one changes
// nothing.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "artifact/checkpoint.hpp"
#include "artifact/digest.hpp"
#include "base/file.hpp"
#include "bl/errors.hpp"
#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

namespace {

using bl::TrainingState;

TrainingState<float> empty_state() {
  TrainingState<float> state;
  state.parameters = {1, 2, 3};
  return state;
}

// Checkpoints are read from a file.
const std::string& scratch_file() {
  static const std::string path = [] {
    char name[] = "/tmp/fuzz_checkpoint.XXXXXX";
    const int descriptor = ::mkstemp(name);
    bl::fuzz::require(descriptor != -1, "no scratch file");
    ::close(descriptor);
    std::atexit([] { ::unlink(scratch_file().c_str()); });
    return std::string(name);
  }();
  return path;
}

// Without the syncing of a real checkpoint, which would take most of the time.
void write_scratch(std::string_view bytes) {
  std::ofstream(scratch_file(), std::ios::binary) << bytes;
}

bl::Checkpoint<float> checkpoint() {
  return {scratch_file(), "data", "settings", 0};
}

}  // namespace

FuzzSeeds fuzz_seeds() {
  TrainingState<float> state = empty_state();
  state.epoch = 3;
  state.best_parameters = {4, 5, 6};
  state.optimizer = {.steps = 7, .first = {1, 2, 3}, .second = {1, 2, 3}};
  state.lbfgs.steps = state.lbfgs.changes = {{1, 0, 0}};
  state.history.resize(2);
  checkpoint().save(state, bl::Context(1));
  return {{bl::read_whole_file(scratch_file(), 1 << 16)},
          {"counters", "lbfgs/step/0", "\"I64\"", "9999999999", "-1", "[3]", "{", "}", "\xff\xff\xff\x7f"}};
}

// The digest refuses nearly every change, so the contents are also tried with a digest that holds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    bl::artifact::TensorFile file = bl::artifact::parse(bytes, "fuzz");
    bl::artifact::add_digest(file);
    write_scratch(bl::artifact::serialize(file));
  } catch (const bl::ModelFileError&) {
    write_scratch(bytes);
  } catch (const bl::DataError&) {  // names that are no UTF-8 cannot be written
    return 0;
  }
  TrainingState<float> state = empty_state();
  try {
    checkpoint().load(state);
    bl::fuzz::require(state.parameters.size() == 3, "a checkpoint of another size was taken");
  } catch (const bl::ModelFileError&) {
    bl::fuzz::require(state.epoch == 0 && state.parameters == empty_state().parameters,
                      "a refused checkpoint changed the state");
  }
  return 0;
}

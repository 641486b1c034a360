#include "base/spill.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "bl/errors.hpp"

namespace bl {

namespace {

thread_local int open_scopes = 0;

// Where blocks lie and how long they are.
struct Blocks {
  std::mutex mutex;
  std::unordered_map<void*, std::size_t> sizes;
  std::atomic<bool> any = false;  // of all time: asked before every row that is read
};

Blocks& blocks() {
  static Blocks all;
  return all;
}

std::string folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen && *chosen ? chosen : "/var/tmp";
}

// A file without a name: it goes when its mapping does.
int nameless_file() {
  std::string path = folder() + "/bl_data_XXXXXX";
  const int file = mkstemp(path.data());
  if (file >= 0) unlink(path.c_str());
  return file;
}

[[noreturn]] void fail(std::size_t bytes, int error) {
  throw DataError("cannot keep " + std::to_string(bytes >> 20) + " MiB of data in a temporary file in " +
                  folder() + ": " + std::strerror(error) + "; name a folder with more room in TMPDIR");
}

}  // namespace

SpillScope::SpillScope(bool open) : open_(open) {
  if (open_) ++open_scopes;
}

SpillScope::~SpillScope() {
  if (open_) --open_scopes;
}

void* spilled_block(std::size_t bytes) {
  if (open_scopes == 0) return nullptr;
  const int file = nameless_file();
  if (file < 0) fail(bytes, errno);
  // Room is taken now: a full disk must be an error here, not a signal at the first write.
  const int full = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (full != 0) {
    close(file);
    fail(bytes, full);
  }
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  if (block == MAP_FAILED) fail(bytes, error);
  // Rows come in any order, and columns many at once: what the system reads ahead would push out the rest.
  madvise(block, bytes, MADV_RANDOM);
  const std::lock_guard lock(blocks().mutex);
  blocks().sizes.emplace(block, bytes);
  blocks().any = true;
  return block;
}

bool free_spilled_block(void* block) {
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(blocks().mutex);
    const auto found = blocks().sizes.find(block);
    if (found == blocks().sizes.end()) return false;
    bytes = found->second;
    blocks().sizes.erase(found);
  }
  munmap(block, bytes);
  return true;
}

void will_read(const void* first, std::size_t bytes) {
  if (bytes == 0 || !blocks().any.load(std::memory_order_relaxed)) return;
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(first) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(first) + bytes;
  madvise(reinterpret_cast<void*>(begin), end - begin,
          MADV_WILLNEED);  // memory that lies in no file stays as it is
}

}  // namespace bl

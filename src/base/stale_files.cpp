#include "base/stale_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <exception>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>

namespace bl {

namespace {

constexpr std::string_view kBegin = ".bl-", kEnd = ".tmp";

// The process in the name of a temporary file; 0 where it is another name.
pid_t owner_of(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return 0;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  pid_t owner = 0;
  unsigned number = 0;
  const auto [dash, error] = std::from_chars(name.data(), name.data() + name.size(), owner);
  if (error != std::errc() || dash == name.data() + name.size() || *dash != '-') return 0;
  const auto [end, wrong] = std::from_chars(dash + 1, name.data() + name.size(), number);
  return wrong == std::errc() && end == name.data() + name.size() && owner > 0 ? owner : 0;
}

bool is_gone(pid_t process) {
  return ::kill(process, 0) == -1 && errno == ESRCH;
}

void remove_unless_held(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor == -1) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(descriptor);
}

bool first_time(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::lock_guard lock(mutex);
  return seen.insert(folder).second;
}

}  // namespace

std::string temporary_name(const std::string& folder, unsigned number) {
  return fmt::format("{}/{}{}-{}{}", folder, kBegin, ::getpid(), number, kEnd);
}

void hold_temporary(int descriptor) noexcept {
  ::flock(descriptor, LOCK_EX | LOCK_NB);
}

void sweep_stale_files(const std::string& folder) noexcept {
  try {
    if (!first_time(folder)) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const pid_t owner = owner_of(entry.path().filename().native());
      if (owner > 0 && is_gone(owner)) remove_unless_held(entry.path().native());
    }
  } catch (const std::exception&) {  // a folder that cannot be listed is not swept
  }
}

}  // namespace bl

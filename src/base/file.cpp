#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/stale_files.hpp"
#include "bl/errors.hpp"
#include "bl/ranks.hpp"

namespace bl {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr unsigned kPermissionBits = 07777;

std::string reason(int error) {
  return std::system_category().message(error);
}

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw DataError(fmt::format("cannot read '{}': {}", path, why));
}

// A system call that a signal interrupted is made again.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

std::string folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Makes a rename survive a power failure. Not every file system can; the file itself is complete either way.
void sync_folder(const std::string& folder) noexcept {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor == -1) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

class ReadDescriptor {
 public:
  explicit ReadDescriptor(const std::string& path)
      : value_(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })) {
    if (value_ == -1) cannot_read(path, reason(errno));
  }
  ~ReadDescriptor() { ::close(value_); }
  ReadDescriptor(const ReadDescriptor&) = delete;
  ReadDescriptor& operator=(const ReadDescriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  const std::shared_ptr<Ranks> ranks = current_ranks();
  ignored_ = ranks != nullptr && ranks->rank() != 0;
  if (ignored_) return;
  struct stat existing {};
  if (::stat(path.c_str(), &existing) == -1) {
    if (errno != ENOENT || path.empty()) fail(errno);
    open_temporary(0666);  // less the umask, as for any new file
    return;
  }
  if (S_ISDIR(existing.st_mode)) fail(EISDIR);
  if (::access(path.c_str(), W_OK) == -1) fail(errno);
  if (!S_ISREG(existing.st_mode)) {
    descriptor_ = retry([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); });
    if (descriptor_ == -1) fail(errno);
    return;
  }
  std::error_code ignored;  // where the links cannot be read, the path itself is replaced
  const std::filesystem::path resolved = std::filesystem::canonical(path, ignored);
  if (!resolved.empty()) target_ = resolved.string();
  open_temporary(0600);
  if (::fchmod(descriptor_, existing.st_mode & kPermissionBits) == -1) fail(errno);
}

OutputFile::~OutputFile() {
  discard();
}

// The name is short whatever the target's, unique among the threads of this process, and never taken over
// from another process (O_EXCL).
void OutputFile::open_temporary(unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const std::string folder = folder_of(target_);
  sweep_stale_files(folder);
  do {
    std::string name = temporary_name(folder, counter++);
    descriptor_ = retry([&] { return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); });
    if (descriptor_ != -1) temporary_ = std::move(name);
  } while (descriptor_ == -1 && errno == EEXIST);
  if (descriptor_ == -1) fail(errno);
  hold_temporary(descriptor_);
}

void OutputFile::write(std::string_view bytes) {
  if (ignored_) return;
  if (buffer_.size() + bytes.size() < kBufferBytes) {
    buffer_.append(bytes);
    return;
  }
  write_through(std::exchange(buffer_, {}));
  write_through(bytes);
}

void OutputFile::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retry([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written == -1) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (ignored_) return;
  write_through(std::exchange(buffer_, {}));
  const bool renames = !temporary_.empty();
  if (renames && retry([&] { return ::fsync(descriptor_); }) == -1) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) == -1) fail(errno);
  if (!renames) return;
  if (::rename(temporary_.c_str(), target_.c_str()) == -1) fail(errno);
  temporary_.clear();
  sync_folder(folder_of(target_));
}

void OutputFile::discard() noexcept {
  if (descriptor_ != -1) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  buffer_.clear();
}

void OutputFile::fail(int error) {
  discard();
  throw DataError(fmt::format("cannot write '{}': {}", path_, reason(error)));
}

void write_file_atomically(const std::string& path, const std::function<void(OutputFile&)>& writer) {
  OutputFile file(path);
  writer(file);
  file.commit();
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  write_file_atomically(path, [&](OutputFile& file) { file.write(bytes); });
}

std::string read_whole_file(const std::string& path, std::size_t max_bytes) {
  const ReadDescriptor file(path);
  const auto too_long = [&] {
    cannot_read(path, fmt::format("longer than the limit of {} bytes", max_bytes));
  };
  struct stat status {};
  if (::fstat(file.get(), &status) == -1) cannot_read(path, reason(errno));
  const auto expected = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));  // 0 for a pipe
  if (S_ISREG(status.st_mode) && expected > max_bytes) too_long();

  std::string bytes;
  std::size_t filled = 0;
  for (;;) {
    // One byte more than expected or allowed, so that the end, or the excess, is seen without growing.
    if (filled == bytes.size())
      bytes.resize(std::min(std::max(expected, filled + std::max(filled, kBufferBytes)), max_bytes) + 1);
    const ssize_t got =
        retry([&] { return ::read(file.get(), bytes.data() + filled, bytes.size() - filled); });
    if (got == -1) cannot_read(path, reason(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) too_long();
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace bl

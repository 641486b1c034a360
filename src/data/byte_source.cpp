#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/rank_gather.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, count, out.data());
    at_ += count;
    return count;
  }
  void rewind() override { at_ = 0; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

// A file descriptor that can seek, or that is never rewound.
class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~DescriptorSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  std::size_t read(std::span<char> out) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, out.data(), out.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw DataError(name_ + ": cannot read: " + std::strerror(errno));
    }
  }
  void rewind() override {
    if (::lseek(descriptor_, 0, SEEK_SET) < 0) {
      throw DataError(name_ + ": cannot be read a second time: " + std::strerror(errno));
    }
  }

  bool seek(std::uint64_t offset) override {
    return ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) >= 0;
  }

 protected:
  const std::string& name() const { return name_; }

 private:
  int descriptor_;
  std::string name_;
};

// A pipe whose bytes are kept in an unnamed temporary file, so that they can be read again.
class SpooledSource final : public DescriptorSource {
 public:
  SpooledSource(int descriptor, const std::string& name)
      : DescriptorSource(descriptor, name), spool_(std::tmpfile()) {
    if (!spool_) throw DataError(name + ": cannot make a temporary file: " + std::strerror(errno));
  }
  std::size_t read(std::span<char> out) override {
    const std::size_t again = replaying_ ? std::fread(out.data(), 1, out.size(), spool_.get()) : 0;
    if (again > 0) return again;
    if (replaying_) {  // behind the kept bytes the pipe goes on
      std::fseek(spool_.get(), 0, SEEK_END);
      replaying_ = false;
    }
    const std::size_t count = DescriptorSource::read(out);
    if (std::fwrite(out.data(), 1, count, spool_.get()) != count) {
      throw DataError(name() + ": cannot write to a temporary file: " + std::strerror(errno) +
                      "; free some space there (TMPDIR), or give the data as a file");
    }
    return count;
  }
  void rewind() override {
    std::rewind(spool_.get());
    replaying_ = true;
  }
  bool seek(std::uint64_t /*offset*/) override { return false; }

 private:
  FileHandle spool_;
  bool replaying_ = false;
};

// Standard input reaches rank 0 alone, which sends all of it to the others.
class SentSource final : public ByteSource {
 public:
  explicit SentSource(Ranks& ranks, const std::string& name) {
    all_or_none(ranks, [&] {
      if (ranks.rank() == 0) bytes_ = everything(name);
    });
    std::size_t size = bytes_.size();
    ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)));
    bytes_.resize(size);
    ranks.broadcast(std::as_writable_bytes(std::span(bytes_)));
    source_ = MemorySource(bytes_);
  }
  std::size_t read(std::span<char> out) override { return source_.read(out); }
  void rewind() override { source_.rewind(); }

 private:
  static std::string everything(const std::string& name) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    DescriptorSource input(STDIN_FILENO, name);
    std::string bytes;
    for (;;) {
      const std::size_t before = bytes.size();
      bytes.resize(before + kAtOnce);
      const std::size_t count = input.read(std::span(bytes).subspan(before));
      bytes.resize(before + count);
      if (count == 0) return bytes;
    }
  }

  std::string bytes_;
  MemorySource source_{std::string_view()};
};

std::unique_ptr<ByteSource> open_descriptor(const std::string& path, const std::string& name,
                                            bool rewindable) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const char* remedy = errno == ENOENT ? "; check the name and the folder" : "";
    throw DataError(name + ": cannot open: " + std::strerror(errno) + remedy);
  }
  auto source = std::make_unique<DescriptorSource>(descriptor, name);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    throw DataError(name + ": is a directory; name one file in it");
  }
  if (!rewindable || ::lseek(descriptor, 0, SEEK_CUR) >= 0) return source;
  const int copy = ::dup(descriptor);
  if (copy < 0) throw DataError(name + ": cannot open: " + std::strerror(errno));
  return std::make_unique<SpooledSource>(copy, name);
}

Input unpacked(Input input) {
  const bool gzip = input.peek(2) == "\x1F\x8B";
  if (!gzip) return input;
  std::string name = input.name();
  return Input(std::move(name), gunzip(std::move(input)));
}

}  // namespace

Input::Input(std::string name, std::unique_ptr<ByteSource> bytes)
    : name_(std::move(name)), bytes_(std::move(bytes)) {}

std::string_view Input::peek(std::size_t count) {
  std::size_t have = ahead_.size() - taken_;
  if (have < count) {
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    ahead_.resize(count);
    while (have < count) {
      const std::size_t more = bytes_->read(std::span(ahead_).subspan(have));
      if (more == 0) break;
      have += more;
    }
    ahead_.resize(have);
  }
  return {ahead_.data() + taken_, std::min(have, count)};
}

std::size_t Input::read(std::span<char> out) {
  const std::size_t have = ahead_.size() - taken_;
  if (have == 0) return bytes_->read(out);
  const std::size_t count = std::min(have, out.size());
  std::copy_n(ahead_.data() + taken_, count, out.data());
  taken_ += count;
  return count;
}

std::size_t Input::fill(std::span<char> out) {
  std::size_t have = 0;
  while (have < out.size()) {
    const std::size_t more = read(out.subspan(have));
    if (more == 0) break;
    have += more;
  }
  return have;
}

void Input::rewind() {
  ahead_.clear();
  taken_ = 0;
  bytes_->rewind();
}

void Input::seek(std::uint64_t offset) {
  ahead_.clear();
  taken_ = 0;
  if (!bytes_->seek(offset))
    throw DataError(name_ + ": cannot be read in parts; unpack it, or give it as a file");
}

Input open_input(const std::string& path, bool rewindable) {
  const std::string name = path == "-" ? "standard input" : path;
  const std::shared_ptr<Ranks> ranks = current_ranks();
  if (path == "-" && ranks) return unpacked(Input(name, std::make_unique<SentSource>(*ranks, name)));
  return unpacked(Input(name, open_descriptor(path, name, rewindable)));
}

Input memory_input(std::string_view bytes, std::string name) {
  return unpacked(Input(std::move(name), std::make_unique<MemorySource>(bytes)));
}

}  // namespace bl

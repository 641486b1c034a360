// Files written whole or not at all, and files read whole within a bound. Every failure is a DataError that
// names the path and the system's reason.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace bl {

// Output that appears under its name only when committed: the bytes go to a temporary file in the same
// folder, which commit() makes durable and renames. Without commit() (an exception, a return) the
// temporary file is removed and whatever stood under the name before is untouched.
//
// A symbolic link is followed: the file it points to is replaced, not the link. A path that is no regular
// file (a pipe, /dev/null) has nothing to replace; it is written directly. Of several ranks (bl/ranks.hpp)
// only the first writes.
class OutputFile {
 public:
  // Fails at once, before any work is done, where the folder is missing or unwritable, the path is a
  // directory, or an existing file is write-protected.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Buffered: a full disk may show here or in commit(). Either way the temporary file is gone, and a commit()
  // after a failure fails too.
  void write(std::string_view bytes);
  void commit();

 private:
  void open_temporary(unsigned mode);
  void write_through(std::string_view bytes);
  void discard() noexcept;
  [[noreturn]] void fail(int error);

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // the file to replace: path_ with symbolic links resolved
  std::string temporary_;  // empty when written directly, and once renamed or removed
  std::string buffer_;
  int descriptor_ = -1;
  bool ignored_ = false;  // rank 0 writes this file
};

// Runs writer on an OutputFile and commits it; what writer throws passes through, leaving no file.
void write_file_atomically(const std::string& path, const std::function<void(OutputFile&)>& writer);
void write_file_atomically(const std::string& path, std::string_view bytes);

// The contents of a file (or a pipe, to its end); refused where longer than max_bytes, which also bounds the
// memory taken.
std::string read_whole_file(const std::string& path, std::size_t max_bytes);

}  // namespace bl

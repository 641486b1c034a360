// Bytes of a data file, wherever they come from: a file, standard input, memory, plain or gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bl {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills out from the front and returns how many bytes it put there; 0 only at the end.
  virtual std::size_t read(std::span<char> out) = 0;
  // Back to the first byte.
  virtual void rewind() = 0;
  // On from this byte; false where the source cannot do that.
  virtual bool seek(std::uint64_t /*offset*/) { return false; }
};

// A source with a name for messages and a look ahead.
class Input {
 public:
  Input(std::string name, std::unique_ptr<ByteSource> bytes);

  const std::string& name() const { return name_; }
  // The next bytes without taking them: count of them, fewer only at the end.
  std::string_view peek(std::size_t count);
  std::size_t read(std::span<char> out);
  // Reads on until out is full; how many bytes there are, fewer only at the end.
  std::size_t fill(std::span<char> out);
  void rewind();
  // On from this byte of a plain file. DataError where that cannot be.
  void seek(std::uint64_t offset);

 private:
  std::string name_;
  std::unique_ptr<ByteSource> bytes_;
  std::vector<char> ahead_;
  std::size_t taken_ = 0;  // bytes of ahead_ already handed out
};

// Opens a file, or standard input for "-"; gzip is recognized by its first bytes. A source that cannot seek
// (a pipe) is copied to a temporary file on the way when it has to be rewindable. Of several ranks the first
// reads standard input and sends it to the others, so all of them have to open it. DataError for whatever
// cannot be opened or read, or is a damaged gzip file.
Input open_input(const std::string& path, bool rewindable);

// The same for bytes in memory, which must outlive the input.
Input memory_input(std::string_view bytes, std::string name);

// Unpacks gzip files of one or several members (gzip_source.cpp).
std::unique_ptr<ByteSource> gunzip(Input packed);

}  // namespace bl

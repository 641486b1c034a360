#include "data/line_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::size_t kLongestLine = std::size_t{1} << 26;

}  // namespace

bool LineReader::next(std::string_view& text) {
  std::size_t searched = start_;
  for (;;) {
    const void* found =
        searched < end_ ? std::memchr(buffer_.data() + searched, '\n', end_ - searched) : nullptr;
    if (found != nullptr) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      text = {buffer_.data() + start_, at - start_};
      start_ = at + 1;
      break;
    }
    const std::size_t waiting = end_ - start_;
    if (!refill()) {
      if (waiting == 0) return false;
      text = {buffer_.data() + start_, waiting};
      start_ = end_;
      break;
    }
    searched = waiting;
  }
  if (text.ends_with('\r')) text.remove_suffix(1);
  ++line_;
  return true;
}

// Moves what is left to the front and reads on; false at the end of the input.
bool LineReader::refill() {
  if (start_ > 0) std::copy(buffer_.data() + start_, buffer_.data() + end_, buffer_.data());
  end_ -= start_;
  start_ = 0;
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kLongestLine) {
      throw DataError(input_.name() + ":" + std::to_string(line_ + 1) + ": the line is longer than 64 MiB");
    }
    buffer_.resize(std::max(kBlock, buffer_.size() * 2));
  }
  const std::size_t count = input_.read(std::span(buffer_).subspan(end_));
  end_ += count;
  return count > 0;
}

}  // namespace bl

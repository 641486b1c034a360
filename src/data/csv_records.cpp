#include "data/csv_records.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::size_t kReadAhead = std::size_t{1} << 18;
constexpr std::size_t kLongestRecord = std::size_t{1} << 26;
constexpr std::string_view kDelimiters = "\t;,";
constexpr std::size_t kLinesToCompare = 20;

// LF, CR LF and CR each count once.
std::int64_t line_ends(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) ++count;
  }
  return count;
}

using DelimiterCounts = std::array<std::size_t, kDelimiters.size()>;

// How often each delimiter stands outside quotes, for each of the first lines that are complete and not
// blank.
std::vector<DelimiterCounts> count_delimiters(std::string_view text) {
  std::vector<DelimiterCounts> lines;
  DelimiterCounts counts{};
  bool quoted = false;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i <= text.size() && lines.size() < kLinesToCompare; ++i) {
    const bool at_end = i == text.size();
    if (at_end || (!quoted && (text[i] == '\n' || text[i] == '\r'))) {
      const bool cut_off = at_end && !lines.empty();  // the sample may end in the middle of a line
      if (i > line_start && !cut_off) lines.push_back(counts);
      counts = {};
      line_start = i + 1;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      const std::size_t which = kDelimiters.find(text[i]);
      if (which != std::string_view::npos) ++counts[which];
    }
  }
  return lines;
}

}  // namespace

CsvRecords::CsvRecords(Input& input, char delimiter, std::uint64_t offset, std::int64_t line)
    : input_(input), delimiter_(delimiter), buffer_(kReadAhead), next_line_(line), buffer_offset_(offset) {
  for (const char c : {delimiter, '\n', '\r', '\0'}) ends_plain_[static_cast<unsigned char>(c)] = true;
  buffer_[0] = '\0';
}

void CsvRecords::skip_line() {
  for (;;) {
    while (start_ < end_ && buffer_[start_] != '\n' && buffer_[start_] != '\r') ++start_;
    std::size_t behind = start_;
    if (start_ < end_ && scan_line_end(behind) == Scan::complete) {
      start_ = behind;
      return;
    }
    if (at_end_of_input_) return;
    refill();
  }
}

bool CsvRecords::next() {
  line_ = next_line_;
  offset_ = buffer_offset_ + start_;
  for (;;) {
    if (start_ == end_ && at_end_of_input_) return false;
    if (start_ < end_ && scan_record() == Scan::complete) break;
    refill();
  }
  cut_cells();
  return true;
}

CsvRecords::Scan CsvRecords::scan_record() {
  bounds_.clear();
  std::size_t at = start_;
  std::int64_t line = line_;
  for (;;) {
    skip_spaces(at);
    const Scan cell = buffer_[at] == '"' ? scan_quoted(at, line) : scan_plain(at);
    if (cell == Scan::needs_more) return cell;
    if (at == end_) break;
    if (buffer_[at] != delimiter_) {
      if (scan_line_end(at) == Scan::needs_more) return Scan::needs_more;
      break;
    }
    ++at;
  }
  start_ = at;
  next_line_ = line + 1;
  return Scan::complete;
}

// From the opening quote to the delimiter or line end behind the closing one.
CsvRecords::Scan CsvRecords::scan_quoted(std::size_t& at, std::int64_t& line) {
  const std::size_t begin = at + 1;
  std::size_t close = begin;
  bool doubled = false;
  for (;; close += 2, doubled = true) {
    const void* quote = std::memchr(buffer_.data() + close, '"', end_ - close);
    if (quote == nullptr) {
      if (!at_end_of_input_) return Scan::needs_more;
      fail(line, "a quote is opened but never closed; close it, or double it if it belongs to the text");
    }
    close = static_cast<std::size_t>(static_cast<const char*>(quote) - buffer_.data());
    if (buffer_[close + 1] != '"' || close + 1 == end_) break;
  }
  const std::string_view text(buffer_.data() + begin, close - begin);
  if (text.find('\0') != std::string_view::npos) fail(line, "a zero byte: this is not a text file");
  bounds_.push_back({begin, close, true, doubled});
  quotes_seen_ = true;
  line += line_ends(text);
  at = close + 1;
  skip_spaces(at);
  if (at == end_) return at_end_of_input_ ? Scan::complete : Scan::needs_more;
  const char after = buffer_[at];
  if (after != delimiter_ && after != '\n' && after != '\r') {
    fail(line, "cell " + std::to_string(bounds_.size()) + " goes on after its closing quote, with " +
                   in_quotes(std::string_view(&buffer_[at], 1)) +
                   "; double the quotes that belong to the text");
  }
  return Scan::complete;
}

CsvRecords::Scan CsvRecords::scan_plain(std::size_t& at) {
  const std::size_t begin = at;
  while (!ends_plain_[static_cast<unsigned char>(buffer_[at])]) ++at;
  if (at == end_) {
    if (!at_end_of_input_) return Scan::needs_more;
  } else if (buffer_[at] == '\0') {
    fail(line_,
         "a zero byte: this is not a text file (or UTF-16: convert it to UTF-8, for example with iconv)");
  }
  std::size_t end = at;
  while (end > begin && (buffer_[end - 1] == ' ' || buffer_[end - 1] == '\t')) --end;
  bounds_.push_back({begin, end, false, false});
  return Scan::complete;
}

CsvRecords::Scan CsvRecords::scan_line_end(std::size_t& at) const {
  const bool carriage_return = buffer_[at] == '\r';
  ++at;
  if (!carriage_return) return Scan::complete;
  if (at == end_) return at_end_of_input_ ? Scan::complete : Scan::needs_more;
  if (buffer_[at] == '\n') ++at;
  return Scan::complete;
}

void CsvRecords::skip_spaces(std::size_t& at) const {
  while (at < end_ && (buffer_[at] == ' ' || buffer_[at] == '\t') && buffer_[at] != delimiter_) ++at;
}

// Moves what is left to the front, makes room if a record fills the buffer, and reads on.
void CsvRecords::refill() {
  if (at_end_of_input_) return;
  std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
  end_ -= start_;
  buffer_offset_ += start_;
  start_ = 0;
  if (end_ + 1 == buffer_.size()) {
    if (buffer_.size() >= kLongestRecord) {
      fail(line_, "one record of more than 64 MiB starts here; a quote is probably never closed");
    }
    buffer_.resize(buffer_.size() * 2);
  }
  const std::size_t count = input_.read(std::span(buffer_).subspan(end_, buffer_.size() - end_ - 1));
  at_end_of_input_ = count == 0;
  end_ += count;
  buffer_[end_] = '\0';
}

void CsvRecords::cut_cells() {
  cells_.clear();
  for (Bounds& bounds : bounds_) {
    if (bounds.doubled) {  // keep the first quote of each pair
      std::size_t to = bounds.begin;
      for (std::size_t from = bounds.begin; from < bounds.end; ++from, ++to) {
        buffer_[to] = buffer_[from];
        if (buffer_[from] == '"') ++from;
      }
      bounds.end = to;
    }
    cells_.emplace_back(buffer_.data() + bounds.begin, bounds.end - bounds.begin);
  }
}

void CsvRecords::fail(std::int64_t line, const std::string& message) const {
  throw DataError(input_.name() + ":" + std::to_string(line) + ": " + message);
}

char find_delimiter(std::string_view first_lines, bool decimal_comma) {
  const char fallback = decimal_comma ? ';' : ',';
  auto lines = count_delimiters(first_lines);
  if (lines.empty()) return fallback;
  if (decimal_comma) {
    for (DelimiterCounts& counts : lines) counts[kDelimiters.find(',')] = 0;
  }
  for (std::size_t d = 0; d < kDelimiters.size(); ++d) {
    const auto same = [&](const DelimiterCounts& counts) { return counts[d] == lines[0][d]; };
    if (lines[0][d] > 0 && std::all_of(lines.begin(), lines.end(), same)) return kDelimiters[d];
  }
  const auto most = std::max_element(lines[0].begin(), lines[0].end());
  return *most == 0 ? fallback : kDelimiters[static_cast<std::size_t>(most - lines[0].begin())];
}

}  // namespace bl

// What a person sees: text without the control characters that names may bring, a line while waiting, and
// plain tables at 80 columns. Text for people goes through here; data (CSV, JSON) through write_text.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bl/fit.hpp"
#include "bl/model.hpp"

namespace bl::cli {

// The text with control characters escaped (\x1B), so that a column or class name cannot drive the terminal.
// Ends of lines and tabs stay; with `color`, the escapes that color explanations, too.
std::string printable(std::string_view text, bool color = false);

// To standard output; DataError where it cannot be written.
void say(std::string_view text);
template <class First, class... Rest>
void say(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  say(std::string_view(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)));
}

// To standard error, as far as it can be written: there is no place left to report that it cannot.
void complain(std::string_view text) noexcept;

// What is to be known about the numbers of a command, to standard error.
void tell_note(const std::string& text);

// Descriptors that the caller closed are opened, so that no file takes the place of a standard stream;
// reading from them or writing to them fails.
void hold_standard_streams();
// False where something could not be written to standard output.
bool flush_standard_output();

// One line on standard error, rewritten in place; silent where that is no terminal, and for the first two
// seconds.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  void show(double seconds, const std::string& text);

 private:
  bool enabled_;
  bool shown_ = false;
  double last_ = -1;
};

// Work that tells how far it is in such a line, which is gone before anything else is printed.
template <class Work>
auto with_progress(bool quiet, const Work& work) {
  ProgressLine line(quiet);
  return work([&](double seconds, const std::string& text) { line.show(seconds, text); });
}

// Set by --quiet of commands that print results: no progress line then.
bool& quiet_everywhere();

// True where standard output is a terminal that shows color and nobody asked for none (NO_COLOR, TERM=dumb).
bool standard_output_has_color();

// Lines broken between words at 80 columns, continued `indent` columns in.
std::string wrapped(const std::string& text, std::size_t indent);

std::string progress_text(const FitProgress& progress);

// "1.4 s", "2 min 5 s", "3 h 10 min".
std::string duration(double seconds);

// Names and values in aligned lines, and as an object.
std::string metrics_text(const std::string& title, const std::vector<Metric>& metrics);
nlohmann::ordered_json metrics_json(const std::vector<Metric>& metrics);

// Ctrl-C asks training to end; a second one ends the process.
void catch_interrupts();
bool interrupted();

}  // namespace bl::cli

// What a person sees while waiting, and plain tables at 80 columns.
#pragma once

#include <string>
#include <vector>

#include "bl/fit.hpp"
#include "bl/model.hpp"

namespace bl::cli {

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

// True where standard output is a terminal that shows color and nobody asked for none (NO_COLOR, TERM=dumb).
bool standard_output_has_color();

// Lines broken between words at 80 columns, continued `indent` columns in.
std::string wrapped(const std::string& text, std::size_t indent);

std::string progress_text(const FitProgress& progress);

// "1.4 s", "2 min 5 s", "3 h 10 min".
std::string duration(double seconds);

// Names and values in aligned lines.
std::string metrics_text(const std::string& title, const std::vector<Metric>& metrics);

// Ctrl-C asks training to end; a second one ends the process.
void catch_interrupts();
bool interrupted();

}  // namespace bl::cli

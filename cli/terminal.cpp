#include "terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bl/errors.hpp"
#include "spelling.hpp"

namespace bl::cli {

namespace {

constexpr double kSilentSeconds = 2, kSecondsBetween = 0.2;
constexpr std::size_t kTerminalWidth = 80;
std::atomic<bool> interrupt_seen{false};

extern "C" void on_interrupt(int) {
  interrupt_seen.store(true);
  std::signal(SIGINT, SIG_DFL);
}

// Length of the color that the library writes at the start of this text; 0 where there is none.
std::size_t color_length(std::string_view text) {
  constexpr std::array<std::string_view, 7> kColors = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                                       "\033[32m", "\033[33m", "\033[34m"};
  for (const std::string_view color : kColors)
    if (text.starts_with(color)) return color.size();
  return 0;
}

struct Control {
  std::size_t bytes = 0;  // 0: the text begins with something else
  unsigned code = 0;
};

// The control character that the text begins with; those from U+0080 to U+009F have two bytes.
Control control_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first == '\n' || first == '\t') return {};
  if (first < 0x20 || first == 0x7F) return {1, first};
  const auto second = static_cast<unsigned char>(text.size() > 1 ? text[1] : 0);
  return first == 0xC2 && second >= 0x80 && second < 0xA0 ? Control{2, second} : Control{};
}

}  // namespace

std::string printable(std::string_view text, bool color) {
  std::string out;
  while (!text.empty()) {
    const std::size_t own = color ? color_length(text) : 0;
    const Control control = own > 0 ? Control{} : control_at(text);
    const std::size_t length = std::max({own, control.bytes, std::size_t{1}});
    if (control.bytes > 0)
      out += fmt::format("\\x{:02X}", control.code);
    else
      out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

void say(std::string_view text) {
  const std::string shown = printable(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size())
    throw DataError("cannot write to standard output");
}

void complain(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void tell_note(const std::string& text) {
  complain(printable(wrapped("note: " + spelled(text), 6) + "\n"));
}

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

bool flush_standard_output() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

bool& quiet_everywhere() {
  static bool quiet = false;
  return quiet;
}

ProgressLine::ProgressLine(bool quiet)
    : enabled_(!quiet && !quiet_everywhere() && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) complain("\r\033[K");
}

void ProgressLine::show(double seconds, const std::string& text) {
  if (!enabled_ || seconds < kSilentSeconds || seconds - last_ < kSecondsBetween) return;
  complain("\r\033[K" + printable(text.substr(0, kTerminalWidth - 1)));
  shown_ = true;
  last_ = seconds;
}

bool standard_output_has_color() {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (refused != nullptr && *refused != '\0') return false;
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(STDOUT_FILENO) != 0;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;  // of the line being written
  for (std::size_t from = 0; from < text.size();) {
    if (text[from] == '\n') {
      out += '\n';
      column = 0;
      ++from;
      continue;
    }
    // A word with the spaces before it.
    const std::size_t word = std::min(text.find_first_not_of(' ', from), text.size());
    const std::size_t to = std::min(text.find_first_of(" \n", word), text.size());
    if (column > indent && column + (to - from) > kTerminalWidth) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
      from = word;
    }
    out.append(text, from, to - from);
    column += to - from;
    from = to;
  }
  return out;
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_text(const FitProgress& p) {
  if (!p.text.empty()) return p.text;
  std::vector<std::string> parts;  // the most important first: as many as a line holds
  if (!std::isnan(p.seconds_left))
    parts.push_back(
        fmt::format("{} {} left", p.left_at_most ? "at most" : "about", duration(p.seconds_left)));
  if (p.trial)
    parts.emplace_back("choosing how smooth curves are");
  else if (p.members > 1)
    parts.push_back(fmt::format("network {}/{}", p.member, p.members));
  parts.push_back(p.epoch_share > 0
                      ? fmt::format("epoch {:.1f}/{}", static_cast<double>(p.epoch) + p.epoch_share, p.epochs)
                      : fmt::format("epoch {}/{}", p.epoch, p.epochs));
  if (!std::isnan(p.validation_loss))
    parts.push_back(fmt::format("validation {:.4f}", p.validation_loss));
  else if (!std::isnan(p.train_loss))
    parts.push_back(fmt::format("loss {:.4f}", p.train_loss));
  if (!std::isnan(p.validation_loss))
    parts.push_back(fmt::format("best {:.4f} (epoch {})", p.best, p.best_epoch));
  std::string line;
  for (const std::string& part : parts) {
    const std::string longer = line + (line.empty() ? "" : "  ") + part;
    if (longer.size() >= kTerminalWidth) break;
    line = longer;
  }
  return line;
}

// Four decimals, so that points stand below each other; small and large numbers as they are.
std::string aligned_number(double value) {
  const double size = std::abs(value);
  const bool plain = value == 0 || (size >= 1e-3 && size < 1e6);
  return plain ? fmt::format("{:.4f}", value) : fmt::format("{:.4g}", value);
}

nlohmann::ordered_json metrics_json(const std::vector<Metric>& metrics) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const Metric& metric : metrics) out[metric.name] = metric.value;
  return out;
}

std::string metrics_text(const std::string& title, const std::vector<Metric>& metrics) {
  std::string out = title + "\n";
  // Log-likelihoods of choices are compared, so they have six decimals.
  const bool choices = !metrics.empty() && metrics[0].name == "situations";
  for (const Metric& metric : metrics)
    out += choices && metric.name != "situations"
               ? fmt::format("  {:<22}{:>14.6f}\n", metric.name, metric.value)
           : choices ? fmt::format("  {:<22}{:>14.0f}\n", metric.name, metric.value)
                     : fmt::format("  {:<28} {:>12}\n", metric.name, aligned_number(metric.value));
  return out;
}

void catch_interrupts() {
  interrupt_seen.store(false);
  std::signal(SIGINT, on_interrupt);
}

bool interrupted() {
  return interrupt_seen.load();
}

}  // namespace bl::cli

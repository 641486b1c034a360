#include "explain/color.hpp"

#include <algorithm>
#include <cctype>

namespace bl::explain {

namespace {

constexpr const char* kBold = "\033[1m";
constexpr const char* kFaint = "\033[2m";
constexpr const char* kRed = "\033[31m";
constexpr const char* kGreen = "\033[32m";
constexpr const char* kYellow = "\033[33m";
constexpr const char* kBlue = "\033[34m";
constexpr const char* kPlain = "\033[0m";

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "L1.B2", "U1", "C3": a letter and a number, perhaps several joined by points.
bool is_part_name(const std::string& word) {
  std::size_t at = 0;
  while (at < word.size()) {
    if (std::string("LBUCT").find(word[at]) == std::string::npos) return false;
    std::size_t digits = at + 1;
    while (digits < word.size() && is_digit(word[digits])) ++digits;
    if (digits == at + 1) return false;
    if (digits == word.size()) return true;
    if (word[digits] != '.') return false;
    at = digits + 1;
  }
  return false;
}

// Without the punctuation around it.
std::string bare(const std::string& word) {
  const std::string around = ",;:()";
  const std::size_t from = word.find_first_not_of(around), to = word.find_last_not_of(around);
  if (from == std::string::npos) return "";
  const std::size_t open = word.rfind('(', to);  // "tanh(-0.13"
  const std::size_t start = open == std::string::npos ? from : open + 1;
  return word.substr(start, to + 1 - start);
}

// A number with its sign: "-0.13", "+4.2e-05".
bool is_signed_number(const std::string& word) {
  return word.size() > 1 && (word[0] == '-' || word[0] == '+') && (is_digit(word[1]) || word[1] == '.');
}

const char* color_of(const std::string& given, const std::vector<std::string>& responses) {
  const std::string word = bare(given);
  if (std::find(responses.begin(), responses.end(), word) != responses.end()) return kYellow;
  if (is_part_name(word) || word == "max" || word == "s.t.") return kBold;
  if (word.starts_with("R[")) return kFaint;
  if (word == "slack" || word == "met") return kGreen;
  if (word == "binding") return kYellow;
  if (word == "violated" || word == "off" || word == "minimised") return kRed;
  if (is_signed_number(word)) return word[0] == '-' ? kRed : kBlue;
  return nullptr;
}

}  // namespace

std::string colored(const std::string& text, const std::vector<std::string>& responses) {
  std::string out;
  std::string sign;  // of the term that follows: "-" or "+" standing alone
  for (std::size_t from = 0; from < text.size();) {
    const bool space = text[from] == ' ' || text[from] == '\n';
    std::size_t to = from;
    while (to < text.size() && (text[to] == ' ' || text[to] == '\n') == space) ++to;
    const std::string word = text.substr(from, to - from);
    from = to;
    if (space) {
      out += word;
      continue;
    }
    const bool lone_sign = word == "-" || word == "+";
    const char* color = color_of(word, responses);
    if (lone_sign || (!sign.empty() && is_digit(word[0])))
      color = (lone_sign ? word : sign) == "-" ? kRed : kBlue;
    sign = lone_sign ? word : "";
    out += color == nullptr ? word : color + word + kPlain;
  }
  return out;
}

}  // namespace bl::explain

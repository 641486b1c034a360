// Well-formedness of small XML documents, enough for pictures: tags nest, attributes are quoted and unique,
// text and values hold no bare < or &, entities are the five of XML.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace bl::test {

class XmlCheck {
 public:
  // Empty where the text is well-formed; otherwise what is wrong, with the text that follows.
  static std::string problem_with(const std::string& text) { return XmlCheck(text).run(); }

 private:
  explicit XmlCheck(const std::string& text) : text_(text) {}

  std::string fail(const std::string& what) const { return what + " at: " + text_.substr(at_, 60); }

  bool bad_entity(std::size_t at) const {
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
      if (text_.compare(at, std::string(entity).size(), entity) == 0) return false;
    return true;
  }

  static bool name_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == ':' || c == '.';
  }

  std::string name() {
    std::string out;
    while (at_ < text_.size() && name_letter(text_[at_])) out += text_[at_++];
    return out;
  }
  void spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  std::string attribute(std::set<std::string>& seen) {
    const std::string key = name();
    if (key.empty()) return fail("attribute without a name");
    if (!seen.insert(key).second) return fail("attribute " + key + " twice");
    if (at_ + 1 >= text_.size() || text_[at_] != '=') return fail("attribute without a value");
    const char quote = text_[++at_];
    if (quote != '\'' && quote != '"') return fail("value without quotes");
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '<') return fail("< in a value");
      if (text_[at_] == '&' && bad_entity(at_)) return fail("& in a value");
    }
    ++at_;
    return {};
  }

  std::string tag() {
    ++at_;
    if (text_[at_] == '/') {
      ++at_;
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed) return fail("</" + closed + "> closes nothing");
      open_.pop_back();
      if (text_[at_++] != '>') return fail("> expected");
      return {};
    }
    const std::string opened = name();
    if (opened.empty()) return fail("tag without a name");
    std::set<std::string> seen;
    for (;;) {
      const std::size_t before = at_;
      spaces();
      if (at_ >= text_.size()) return fail("tag left open");
      if (text_[at_] == '>') {
        ++at_;
        open_.push_back(opened);
        return {};
      }
      if (text_[at_] == '/') {
        ++at_;
        return text_[at_++] == '>' ? "" : fail("> expected");
      }
      if (before == at_) return fail("space expected before an attribute");
      if (const std::string wrong = attribute(seen); !wrong.empty()) return wrong;
    }
  }

  std::string run() {
    int roots = 0;
    while (at_ < text_.size()) {
      if (text_[at_] == '<') {
        if (open_.empty()) ++roots;
        if (const std::string wrong = tag(); !wrong.empty()) return wrong;
        continue;
      }
      if (text_[at_] == '&' && bad_entity(at_)) return fail("& in text");
      if (open_.empty() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0)
        return fail("text outside the root");
      ++at_;
    }
    if (!open_.empty()) return "<" + open_.back() + "> is never closed";
    return roots == 1 ? "" : "not one root";
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
};

}  // namespace bl::test

// Options that declare choices, as the TOML schema that says the same.
#include <fmt/format.h>

#include <algorithm>

#include "api/impl.hpp"
#include "base/text.hpp"
#include "bl/choice.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

// A TOML string.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

// An expression that is one column.
std::string column_text(const std::string& name) {
  return quoted("`" + name + "`");
}

// "name=other" in two; the name twice where there is no other.
std::pair<std::string, std::string> pair_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == std::string::npos ? std::pair(text, text)
                                     : std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::string list_text(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + quoted(name);
  return "[" + out + "]";
}

void line(std::string& out, const char* key, const std::string& value) {
  if (!value.empty()) out += fmt::format("{} = {}\n", key, quoted(value));
}

std::string filled_in(std::string pattern, const std::string& alternative, const std::string& attribute) {
  for (const auto& [mark, text] : {std::pair<std::string, std::string>{"{alternative}", alternative},
                                   std::pair<std::string, std::string>{"{attribute}", attribute}}) {
    const std::size_t at = pattern.find(mark);
    if (at == std::string::npos)
      throw UsageError(
          fmt::format("the pattern of columns {} has no {}; write for example "
                      "{{alternative}}_{{attribute}} or {{attribute}}_{{alternative}}",
                      in_quotes(pattern), mark));
    pattern.replace(at, mark.size(), text);
  }
  return pattern;
}

class Declaration {
 public:
  Declaration(const ChoiceDeclaration& declaration, const Data& data) : d_(declaration) {
    for (const ColumnSummary& column : data.columns()) columns_.push_back(column.name);
  }

  std::string text() const {
    if (d_.chosen.empty()) throw UsageError("choices need --chosen: the column that says what was chosen");
    return data_text() + (d_.wide ? wide_text() : long_text()) + utility_text();
  }

 private:
  bool has(const std::string& column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }

  std::string data_text() const {
    std::string out = fmt::format("[data]\nlayout = \"{}\"\n", d_.wide ? "wide" : "long");
    line(out, d_.wide ? "choice" : "chosen", d_.chosen);
    if (!d_.wide) {
      line(out, "situation", d_.situation);
      line(out, "alternative", d_.alternative);
      line(out, "available", d_.available);
      line(out, "outside", d_.outside);
    } else if (!d_.situation.empty() || !d_.alternative.empty() || !d_.outside.empty()) {
      throw UsageError("situation, alternative and outside are for a long file (a line per alternative)");
    }
    line(out, "filter", d_.filter);
    line(out, "person", d_.person);
    line(out, "weight", d_.weight);
    return out;
  }

  std::string long_text() const {
    std::string out = "[attributes]\n";
    for (const std::string& attribute : d_.attributes) {
      const auto [name, column] = pair_of(attribute);
      out += fmt::format("{} = {}\n", quoted(name), column_text(column));
    }
    for (const std::string& alternative : d_.alternatives) {
      const auto [name, code] = pair_of(alternative);
      out += fmt::format("[[alternatives]]\nname = {}\ncode = {}\n", quoted(name), quoted(code));
    }
    return out;
  }

  std::string wide_text() const {
    if (d_.alternatives.size() < 2)
      throw UsageError("a wide file of choices needs --alternatives, two or more, for example train=1,car=2");
    std::vector<bool> found(d_.attributes.size(), false);
    std::string out;
    for (const std::string& alternative : d_.alternatives) {
      const auto [name, code] = pair_of(alternative);
      out += fmt::format("[[alternatives]]\nname = {}\ncode = {}\n", quoted(name), quoted(code));
      if (!d_.available.empty())
        out += fmt::format("available = {}\n", column_text(filled_in(d_.pattern, name, d_.available)));
      std::string attributes;
      for (std::size_t k = 0; k < d_.attributes.size(); ++k) {
        const auto [attribute, stem] = pair_of(d_.attributes[k]);
        const std::string column = filled_in(d_.pattern, name, stem);
        if (!has(column)) continue;
        found[k] = true;
        attributes +=
            fmt::format("{}{} = {}", attributes.empty() ? "" : ", ", quoted(attribute), column_text(column));
      }
      out += fmt::format("attributes = {{ {} }}\n", attributes);
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k]) continue;
      const std::string wanted =
          filled_in(d_.pattern, pair_of(d_.alternatives[0]).first, pair_of(d_.attributes[k]).second);
      throw DataError(fmt::format("no alternative has a column of the attribute {}, such as {}{}",
                                  in_quotes(pair_of(d_.attributes[k]).first), in_quotes(wanted),
                                  did_you_mean(wanted, columns_)));
    }
    return out;
  }

  std::string utility_text() const {
    const bool network = d_.network || !d_.context.empty();
    std::string out = fmt::format("[utility]\nform = \"{}\"\n", network ? "network" : "linear");
    line(out, "reference", d_.reference);
    if (!d_.context.empty()) out += "context = " + list_text(d_.context) + "\n";
    if (!d_.nominal.empty()) out += "nominal = " + list_text(d_.nominal) + "\n";
    for (const std::string& name : d_.negative)
      if (std::find(d_.positive.begin(), d_.positive.end(), name) != d_.positive.end())
        throw UsageError(fmt::format("{} stands under --negative and --positive", in_quotes(name)));
    std::string signs;
    for (const auto& [names, sign] :
         {std::pair(&d_.negative, "negative"), std::pair(&d_.positive, "positive")})
      for (const std::string& name : *names)
        signs += fmt::format("{}{} = \"{}\"", signs.empty() ? "" : ", ", quoted(name), sign);
    if (!signs.empty()) out += fmt::format("signs = {{ {} }}\n", signs);
    if (d_.specific.empty()) return out;
    if (d_.alternatives.empty())
      throw UsageError("--specific needs --alternatives, to know whose coefficients there are");
    std::vector<std::string> names;
    for (const std::string& alternative : d_.alternatives) names.push_back(pair_of(alternative).first);
    std::string specific;
    for (const std::string& attribute : d_.specific)
      specific += fmt::format("{}{} = {}", specific.empty() ? "" : ", ", quoted(attribute), list_text(names));
    return out + fmt::format("specific = {{ {} }}\n", specific);
  }

  const ChoiceDeclaration& d_;
  std::vector<std::string> columns_;
};

}  // namespace

std::string choice_schema(const ChoiceDeclaration& declaration, const Data& data) {
  return Declaration(declaration, data).text();
}

}  // namespace bl

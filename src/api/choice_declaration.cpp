// Options that declare choices, as the TOML schema that says the same.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/impl.hpp"
#include "base/text.hpp"
#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "features/choice_schema.hpp"

namespace bl {

namespace {

// A TOML string.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

// A line of the schema, with the argument that it is from.
std::string marked(const std::string& text, const char* option) {
  return fmt::format("{}  {}{}\n", text, kSchemaMark, option);
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

void line(std::string& out, const char* key, const std::string& value, const char* option) {
  if (!value.empty()) out += marked(fmt::format("{} = {}", key, quoted(value)), option);
}

void refuse_twice(const char* option, const std::vector<std::string>& list) {
  std::set<std::string> seen;
  for (const std::string& one : list)
    if (!seen.insert(pair_of(one).first).second)
      throw UsageError(fmt::format("{} names {} twice", option, in_quotes(pair_of(one).first)));
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
    if (d_.chosen.empty()) throw UsageError("choices need `chosen`: the column that says what was chosen");
    for (const auto& [option, names] :
         {std::pair("`attributes`", &d_.attributes), std::pair("`specific`", &d_.specific),
          std::pair("`negative`", &d_.negative), std::pair("`positive`", &d_.positive)})
      refuse_twice(option, *names);
    return data_text() + (d_.wide ? wide_text() : long_text()) + utility_text();
  }

 private:
  bool has(const std::string& column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }

  std::string data_text() const {
    const char* choice = d_.wide ? "`choice` wide" : "`choice` long";
    std::string out =
        marked("[data]", choice) + marked(d_.wide ? "layout = \"wide\"" : "layout = \"long\"", choice);
    line(out, d_.wide ? "choice" : "chosen", d_.chosen, "`chosen`");
    if (!d_.wide) {
      line(out, "situation", d_.situation, "`situation`");
      line(out, "alternative", d_.alternative, "`alternative`");
      line(out, "available", d_.available, "`available`");
      line(out, "outside", d_.outside, "`outside`");
    } else if (!d_.situation.empty() || !d_.alternative.empty() || !d_.outside.empty()) {
      throw UsageError("situation, alternative and outside are for a long file (a line per alternative)");
    }
    line(out, "filter", d_.filter, "`filter`");
    line(out, "person", d_.person, "`person`");
    line(out, "weight", d_.weight, "`weight`");
    return out;
  }

  std::string long_text() const {
    std::string out = marked("[attributes]", "`attributes`");
    for (const std::string& attribute : d_.attributes) {
      const auto [name, column] = pair_of(attribute);
      out += marked(fmt::format("{} = {}", quoted(name), column_text(column)), "`attributes`");
    }
    for (const std::string& alternative : d_.alternatives) out += alternative_text(alternative);
    return out;
  }

  static std::string alternative_text(const std::string& alternative) {
    const auto [name, code] = pair_of(alternative);
    return marked("[[alternatives]]", "`alternatives`") + marked("name = " + quoted(name), "`alternatives`") +
           marked("code = " + quoted(code), "`alternatives`");
  }

  std::string wide_text() const {
    if (d_.alternatives.size() < 2)
      throw UsageError("a wide file of choices needs `alternatives`, two or more, for example train=1,car=2");
    std::vector<bool> found(d_.attributes.size(), false);
    std::string out;
    for (const std::string& alternative : d_.alternatives) {
      const std::string name = pair_of(alternative).first;
      out += alternative_text(alternative);
      if (!d_.available.empty())
        out += marked("available = " + column_text(filled_in(d_.pattern, name, d_.available)), "`available`");
      std::string attributes;
      for (std::size_t k = 0; k < d_.attributes.size(); ++k) {
        const auto [attribute, stem] = pair_of(d_.attributes[k]);
        const std::string column = filled_in(d_.pattern, name, stem);
        if (!has(column)) continue;
        found[k] = true;
        attributes +=
            fmt::format("{}{} = {}", attributes.empty() ? "" : ", ", quoted(attribute), column_text(column));
      }
      out += marked(fmt::format("attributes = {{ {} }}", attributes), "`attributes`");
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
    const char* why = d_.network ? "`network`" : "`context`";
    std::string out = "[utility]\n" + (network ? marked("form = \"network\"", why) : "form = \"linear\"\n");
    line(out, "reference", d_.reference, "`reference`");
    if (!d_.context.empty()) out += marked("context = " + list_text(d_.context), "`context`");
    if (!d_.nominal.empty()) out += marked("nominal = " + list_text(d_.nominal), "`nominal`");
    for (const std::string& name : d_.negative)
      if (std::find(d_.positive.begin(), d_.positive.end(), name) != d_.positive.end())
        throw UsageError(fmt::format("{} stands under `negative` and `positive`", in_quotes(name)));
    std::string signs;
    for (const auto& [names, sign] :
         {std::pair(&d_.negative, "negative"), std::pair(&d_.positive, "positive")})
      for (const std::string& name : *names)
        signs += fmt::format("{}{} = \"{}\"", signs.empty() ? "" : ", ", quoted(name), sign);
    if (!signs.empty())
      out +=
          marked(fmt::format("signs = {{ {} }}", signs), d_.positive.empty()   ? "`negative`"
                                                         : d_.negative.empty() ? "`positive`"
                                                                               : "`negative` and `positive`");
    if (d_.specific.empty()) return out;
    if (d_.alternatives.empty())
      throw UsageError("`specific` needs `alternatives`, to know whose coefficients there are");
    std::vector<std::string> names;
    for (const std::string& alternative : d_.alternatives) names.push_back(pair_of(alternative).first);
    std::string specific;
    for (const std::string& attribute : d_.specific)
      specific += fmt::format("{}{} = {}", specific.empty() ? "" : ", ", quoted(attribute), list_text(names));
    return out + marked(fmt::format("specific = {{ {} }}", specific), "`specific`");
  }

  const ChoiceDeclaration& d_;
  std::vector<std::string> columns_;
};

}  // namespace

std::string choice_schema(const ChoiceDeclaration& declaration, const Data& data) {
  return Declaration(declaration, data).text();
}

}  // namespace bl

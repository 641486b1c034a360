#include "features/choice_schema.hpp"

#include <algorithm>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/choice_beyond.hpp"

namespace bl {

namespace {

using Texts = std::vector<std::string>;

class Compiler {
 public:
  explicit Compiler(const ChoiceDeclaration& declaration) : d_(declaration) {}

  ChoiceSchema compile() {
    compile_data();
    for (const auto& [name, text] : d_.derived)
      schema_.derived.emplace_back(name, expression("derived/" + name, text));
    compile_attributes();
    compile_terms();
    compile_rivals();
    compile_utility();
    return std::move(schema_);
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    throw UsageError(d_.place(key) + ": " + message);
  }

  Expression expression(const std::string& key, const std::string& text) const {
    try {
      return Expression::parse(text);
    } catch (const UsageError& error) {
      fail(key, error.what());
    }
  }

  std::optional<Expression> optional_expression(const std::string& key, const std::string& text) const {
    return text.empty() ? std::nullopt : std::optional(expression(key, text));
  }

  void require(const std::string& value, const char* key) const {
    if (value.empty())
      fail("data", std::string("[data] needs ") + key + (schema_.wide ? "" : " (layout = \"long\")"));
  }

  void compile_data() {
    if (!d_.layout.empty() && d_.layout != "wide" && d_.layout != "long")
      fail("data/layout", "layout " + in_quotes(d_.layout) +
                              ": expected 'wide' (a line per situation) or 'long' (a line per alternative)");
    schema_.wide = d_.layout != "long";
    schema_.choice = d_.choice;
    schema_.situation = d_.situation;
    schema_.alternative = d_.alternative;
    schema_.chosen = optional_expression("data/chosen", d_.chosen);
    schema_.available = optional_expression("data/available", d_.available);
    schema_.outside = d_.outside;
    schema_.filter = optional_expression("data/filter", d_.filter);
    schema_.weight = optional_expression("data/weight", d_.weight);
    schema_.person = d_.person;
    compile_ranks();
    if (schema_.wide) {
      if (!schema_.ranked()) require(d_.choice, "choice");
      for (const auto& [key, text] :
           {std::pair("situation", &d_.situation), std::pair("alternative", &d_.alternative),
            std::pair("chosen", &d_.chosen), std::pair("available", &d_.available),
            std::pair("outside", &d_.outside)})
        if (!text->empty())
          fail("data/" + std::string(key), in_quotes(key) + " belongs to layout = \"long\"");
    } else {
      require(d_.situation, "situation");
      require(d_.alternative, "alternative");
      if (!schema_.ranked()) require(d_.chosen, "chosen");
      if (!d_.choice.empty())
        fail("data/choice", "'choice' belongs to layout = \"wide\"; a long file has 'chosen'");
    }
  }

  void compile_ranks() {
    if (d_.rank.empty() && d_.ranking.empty()) return;
    const std::string key = d_.rank.empty() ? "data/ranking" : "data/rank";
    if (!d_.rank.empty() && !d_.ranking.empty()) fail(key, "'rank' and 'ranking' exclude each other");
    if (!d_.choice.empty() || !d_.chosen.empty())
      fail(key, "a ranking says itself what was chosen, the best; leave out '" +
                    std::string(d_.choice.empty() ? "chosen" : "choice") + "'");
    if (!d_.outside.empty()) fail(key, "an outside option has no line, so no rank");
    if (!schema_.wide && d_.rank.empty())
      fail(key, "'ranking' belongs to layout = \"wide\"; a long file has 'rank'");
    if (!d_.rivals.empty())
      fail(key,
           "the rivals of an alternative grow fewer while it is ranked; leave out rivals or the ranking");
    schema_.choice_is_ranking = d_.rank.empty();
    schema_.choice = schema_.wide ? (d_.rank.empty() ? d_.ranking : d_.rank) : "";
    for (const ChoiceDeclaration::Alternative& one : d_.alternatives)
      if (schema_.wide && !d_.rank.empty()) schema_.ranks.push_back(expression(key, filled_in(d_.rank, one)));
    if (!schema_.wide) schema_.ranks.push_back(expression(key, d_.rank));
  }

  // The names of all attributes in order of appearance, then the expressions of each alternative.
  void compile_attributes() {
    for (const auto& [name, text] : d_.attributes) {
      schema_.attributes.push_back(name);
      if (!schema_.wide) schema_.expressions.push_back(expression("attributes/" + name, text));
    }
    if (d_.alternatives.empty()) {
      if (schema_.wide)
        throw UsageError(d_.name + ": a wide choice schema needs [[alternatives]], two or more");
      return;
    }
    for (const ChoiceDeclaration::Alternative& one : d_.alternatives)
      for (const auto& [name, text] : one.attributes)
        if (!has(schema_.attributes, name)) schema_.attributes.push_back(name);
    for (std::size_t a = 0; a < d_.alternatives.size(); ++a)
      compile_alternative(d_.alternatives[a], "alternatives/" + std::to_string(a));
    if (d_.alternatives.size() + (schema_.outside.empty() ? 0 : 1) < 2)
      fail("alternatives", "a choice needs two or more alternatives");
  }

  void compile_alternative(const ChoiceDeclaration::Alternative& given, const std::string& key) {
    ChoiceAlternative one;
    one.name = given.name;
    if (one.name.empty()) fail(key, "an alternative needs a name");
    one.code = given.code.empty() ? given.name : given.code;
    for (const ChoiceAlternative& earlier : schema_.alternatives)
      if (earlier.name == one.name || earlier.code == one.code)
        fail(key, "two alternatives are called " + in_quotes(earlier.name == one.name ? one.name : one.code));
    if (!schema_.wide && !(given.available.empty() && given.columns.empty() && given.attributes.empty()))
      fail(key, "an alternative of a long file has a name and a code");
    one.available = optional_expression(key + "/available", given.available);
    for (std::size_t k = 0; schema_.wide && k < schema_.attributes.size(); ++k) {
      one.attributes.push_back(attribute_of(given, key, k));
      one.lacks.push_back(!has_own(given, schema_.attributes[k]) && k >= d_.attributes.size());
    }
    schema_.alternatives.push_back(std::move(one));
  }

  static bool has_own(const ChoiceDeclaration::Alternative& given, const std::string& name) {
    return std::any_of(given.attributes.begin(), given.attributes.end(),
                       [&](const auto& own) { return own.first == name; });
  }

  // The alternative's own expression, or the shared one with its columns, or 0.
  Expression attribute_of(const ChoiceDeclaration::Alternative& given, const std::string& key,
                          std::size_t k) const {
    const std::string& name = schema_.attributes[k];
    for (const auto& [own, text] : given.attributes)
      if (own == name) return expression(key + "/attributes/" + name, text);
    if (k >= d_.attributes.size()) return Expression::parse("0");
    return expression("attributes/" + name, filled_in(d_.attributes[k].second, given));
  }

  // With the alternative's columns for {}.
  static std::string filled_in(std::string text, const ChoiceDeclaration::Alternative& given) {
    const std::string& columns = given.columns.empty() ? given.name : given.columns;
    for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += columns.size())
      text.replace(at, 2, columns);
    return text;
  }

  void compile_terms() {
    schema_.declared = schema_.attributes.size();
    for (const auto& [name, text] : d_.terms) {
      const std::string key = "terms/" + name;
      if (has(schema_.attributes, name))
        fail(key, "the term " + in_quotes(name) + " is called like an attribute or a term before it");
      ChoiceTerm term{name, expression(key, text), {}, {}};
      for (const std::string& column : term.expression.columns()) {
        const auto found = std::find(schema_.attributes.begin(), schema_.attributes.end(), column);
        const auto at = static_cast<std::size_t>(found - schema_.attributes.begin());
        if (found == schema_.attributes.end())
          term.columns.push_back(column);
        else if (at < schema_.declared)
          term.reads.push_back(at);
        else
          term.reads.insert(term.reads.end(), schema_.terms[at - schema_.declared].reads.begin(),
                            schema_.terms[at - schema_.declared].reads.end());
      }
      schema_.attributes.push_back(name);
      schema_.terms.push_back(std::move(term));
    }
  }

  // "mean" of every attribute, or "mean(cost)" of one.
  void compile_rivals() {
    constexpr const char* kKey = "utility/rivals";
    const Texts kinds = {"mean", "min", "max", "rank"};
    for (const std::string& text : d_.rivals) {
      const std::size_t open = text.find('(');
      const std::string kind = text.substr(0, open);
      check_name(kKey, kind, kinds, "summary of rivals");
      const auto at = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
      Texts of(schema_.attributes.begin(),
               schema_.attributes.begin() + static_cast<std::ptrdiff_t>(schema_.declared));
      if (open != std::string::npos) {
        if (text.back() != ')') fail(kKey, in_quotes(text) + ": expected for example 'mean(cost)'");
        const std::string name = text.substr(open + 1, text.size() - open - 2);
        check_name(kKey, name, of, "attribute");
        of = {name};
      }
      for (const std::string& name : of) {
        const auto found = std::find(schema_.attributes.begin(), schema_.attributes.end(), name);
        const std::string called = kind == "rank" ? "rank of " + name : "rivals' " + kind + " of " + name;
        if (has(schema_.attributes, called)) fail(kKey, in_quotes(text) + " stands there twice");
        schema_.rivals.push_back({called, static_cast<std::size_t>(found - schema_.attributes.begin()),
                                  static_cast<RivalSummary::Kind>(at)});
        schema_.attributes.push_back(called);
      }
    }
  }

  void compile_utility() {
    if (!d_.form.empty() && !has({"linear", "network", "smooth"}, d_.form))
      fail("utility/form", "form " + in_quotes(d_.form) +
                               ": expected 'linear', 'network' or 'smooth' (a small network for economics)");
    schema_.linear = d_.form.empty() || d_.form == "linear";
    schema_.smooth = d_.form == "smooth";
    if (schema_.linear && !d_.rivals.empty())
      fail("utility/rivals",
           "rivals are for form = \"network\": in a linear utility the mean of the others says no more than "
           "the own attribute");
    schema_.context = d_.context;
    schema_.nominal = d_.nominal;
    for (const std::string& name : schema_.nominal)
      if (!has(schema_.context, name))
        fail("utility/nominal", in_quotes(name) + " is not in context" + did_you_mean(name, schema_.context));
    if (schema_.linear && !d_.context.empty())
      fail("utility/context",
           "'context' is for form = \"network\"; in a linear utility make a term of it, such as [terms] "
           "time_income = \"time * income\"");
    for (const auto& [key, given] :
         {std::pair("constants", d_.constants.has_value()), std::pair("reference", !d_.reference.empty()),
          std::pair("generic", d_.generic.has_value()), std::pair("specific", !d_.specific.empty())})
      if (!schema_.linear && given)
        fail("utility/" + std::string(key), in_quotes(key) + " is for form = \"linear\"");
    if (schema_.linear) compile_linear();
    compile_signs();
    compile_beyond(d_, schema_);
  }

  void check_name(const std::string& key, const std::string& name, const Texts& valid,
                  const char* what) const {
    if (!has(valid, name))
      fail(key, std::string("there is no ") + what + " " + in_quotes(name) + " among " + quoted_list(valid) +
                    did_you_mean(name, valid));
  }

  void compile_linear() {
    LinearUtility& linear = schema_.utility;
    linear.constants = d_.constants.value_or(true);
    linear.reference = d_.reference;
    const Texts names = schema_.alternative_names();
    if (!names.empty() && !linear.reference.empty())
      check_name("utility/reference", linear.reference, names, "alternative");
    if (linear.reference.empty())
      linear.reference = !schema_.outside.empty() ? schema_.outside : names.empty() ? "" : names.front();
    Texts specific;
    for (const auto& [attribute, alternatives] : d_.specific) {
      check_name("utility/specific/" + attribute, attribute, schema_.attributes, "attribute");
      specific.push_back(attribute);
    }
    if (d_.generic)
      for (const std::string& attribute : *d_.generic)
        check_name("utility/generic", attribute, schema_.attributes, "attribute");
    for (const std::string& attribute : d_.generic ? *d_.generic : schema_.attributes)
      if (d_.generic || !has(specific, attribute)) linear.coefficients.push_back({attribute, "", 0});
    for (const auto& [attribute, alternatives] : d_.specific)
      for (const std::string& alternative : alternatives) {
        if (!names.empty()) check_name("utility/specific/" + attribute, alternative, names, "alternative");
        linear.coefficients.push_back({attribute, alternative, 0});
      }
  }

  void compile_signs() {
    schema_.signs.assign(schema_.attributes.size(), 0);
    for (const auto& [attribute, sign] : d_.signs) {
      const std::string key = "utility/signs/" + attribute;
      check_name(key, attribute, schema_.attributes, "attribute");
      if (sign != "positive" && sign != "negative")
        fail(key, "a sign is 'positive' (never below 0) or 'negative' (never above 0)");
      const auto place = std::find(schema_.attributes.begin(), schema_.attributes.end(), attribute);
      const auto at = static_cast<std::size_t>(place - schema_.attributes.begin());
      if (!schema_.linear) refuse_terms_of_signed(key, at);
      int& direction = schema_.signs[at];
      direction = sign == "positive" ? 1 : -1;
      for (std::size_t r = 0; r < schema_.rivals.size(); ++r)  // a rank rises with the attribute
        if (schema_.rivals[r].attribute == at && schema_.rivals[r].kind == RivalSummary::Kind::rank)
          schema_.signs[schema_.declared + schema_.terms.size() + r] = direction;
      for (LinearUtility::Coefficient& one : schema_.utility.coefficients)
        if (one.attribute == attribute) one.sign = direction;
    }
  }

  // In a network a sign holds for every value, which a free term of the same attribute would break.
  void refuse_terms_of_signed(const std::string& key, std::size_t attribute) const {
    for (const ChoiceTerm& term : schema_.terms)
      if (std::find(term.reads.begin(), term.reads.end(), attribute) != term.reads.end())
        fail(key, "the term " + in_quotes(term.name) + " reads " + in_quotes(schema_.attributes[attribute]) +
                      ", so a network could not keep its sign; leave out one of them");
  }

  const ChoiceDeclaration& d_;
  ChoiceSchema schema_;
};

}  // namespace

std::vector<std::string> ChoiceSchema::alternative_names() const {
  std::vector<std::string> names;
  for (const ChoiceAlternative& one : alternatives) names.push_back(one.name);
  if (!outside.empty() && !alternatives.empty()) names.push_back(outside);
  return names;
}

ChoiceSchema choice_schema(const ChoiceDeclaration& declaration) {
  return Compiler(declaration).compile();
}

}  // namespace bl

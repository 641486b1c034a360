#include "features/choice_schema.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/toml.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

using Texts = std::vector<std::string>;

class ChoiceFile {
 public:
  explicit ChoiceFile(const std::string& name) : name_(name) {}

  ChoiceSchema read(std::string_view text) {
    text_ = text;
    const toml::table root = parse_toml(text, name_);
    check_keys(root, "", {"data", "derived", "attributes", "alternatives", "utility", "settings"});
    read_data(table_at(root, "data", true));
    for (const auto& [key, node] : ordered(table_at(root, "derived", false)))
      schema_.derived.emplace_back(key, expression(*node));
    read_attributes(root);
    read_utility(root);
    for (const auto& [key, node] : ordered(table_at(root, "settings", false)))
      schema_.settings.emplace_back(
          key, node->is_boolean() ? (node->value_or(false) ? "true" : "false") : scalar(*node));
    return std::move(schema_);
  }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw UsageError(place(node.source().begin.line) + ": " + message);
  }

  // File and line; of a text that nobody wrote, the mark of the line.
  std::string place(toml::source_index line) const {
    std::string_view rest = text_;
    for (toml::source_index k = 1; k < line && rest.find('\n') != std::string_view::npos; ++k)
      rest.remove_prefix(rest.find('\n') + 1);
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t mark = rest.rfind(kSchemaMark);
    const std::string_view what =
        mark == std::string_view::npos ? "" : rest.substr(mark + kSchemaMark.size());
    const bool marked = !what.empty() && what.find('"') == std::string_view::npos;
    return marked ? std::string(what) : name_ + ":" + std::to_string(line);
  }

  void check_keys(const toml::table& table, const std::string& where, const Texts& valid) const {
    for (const auto& [key, node] : table)
      if (std::find(valid.begin(), valid.end(), key.str()) == valid.end())
        fail(node, "unknown key " + in_quotes(key.str()) + (where.empty() ? "" : " in " + where) +
                       did_you_mean(key.str(), valid));
  }

  const toml::table& table_at(const toml::table& root, const char* key, bool needed) const {
    static const toml::table kEmpty;
    const toml::node* node = root.get(key);
    if (node == nullptr) {
      if (needed) throw UsageError(name_ + ": a choice schema needs a table [" + std::string(key) + "]");
      return kEmpty;
    }
    if (!node->is_table()) fail(*node, in_quotes(key) + " must be a table: [" + std::string(key) + "]");
    return *node->as_table();
  }

  // toml++ sorts by name; people mean the order of the file.
  static std::vector<std::pair<std::string, const toml::node*>> ordered(const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*>> entries;
    for (const auto& [key, node] : table) entries.emplace_back(std::string(key.str()), &node);
    const auto place = [](const toml::node* node) {
      return std::pair(node->source().begin.line, node->source().begin.column);
    };
    std::sort(entries.begin(), entries.end(),
              [&](const auto& a, const auto& b) { return place(a.second) < place(b.second); });
    return entries;
  }

  std::string scalar(const toml::node& node) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (node.is_number()) return format_number(*node.value<double>());
    fail(node, "expected a text or a number");
  }

  std::string text_at(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? std::string() : scalar(*node);
  }

  bool flag_at(const toml::table& table, const char* key, bool otherwise) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return otherwise;
    if (!node->is_boolean()) fail(*node, in_quotes(key) + " must be true or false");
    return *node->value<bool>();
  }

  Texts list(const toml::node& node) const {
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(node, R"(expected a list: ["a", "b"])");
    Texts texts;
    for (const toml::node& element : *array) texts.push_back(scalar(element));
    return texts;
  }

  Texts list_at(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? Texts() : list(*node);
  }

  Expression expression(const toml::node& node, const std::string& columns = "") const {
    std::string text = scalar(node);
    if (!columns.empty())
      for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += columns.size())
        text.replace(at, 2, columns);
    try {
      return Expression::parse(text);
    } catch (const UsageError& error) {
      fail(node, error.what());
    }
  }

  std::optional<Expression> expression_at(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? std::nullopt : std::optional(expression(*node));
  }

  void require(const toml::table& data, const std::string& value, const char* key) const {
    if (value.empty())
      fail(data, std::string("[data] needs ") + key + (schema_.wide ? "" : " (layout = \"long\")"));
  }

  void read_data(const toml::table& data) {
    check_keys(data, "[data]",
               {"layout", "choice", "situation", "alternative", "chosen", "available", "outside", "filter",
                "weight", "person"});
    const std::string layout = text_at(data, "layout");
    if (!layout.empty() && layout != "wide" && layout != "long")
      fail(*data.get("layout"),
           "layout " + in_quotes(layout) +
               ": expected 'wide' (a line per situation) or 'long' (a line per alternative)");
    schema_.wide = layout != "long";
    schema_.choice = text_at(data, "choice");
    schema_.situation = text_at(data, "situation");
    schema_.alternative = text_at(data, "alternative");
    schema_.chosen = expression_at(data, "chosen");
    schema_.available = expression_at(data, "available");
    schema_.outside = text_at(data, "outside");
    schema_.filter = expression_at(data, "filter");
    schema_.weight = expression_at(data, "weight");
    schema_.person = text_at(data, "person");
    if (schema_.wide) {
      require(data, schema_.choice, "choice");
      for (const char* key : {"situation", "alternative", "chosen", "available", "outside"})
        if (data.contains(key)) fail(*data.get(key), in_quotes(key) + " belongs to layout = \"long\"");
    } else {
      require(data, schema_.situation, "situation");
      require(data, schema_.alternative, "alternative");
      require(data, text_at(data, "chosen"), "chosen");
      if (data.contains("choice"))
        fail(*data.get("choice"), "'choice' belongs to layout = \"wide\"; a long file has 'chosen'");
    }
  }

  // The names of all attributes in order of appearance, then the expressions of each alternative.
  void read_attributes(const toml::table& root) {
    const auto shared = ordered(table_at(root, "attributes", !schema_.wide));
    for (const auto& [key, node] : shared) {
      schema_.attributes.push_back(key);
      if (!schema_.wide) schema_.expressions.push_back(expression(*node));
    }
    const toml::node* node = root.get("alternatives");
    if (node == nullptr) {
      if (schema_.wide)
        throw UsageError(name_ + ": a wide choice schema needs [[alternatives]], two or more");
      return;
    }
    const toml::array* all = node->as_array();
    if (all == nullptr || !all->is_array_of_tables())
      fail(*node, "alternatives are written [[alternatives]], one each");
    const Texts keys =
        schema_.wide ? Texts{"name", "code", "columns", "available", "attributes"} : Texts{"name", "code"};
    for (const toml::node& one : *all) {
      check_keys(*one.as_table(), "[[alternatives]]", keys);
      for (const auto& [key, entry] : ordered(table_at(*one.as_table(), "attributes", false)))
        if (std::find(schema_.attributes.begin(), schema_.attributes.end(), key) == schema_.attributes.end())
          schema_.attributes.push_back(key);
    }
    for (const toml::node& one : *all) read_alternative(*one.as_table(), shared);
    if (all->size() + (schema_.outside.empty() ? 0 : 1) < 2)
      fail(*node, "a choice needs two or more alternatives");
  }

  void read_alternative(const toml::table& table,
                        const std::vector<std::pair<std::string, const toml::node*>>& shared) {
    ChoiceAlternative one;
    one.name = text_at(table, "name");
    if (one.name.empty()) fail(table, "an alternative needs a name");
    one.code = table.contains("code") ? text_at(table, "code") : one.name;
    for (const ChoiceAlternative& earlier : schema_.alternatives)
      if (earlier.name == one.name || earlier.code == one.code)
        fail(table,
             "two alternatives are called " + in_quotes(earlier.name == one.name ? one.name : one.code));
    one.available = expression_at(table, "available");
    const std::string columns = table.contains("columns") ? text_at(table, "columns") : one.name;
    const toml::table& own = table_at(table, "attributes", false);
    for (std::size_t k = 0; schema_.wide && k < schema_.attributes.size(); ++k) {
      const toml::node* node = own.get(schema_.attributes[k]);
      if (node != nullptr)
        one.attributes.push_back(expression(*node));
      else
        one.attributes.push_back(k < shared.size() ? expression(*shared[k].second, columns)
                                                   : Expression::parse("0"));
    }
    schema_.alternatives.push_back(std::move(one));
  }

  void read_utility(const toml::table& root) {
    const toml::table& utility = table_at(root, "utility", false);
    check_keys(utility, "[utility]",
               {"form", "constants", "reference", "generic", "specific", "signs", "context", "nominal"});
    const std::string form = text_at(utility, "form");
    if (!form.empty() && form != "linear" && form != "network")
      fail(*utility.get("form"), "form " + in_quotes(form) + ": expected 'linear' or 'network'");
    schema_.linear = form != "network";
    schema_.context = list_at(utility, "context");
    schema_.nominal = list_at(utility, "nominal");
    for (const std::string& name : schema_.nominal)
      if (std::find(schema_.context.begin(), schema_.context.end(), name) == schema_.context.end())
        fail(*utility.get("nominal"),
             in_quotes(name) + " is not in context" + did_you_mean(name, schema_.context));
    const Texts of_linear = {"constants", "reference", "generic", "specific"},
                of_network = {"context", "nominal"};
    for (const std::string& key : schema_.linear ? of_network : of_linear)
      if (utility.contains(key))
        fail(*utility.get(key),
             in_quotes(key) + (schema_.linear ? " is for form = \"network\"; in a linear utility make an "
                                                "attribute of it, such as time * income"
                                              : " is for form = \"linear\""));
    if (schema_.linear) read_linear(utility);
    read_signs(table_at(utility, "signs", false));
  }

  void check_name(const toml::node& node, const std::string& name, const Texts& valid,
                  const char* what) const {
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      fail(node, std::string("there is no ") + what + " " + in_quotes(name) + " among " + quoted_list(valid) +
                     did_you_mean(name, valid));
  }

  void read_linear(const toml::table& utility) {
    LinearUtility& linear = schema_.utility;
    linear.constants = flag_at(utility, "constants", true);
    linear.reference = text_at(utility, "reference");
    const Texts names = schema_.alternative_names();
    if (!names.empty() && !linear.reference.empty())
      check_name(*utility.get("reference"), linear.reference, names, "alternative");
    if (linear.reference.empty())
      linear.reference = !schema_.outside.empty() ? schema_.outside : names.empty() ? "" : names.front();
    const toml::table& specific = table_at(utility, "specific", false);
    for (const auto& [attribute, node] : ordered(specific))
      check_name(*node, attribute, schema_.attributes, "attribute");
    Texts generic = list_at(utility, "generic");
    for (const std::string& attribute : generic)
      check_name(*utility.get("generic"), attribute, schema_.attributes, "attribute");
    if (!utility.contains("generic"))
      for (const std::string& attribute : schema_.attributes)
        if (!specific.contains(attribute)) generic.push_back(attribute);
    for (const std::string& attribute : generic) linear.coefficients.push_back({attribute, "", 0});
    for (const auto& [attribute, node] : ordered(specific)) {
      for (const std::string& alternative : list(*node)) {
        if (!names.empty()) check_name(*node, alternative, names, "alternative");
        linear.coefficients.push_back({attribute, alternative, 0});
      }
    }
  }

  void read_signs(const toml::table& signs) {
    schema_.signs.assign(schema_.attributes.size(), 0);
    for (const auto& [attribute, node] : ordered(signs)) {
      check_name(*node, attribute, schema_.attributes, "attribute");
      const std::string sign = scalar(*node);
      if (sign != "positive" && sign != "negative")
        fail(*node, "a sign is 'positive' (never below 0) or 'negative' (never above 0)");
      const auto place = std::find(schema_.attributes.begin(), schema_.attributes.end(), attribute);
      int& direction = schema_.signs[static_cast<std::size_t>(place - schema_.attributes.begin())];
      direction = sign == "positive" ? 1 : -1;
      for (LinearUtility::Coefficient& one : schema_.utility.coefficients)
        if (one.attribute == attribute) one.sign = direction;
    }
  }

  const std::string& name_;
  std::string_view text_;
  ChoiceSchema schema_;
};

}  // namespace

std::vector<std::string> ChoiceSchema::alternative_names() const {
  std::vector<std::string> names;
  for (const ChoiceAlternative& one : alternatives) names.push_back(one.name);
  if (!outside.empty() && !alternatives.empty()) names.push_back(outside);
  return names;
}

ChoiceSchema read_choice_schema(std::string_view text, const std::string& name) {
  return ChoiceFile(name).read(text);
}

}  // namespace bl

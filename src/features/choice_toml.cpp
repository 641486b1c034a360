// The TOML file of a choice declaration.
#include <algorithm>

#include "base/file.hpp"
#include "base/joined.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "bl/choice_declaration.hpp"

namespace bl {

namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kLargestSchema = 16U << 20;

class ChoiceFile {
 public:
  explicit ChoiceFile(const std::string& name) { out_.name = name; }

  ChoiceDeclaration read(std::string_view text) {
    const toml::table root = parse_toml(text, out_.name);
    check_keys(root, "",
               {"data", "derived", "attributes", "terms", "alternatives", "utility", "random", "draws",
                "nests", "latent", "scale", "settings"});
    read_data(table_at(root, "data", true));
    out_.derived = named(table_at(root, "derived", false), "derived");
    out_.attributes = named(table_at(root, "attributes", out_.layout == "long"), "attributes");
    out_.terms = named(table_at(root, "terms", false), "terms");
    read_alternatives(root);
    read_utility(table_at(root, "utility", false));
    read_beyond(root);
    read_scale(table_at(root, "scale", false));
    for (const auto& [key, node] : ordered(table_at(root, "settings", false))) {
      note_place("settings/" + key, *node);
      out_.settings.emplace_back(
          key, node->is_boolean() ? (node->value_or(false) ? "true" : "false") : scalar(*node));
    }
    return std::move(out_);
  }

 private:
  std::string line_of(const toml::node& node) const {
    return out_.name + ":" + std::to_string(node.source().begin.line);
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw UsageError(line_of(node) + ": " + message);
  }
  void note_place(const std::string& key, const toml::node& node) { out_.places[key] = line_of(node); }

  void check_keys(const toml::table& table, const std::string& where, const Texts& valid) const {
    for (const auto& [key, node] : table)
      if (std::find(valid.begin(), valid.end(), key.str()) == valid.end())
        fail(node, "unknown key " + in_quotes(key.str()) + (where.empty() ? "" : " in " + where) +
                       did_you_mean(key.str(), valid));
  }

  const toml::table& table_at(const toml::table& root, const char* key, bool needed) {
    static const toml::table kEmpty;
    const toml::node* node = root.get(key);
    if (node == nullptr) {
      if (needed) throw UsageError(out_.name + ": a choice schema needs a table [" + std::string(key) + "]");
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

  Texts list(const toml::node& node) const {
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(node, R"(expected a list: ["a", "b"])");
    Texts texts;
    for (const toml::node& element : *array) texts.push_back(scalar(element));
    return texts;
  }

  // A text of a table, under the key "where/key" of the declaration; unchanged where it is not there.
  void take(const toml::table& table, const std::string& where, const char* key, std::string& text) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    text = scalar(*node);
    note_place(where + "/" + key, *node);
  }
  void take(const toml::table& table, const std::string& where, const char* key, Texts& texts) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    texts = list(*node);
    note_place(where + "/" + key, *node);
  }

  ChoiceDeclaration::Named named(const toml::table& table, const std::string& where) {
    ChoiceDeclaration::Named out;
    for (const auto& [key, node] : ordered(table)) {
      out.emplace_back(key, scalar(*node));
      note_place(where + "/" + key, *node);
    }
    return out;
  }

  void read_data(const toml::table& data) {
    const std::vector<std::pair<const char*, std::string*>> keys = {
        {"layout", &out_.layout},           {"choice", &out_.choice}, {"situation", &out_.situation},
        {"alternative", &out_.alternative}, {"chosen", &out_.chosen}, {"available", &out_.available},
        {"outside", &out_.outside},         {"filter", &out_.filter}, {"weight", &out_.weight},
        {"person", &out_.person},           {"rank", &out_.rank},     {"ranking", &out_.ranking}};
    Texts valid;
    for (const auto& [key, text] : keys) valid.emplace_back(key);
    check_keys(data, "[data]", valid);
    note_place("data", data);
    for (const auto& [key, text] : keys) take(data, "data", key, *text);
  }

  void read_alternatives(const toml::table& root) {
    const toml::node* node = root.get("alternatives");
    if (node == nullptr) return;
    note_place("alternatives", *node);
    const toml::array* all = node->as_array();
    if (all == nullptr || !all->is_array_of_tables())
      fail(*node, "alternatives are written [[alternatives]], one each");
    const Texts keys = out_.layout != "long" ? Texts{"name", "code", "columns", "available", "attributes"}
                                             : Texts{"name", "code"};
    for (const toml::node& one : *all) {
      const toml::table& table = *one.as_table();
      check_keys(table, "[[alternatives]]", keys);
      const std::string where = "alternatives/" + std::to_string(out_.alternatives.size());
      note_place(where, one);
      ChoiceDeclaration::Alternative alternative;
      take(table, where, "name", alternative.name);
      take(table, where, "code", alternative.code);
      take(table, where, "columns", alternative.columns);
      take(table, where, "available", alternative.available);
      alternative.attributes = named(table_at(table, "attributes", false), where + "/attributes");
      out_.alternatives.push_back(std::move(alternative));
    }
  }

  void read_utility(const toml::table& utility) {
    check_keys(
        utility, "[utility]",
        {"form", "constants", "reference", "generic", "specific", "signs", "context", "nominal", "rivals"});
    take(utility, "utility", "form", out_.form);
    take(utility, "utility", "reference", out_.reference);
    take(utility, "utility", "context", out_.context);
    take(utility, "utility", "nominal", out_.nominal);
    take(utility, "utility", "rivals", out_.rivals);
    if (utility.contains("generic")) take(utility, "utility", "generic", out_.generic.emplace());
    if (const toml::node* node = utility.get("constants")) {
      if (!node->is_boolean()) fail(*node, "'constants' must be true or false");
      out_.constants = *node->value<bool>();
      note_place("utility/constants", *node);
    }
    for (const auto& [attribute, node] : ordered(table_at(utility, "specific", false))) {
      out_.specific.push_back({attribute, list(*node)});
      note_place("utility/specific/" + attribute, *node);
    }
    out_.signs = named(table_at(utility, "signs", false), "utility/signs");
  }

  // [random] time = "normal", correlated = [...]; [draws] count = 1000; [nests] rail = [...]; [latent] ...
  void read_beyond(const toml::table& root) {
    for (const auto& [key, node] : ordered(table_at(root, "random", false))) {
      note_place("random/" + key, *node);
      if (key == "correlated")
        out_.correlated = list(*node);
      else
        out_.random.emplace_back(key, scalar(*node));
    }
    for (const auto& [key, node] : ordered(table_at(root, "draws", false))) {
      note_place("draws/" + key, *node);
      out_.draws.emplace_back(key, node->is_array() ? joined(list(*node), ",") : scalar(*node));
    }
    for (const auto& [key, node] : ordered(table_at(root, "nests", false))) {
      out_.nests.push_back({key, list(*node)});
      note_place("nests/" + key, *node);
    }
    for (const auto& [key, node] : ordered(table_at(root, "latent", false))) {
      note_place("latent/" + key, *node);
      if (key == "membership")
        out_.membership = list(*node);
      else
        out_.latent.emplace_back(key, scalar(*node));
    }
  }
  void read_scale(const toml::table& scale) {
    for (const auto& [key, node] : ordered(scale)) {
      note_place("scale/" + key, *node);
      if (key == "levels")
        out_.scale_levels = list(*node);
      else
        out_.scale.emplace_back(key, scalar(*node));
    }
  }

  ChoiceDeclaration out_;
};

}  // namespace

std::string ChoiceDeclaration::place(std::string_view key) const {
  for (std::string at(key);; at.resize(at.rfind('/'))) {
    const auto found = places.find(at);
    if (found != places.end()) return found->second;
    if (at.find('/') == std::string::npos) return name;
  }
}

ChoiceDeclaration ChoiceDeclaration::parse(std::string_view text, const std::string& name) {
  return ChoiceFile(name).read(text);
}

ChoiceDeclaration ChoiceDeclaration::read(const std::string& path) {
  return parse(read_whole_file(path, kLargestSchema), path);
}

}  // namespace bl

// The options of bl fit that declare choices among alternatives.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bl/choice_declaration.hpp"
#include "bl/data.hpp"

namespace bl::cli {

// --choice FILE, or --choice long|wide and what the columns mean. Without --choice, --classes: latent classes
// of a table, whose rows choose among the levels of the response.
class ChoiceOptions {
 public:
  explicit ChoiceOptions(CLI::App& command);
  // Whether the fit is one of choices. UsageError for options that need --choice long or wide.
  bool given() const;
  bool of_table() const { return choice_.empty() && !classes_.empty(); }
  // Takes from the settings those that say the same for choices as for tables: nominal, group, weight. Of a
  // table the settings say what its columns mean.
  ChoiceDeclaration declaration(const Data& data, Settings& settings) const;

 private:
  bool declared() const { return choice_ == "long" || choice_ == "wide"; }
  void add(CLI::App& command, const char* name, std::string& text, const char* help, const char* shown);
  void add_data_options(CLI::App& command);
  void add_utility_options(CLI::App& command);
  void add_beyond_options(CLI::App& command);
  void check_options() const;
  ChoiceDeclaration table_declaration(const Settings& settings) const;
  void fill_long(ChoiceDeclaration& d) const;
  void fill_wide(ChoiceDeclaration& d, const Data& data) const;
  void fill_utility(ChoiceDeclaration& d) const;
  void fill_beyond(ChoiceDeclaration& d) const;

  std::string choice_;
  std::string chosen_, situation_, alternative_, alternatives_, attributes_, available_, outside_, filter_,
      context_, reference_, specific_, negative_, positive_, random_, correlated_, draws_, sequence_, nests_,
      classes_, membership_, rank_, rivals_, scale_;
  std::string pattern_ = "{alternative}_{attribute}";
  std::vector<std::string> terms_;
  bool network_ = false, smooth_ = false, no_constants_ = false;
  std::vector<const CLI::Option*> of_declaration_;
};

}  // namespace bl::cli

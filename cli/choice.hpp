// What the commands print of choices among alternatives.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bl/choice.hpp"
#include "bl/output.hpp"

namespace bl::cli {

// Options of bl whatif for choices.
struct ChoiceWhatIfOptions {
  std::vector<std::string> add, change;
  std::string withdraw, money, by;
  EconomicsErrors errors;

  explicit ChoiceWhatIfOptions(CLI::App& command);
  // rows: also every situation goes there, "-" for standard output, then alone.
  void run(const Model& model, const Data& data, bool json, std::size_t threads, const std::string& rows,
           TableFormat format) const;

 private:
  nlohmann::ordered_json whatif_json(const WhatIf& result) const;
};

struct ChoiceEconomicsRun {
  std::string attributes = {};  // comma-separated; empty: all
  std::string money = {};
  std::string by = {};  // column whose levels are asked about one by one; empty: all together
  std::size_t threads = 0;
  EconomicsErrors errors = {};
  std::string clusters = {};  // what errors are clustered by, in words; empty: persons
};

// --covariance, --draws, --level and --seed.
void add_error_options(CLI::App& command, EconomicsErrors& errors);
// Their names, to refuse them where they have no meaning.
inline const std::vector<std::string> kErrorOptions = {"--covariance", "--draws", "--level", "--seed"};
// UsageError for --level, and for --seed unless something else is drawn, without --draws, which they are of.
void check_error_options(const CLI::App& command, const EconomicsErrors& errors, bool drawn = false);

// Marginal utilities, elasticities and values in money.
std::string choice_economics(const Model& model, const Data& data, const ChoiceEconomicsRun& run);
nlohmann::ordered_json choice_economics_json(const Model& model, const Data& data,
                                             const ChoiceEconomicsRun& run);

// The market shares of each level of a column, under each other.
OutputTable shares_by(const Model& model, const Data& data, const std::string& column, std::size_t threads);

// Whom options are for: with only_for.
inline constexpr const char* kForChoices = "models of choices among alternatives";
inline constexpr const char* kForTables = "models of tables; choices among alternatives have no such thing";

}  // namespace bl::cli

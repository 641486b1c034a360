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
  bool json = false;
  std::size_t threads = 0;
  EconomicsErrors errors = {};
  std::string clusters = {};  // what errors are clustered by, in words; empty: persons
};

// --covariance, --draws, --level and --seed.
void add_error_options(CLI::App& command, EconomicsErrors& errors);
// Their names, to refuse them where they have no meaning.
inline const std::vector<std::string> kErrorOptions = {"--covariance", "--draws", "--level", "--seed"};

// Marginal utilities, elasticities and values in money, as text or JSON.
std::string choice_economics(const Model& model, const Data& data, const ChoiceEconomicsRun& run);

// The market shares of each level of a column, under each other.
OutputTable shares_by(const Model& model, const Data& data, const std::string& column, std::size_t threads);

// UsageError for the first of these options that was given although it has no meaning for a model of choices,
// or for one of a table.
void refuse_for_choices(const Model& model, const CLI::App& command, const std::vector<std::string>& options);
void refuse_for_tables(const Model& model, const CLI::App& command, const std::vector<std::string>& options,
                       const std::string& instead = "");

}  // namespace bl::cli

// What the commands print of choices among alternatives.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bl/choice.hpp"

namespace bl::cli {

// Options of bl whatif for choices.
struct ChoiceWhatIfOptions {
  std::vector<std::string> add, change;
  std::string withdraw, money;

  explicit ChoiceWhatIfOptions(CLI::App& command);
  void run(const Model& model, const Data& data, bool json, std::size_t threads) const;
};

struct ChoiceEconomicsRun {
  std::string attributes;  // comma-separated; empty: all
  std::string money;
  bool json = false;
  std::size_t threads = 0;
};

// Marginal utilities, elasticities and values in money, as text or JSON.
std::string choice_economics(const Model& model, const Data& data, const ChoiceEconomicsRun& run);

// UsageError for the first of these options that was given although it has no meaning for a model of choices,
// or for one of a table.
void refuse_for_choices(const Model& model, const CLI::App& command, const std::vector<std::string>& options);
void refuse_for_tables(const Model& model, const CLI::App& command, const std::vector<std::string>& options,
                       const std::string& instead = "");

}  // namespace bl::cli

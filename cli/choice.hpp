// What the commands do with choices among alternatives: declare them, and use a model of them.
#pragma once

#include <string>
#include <vector>

#include "bl/choice.hpp"
#include "options.hpp"

namespace bl::cli {

// Options of bl fit: --choice FILE, or --choice long|wide and what the columns mean.
class ChoiceFitOptions {
 public:
  explicit ChoiceFitOptions(CLI::App& command);
  // Whether the fit is one of choices. UsageError for options that need --choice long or wide.
  bool given() const;

  struct Run {
    std::string data, output;
    bool json = false, quiet = false;
    FitOptions options;
  };
  // Fits, saves and prints; true where it was interrupted.
  bool fit(const Run& run, Settings settings) const;

 private:
  bool declared() const { return choice_ == "long" || choice_ == "wide"; }

  std::string choice_;
  std::string alternatives_, attributes_, context_, specific_, negative_, positive_;
  ChoiceDeclaration declaration_;
  std::vector<const CLI::Option*> of_declaration_;
};

// Options of bl whatif for choices.
struct ChoiceWhatIfOptions {
  std::vector<std::string> add, change;
  std::string withdraw, money;

  explicit ChoiceWhatIfOptions(CLI::App& command);
  void run(const std::string& model, const Data& data, bool json, std::size_t threads) const;
};

struct ChoiceEconomicsRun {
  std::string attributes;  // comma-separated; empty: all
  std::string money;
  bool json = false;
  std::size_t threads = 0;
};

// Names and values in aligned lines; log-likelihoods to six decimals, as they are compared.
std::string situation_metrics(const std::string& title, const std::vector<Metric>& metrics);

void evaluate_choices(const std::string& model, const Data& data, const std::string& part, bool json,
                      std::size_t threads);
// Marginal utilities, elasticities and values in money, as text or JSON.
std::string choice_economics(const std::string& model, const Data& data, const ChoiceEconomicsRun& run);

// UsageError for the first of these options that was given: it has no meaning for choices.
void refuse_for_choices(const CLI::App& command, const std::vector<std::string>& options);

}  // namespace bl::cli

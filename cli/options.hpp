// Options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bl/model.hpp"
#include "bl/output.hpp"
#include "bl/settings.hpp"

namespace bl::cli {

// The options that help begins with, where a command has many.
inline constexpr const char* kCommon = "Common options";

// Settings from the command line: --config FILE first, then --set name=value, then the settings' own options.
class SettingOptions {
 public:
  // `wanted` empty: all settings become options.
  SettingOptions(CLI::App& command, const std::vector<std::string>& wanted);
  Settings settings() const;

 private:
  std::string config_;
  std::vector<std::string> assignments_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, bool> flags_;
  std::map<std::string, const CLI::Option*> options_;
};

// --digits of tables of numbers: 6 significant ones unless asked otherwise.
class DigitOption {
 public:
  explicit DigitOption(CLI::App& command);
  // Whole numbers and texts stay as they are. UsageError for what is neither a number from 1 to 17
  // nor "full".
  OutputTable rounded(OutputTable table) const;

 private:
  std::string text_ = "6";
};

// The settings that say how a data file is written.
const std::vector<std::string>& reading_settings();

// The argument MODEL with --no-verify, and the model that it names.
void add_model_argument(CLI::App& command, std::string& path);
Model open_model(const CLI::App& command, const std::string& path);

// A whole number between these, both included; what it holds is the default.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, const std::string& help,
                        std::int64_t lowest, std::int64_t highest) {
  return command.add_option(name, value, help)
      ->option_text("[" + std::to_string(value) + "]")
      ->check(CLI::Range(lowest, highest));
}
// Options that several commands have, in the same words.
CLI::Option* add_threads(CLI::App& command, std::size_t& threads,
                         const std::string& help = "Threads; 0: one per processor");
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help = "Decides every draw");
void add_device(CLI::App& command, std::string& device, const std::string& help);
void add_temperature(CLI::App& command, double& temperature);

// A number above 0; a number between 0 and 1, neither of them.
CLI::Validator positive_number();
CLI::Validator inner_share();

// UsageError for the first of these options that was given although it is for something else, which `what`
// names: no option is passed over in silence.
void only_for(const CLI::App& command, const std::vector<std::string>& options, bool fits,
              const std::string& what);

Part part_from_name(const std::string& name);  // throws UsageError
std::vector<double> number_list(const std::string& option, const std::string& text);
std::vector<std::string> name_list(const std::string& text);

TableFormat table_format(const std::string& name);  // csv or jsonl; throws UsageError
// The rows of a table as a JSON array of objects.
std::string json_array(const OutputTable& table);

// A place that cannot be written is found before the work, not after: DataError. UsageError where it is a
// file that the command reads, whatever name or link it goes by. "-" is standard output, which takes text but
// no model.
void check_output_path(const CLI::App& command, const std::string& path);
// Of a model. `over_model`: it may take the place of the model that the command reads.
void check_model_path(const CLI::App& command, const std::string& path, bool over_model = false);

// Text to a file (whole or not at all), or to standard output for "-".
void write_text(const std::string& path, const std::string& text);
// The same for people: on standard output, control characters are escaped.
void write_for_people(const std::string& path, const std::string& text, bool color = false);

// The text without blanks at its ends.
std::string trimmed(const std::string& text);

}  // namespace bl::cli

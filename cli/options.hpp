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

// The settings that say how a data file is written.
const std::vector<std::string>& reading_settings();

// What --threads and --seed accept; a negative number would otherwise wrap round to a huge one.
CLI::Validator thread_range();
CLI::Validator seed_range();
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

// A place that cannot be written is found out before the work, not after: DataError. "-" is standard output,
// which takes text but no model.
void check_writable(const std::string& path);
void check_model_place(const std::string& path);

// Text to a file (whole or not at all), or to standard output for "-".
void write_text(const std::string& path, const std::string& text);

}  // namespace bl::cli

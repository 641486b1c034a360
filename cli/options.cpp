#include "options.hpp"

#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "bl/errors.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

std::string option_name(std::string_view setting) {
  std::string name = "--" + std::string(setting);
  for (char& c : name)
    if (c == '_') c = '-';
  return name;
}

// Settings that most fits are asked for.
bool is_common(const std::string& setting) {
  static const std::vector<std::string> names = {"target",    "ignore", "id",     "group",  "weight",
                                                 "single",    "layers", "degree", "heads",  "members",
                                                 "fractions", "epochs", "seed",   "threads"};
  return std::find(names.begin(), names.end(), setting) != names.end();
}

// What a number of an option must be, said in words.
CLI::Validator number_that(const std::string& expected, const std::function<bool(double)>& holds) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        const bool number = CLI::detail::lexical_cast(text, value);
        return number && holds(value) ? std::string() : fmt::format("'{}': expected {}", text, expected);
      },
      "");
}

void check_writable(const std::string& path) {
  if (path.empty()) throw UsageError("the name of the output is empty; name a file");
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat status {};
  if (!folder.empty() && ::stat(folder.c_str(), &status) == -1 && errno == ENOENT)
    throw DataError(fmt::format("cannot write '{}': there is no folder {}", path, folder));
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode))
    throw DataError(fmt::format("cannot write '{}': it is a folder", path));
  // Makes and removes a temporary file there. A pipe or device is left alone until there is something to
  // write.
  if (!there || S_ISREG(status.st_mode)) OutputFileWriter probe(path);
}

// Whether a file that one of these options and arguments names is the one to be written.
void refuse_inputs(const CLI::App& command, const std::vector<std::string>& names, const std::string& path) {
  struct stat output {
  }, input{};
  if (::stat(path.c_str(), &output) == -1 || !S_ISREG(output.st_mode)) return;
  for (const std::string& name : names) {
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr || option->count() == 0) continue;
    const std::string file = option->results().front();
    const int known = file == "-" ? ::fstat(STDIN_FILENO, &input) : ::stat(file.c_str(), &input);
    if (known == 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino)
      throw UsageError(
          fmt::format("'{}' is read by this command and would be overwritten; write to another file", path));
  }
}

}  // namespace

SettingOptions::SettingOptions(CLI::App& command, const std::vector<std::string>& wanted) {
  const bool all = wanted.empty();
  for (const SettingInfo& info : setting_list()) {
    const std::string name(info.name);
    if (!all && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    CLI::Option* option = nullptr;
    if (info.kind == SettingInfo::Kind::flag) {
      option = command.add_flag(option_name(name) + ",!--no-" + option_name(name).substr(2), flags_[name],
                                std::string(info.help));
    } else {
      option = command.add_option(option_name(name), texts_[name], std::string(info.help));
      const std::string text = fmt::format("{}", fmt::join(info.choices, "|"));
      option->option_text(
          text.empty() ? (info.default_value.empty() ? "TEXT" : "[" + info.default_value + "]") : text);
    }
    option->group(all && is_common(name) ? kCommon : std::string(info.group));
    options_[name] = option;
  }
  if (!all) return;
  command.add_option("--config", config_, "TOML file of settings; bl settings writes one")
      ->option_text("FILE")
      ->group(kCommon);
  command.add_option("--set", assignments_, "Any setting, as name=value; may be repeated")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(kCommon);
}

Settings SettingOptions::settings() const {
  Settings settings;
  if (!config_.empty()) read_settings_file(settings, config_);
  for (const std::string& assignment : assignments_) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("--set {}: expected name=value", assignment));
    set(settings, assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  for (const auto& [name, option] : options_) {
    if (option->count() == 0) continue;
    const auto flag = flags_.find(name);
    set(settings, name, flag == flags_.end() ? texts_.at(name) : flag->second ? "true" : "false");
  }
  return settings;
}

DigitOption::DigitOption(CLI::App& command) {
  command.add_option("--digits", text_, "Significant digits of numbers, or full for all of them")
      ->option_text("[6]|full");
}

OutputTable DigitOption::rounded(OutputTable table) const {
  if (text_ == "full") return table;
  int digits = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), digits);
  if (error != std::errc() || end != text_.data() + text_.size() || digits < 1 || digits > 17)
    throw UsageError(fmt::format("--digits '{}': expected 1 to 17, or full", text_));
  for (OutputColumn& column : table.columns)  // columns that are carried along hold texts, no numbers
    for (double& number : column.numbers)
      if (std::isfinite(number) && number != std::floor(number))
        number = std::stod(fmt::format("{:.{}g}", number, digits));
  return table;
}

const std::vector<std::string>& reading_settings() {
  static const std::vector<std::string> names = {"delimiter", "decimal_comma", "na", "labels"};
  return names;
}

void add_model_argument(CLI::App& command, std::string& path) {
  command.add_option("model", path, "Model that bl fit wrote")->required()->option_text("MODEL");
  command.add_flag("--no-verify")->description("Read a model file that was edited after it was written");
}

Model open_model(const CLI::App& command, const std::string& path) {
  return Model::load(path, command.count("--no-verify") > 0);
}

CLI::Option* add_threads(CLI::App& command, std::size_t& threads, const std::string& help) {
  return add_number(command, "--threads", threads, help, 0, 4096);
}

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  return add_number(command, "--seed", seed, help, 0, 9007199254740991);
}

void add_device(CLI::App& command, std::string& device, const std::string& help) {
  command.add_option("--device", device, help)
      ->option_text("[cpu]|cuda|auto")
      ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
}

void add_temperature(CLI::App& command, double& temperature) {
  command.add_option("--temperature", temperature, "Another temperature than the trained one")
      ->option_text("TAU")
      ->check(positive_number());
}

CLI::Validator positive_number() {
  return number_that("a number above 0", [](double value) { return value > 0; });
}
CLI::Validator inner_share() {
  return number_that("a number between 0 and 1", [](double value) { return value > 0 && value < 1; });
}

void only_for(const CLI::App& command, const std::vector<std::string>& options, bool fits,
              const std::string& what) {
  for (const std::string& option : options)
    if (!fits && command.count(option) > 0) throw UsageError(fmt::format("{} is for {}", option, what));
}

TableFormat table_format(const std::string& name) {
  if (name != "csv" && name != "jsonl")
    throw UsageError(fmt::format("--format '{}': expected csv or jsonl", name));
  return name == "csv" ? TableFormat::csv : TableFormat::json_lines;
}

Part part_from_name(const std::string& name) {
  if (name == "all") return Part::all;
  if (name == "train") return Part::train;
  if (name == "validation") return Part::validation;
  if (name == "test") return Part::test;
  throw UsageError(fmt::format("--part '{}': expected all, train, validation or test", name));
}

std::vector<std::string> name_list(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    std::string name = text.substr(from, to - from);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    name.erase(name.find_last_not_of(' ') + 1);
    if (!name.empty()) names.push_back(name);
    from = to + 1;
  }
  return names;
}

std::vector<double> number_list(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& part : name_list(text)) {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size())
      throw UsageError(fmt::format("{} '{}': expected numbers separated by commas", option, text));
    if (std::find(numbers.begin(), numbers.end(), value) != numbers.end())
      throw UsageError(fmt::format("{} '{}': {} stands there twice", option, text, part));
    numbers.push_back(value);
  }
  return numbers;
}

std::string json_array(const OutputTable& table) {
  std::string text = format_table(table, TableFormat::json_lines, false);
  for (std::size_t at = 0; (at = text.find("}\n{", at)) != std::string::npos; ++at) text.insert(at + 1, ",");
  return "[\n" + text + "]\n";
}

void check_output_path(const CLI::App& command, const std::string& path) {
  if (path == "-") return;
  check_writable(path);
  refuse_inputs(command, {"model", "data", "rows", "--compare", "--config", "--schema", "--choice"}, path);
}

void check_model_path(const CLI::App& command, const std::string& path, bool over_model) {
  if (path == "-") throw UsageError("a model is written to a file, not to standard output; name one");
  if (!over_model) return check_output_path(command, path);
  check_writable(path);
  refuse_inputs(command, {"data", "--compare"}, path);
}

void write_for_people(const std::string& path, const std::string& text, bool color) {
  write_text(path, path == "-" ? printable(text, color) : text);
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw DataError("cannot write to standard output");
    return;
  }
  OutputFileWriter file(path);
  file.write(text);
  file.commit();
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

}  // namespace bl::cli

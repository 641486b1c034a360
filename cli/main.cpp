// `bl`: arguments in, text out. Errors of the library become messages and exit codes here and nowhere else.
#include <fmt/format.h>

#include <new>
#include <sstream>
#include <system_error>

#include "bl/errors.hpp"
#include "bl/model.hpp"
#include "bl/names.hpp"
#include "commands.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

constexpr int kInternal = 1, kUsage = 2, kData = 3, kModelFile = 4, kNumeric = 5;

int fail(int code, const std::string& message) {
  complain(printable("bl: " + spelled(message) + "\n"));
  return code;
}

// Help at 80 columns: descriptions are broken within their own column.
class NarrowHelp : public CLI::Formatter {
 public:
  NarrowHelp() { column_width(kLeftColumn); }
  std::string make_option_desc(const CLI::Option* option) const override {
    return in_column(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), in_column(command->get_description()), column_width_);
    return out.str();
  }

 private:
  static constexpr std::size_t kLeftColumn = 34;
  // The text wrapped as if it began after the left column; the formatter indents the lines after the first
  // itself.
  static std::string in_column(const std::string& text) {
    std::string lines = wrapped(std::string(kLeftColumn, ' ') + text, kLeftColumn).substr(kLeftColumn);
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; ++at)
      lines.erase(at + 1, kLeftColumn);
    return lines;
  }
};

// The names that could have been meant in place of an unknown word.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  return words;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string words;  // "choice predict "
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    words += command->get_name() + " ";
  }
  std::string message = error.what();
  for (const std::string& extra : command->remaining()) {
    const std::string word = extra.substr(0, extra.find('='));
    message = fmt::format("unknown {} '{}'{}", word.starts_with("-") ? "option" : "argument", word,
                          did_you_mean(word, known_words(*command)));
    break;
  }
  return fail(kUsage, fmt::format("{}\nRun 'bl {}--help' for what there is.", message, words));
}

int run(int argc, char** argv) {
  CLI::App app{"Behavior Learning: learn the optimization problem that people behave as if\nthey solved.",
               "bl"};
  app.formatter(std::make_shared<NarrowHelp>());
  app.footer(
      "Example:\n  bl fit data.csv --target y --output model.bl\n\n"
      "Exit codes: 0 done, 2 usage, 3 data, 4 model file, 5 numeric, 130 interrupted\n(the best model is "
      "kept).");
  app.set_version_flag("--version", library_version());
  app.require_subcommand(1);
  for (const auto add : {add_fit, add_predict, add_evaluate, add_inspect, add_explain, add_simplify,
                         add_summary, add_check, add_canonical, add_whatif, add_sample, add_schema,
                         add_settings, add_devices, add_demo, add_reproduce})
    add(app);
  learn_options(app);
  try {
    app.parse(argc, argv);
    return exit_code();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    if (argc < 2) {
      complain(app.help());
      return kUsage;
    }
    return usage_error(app, error);
  } catch (const UsageError& error) {
    return fail(kUsage, error.what());
  } catch (const DataError& error) {
    return fail(kData, error.what());
  } catch (const ModelFileError& error) {
    return fail(kModelFile, error.what());
  } catch (const NumericError& error) {
    return fail(kNumeric, error.what());
  } catch (const Interrupted& error) {
    return fail(kInterrupted, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kData,
                "out of memory: the data or the model do not fit; use fewer columns, or a smaller model");
  } catch (const std::system_error& error) {  // a name too long, links in a loop
    return fail(kData, error.what());
  } catch (const std::exception& error) {
    return fail(kInternal, fmt::format("internal error: {}; please report it", error.what()));
  }
}

// Output that was lost in a buffer is an error like any other.
int run_and_flush(int argc, char** argv) {
  const int code = run(argc, argv);
  if (flush_standard_output() || code != 0) return code;
  return fail(kData, "cannot write to standard output");
}

}  // namespace

int& exit_code() {
  static int code = 0;
  return code;
}

}  // namespace bl::cli

int main(int argc, char** argv) {
  bl::cli::hold_standard_streams();
  return bl::cli::run_and_flush(argc, argv);
}

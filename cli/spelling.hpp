// The library names settings and arguments in backquotes, `learning_rate`; people at the command line type
// --learning-rate.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace bl::cli {

// Once, when all commands are declared: their options and the settings are what spelled() knows.
void learn_options(const CLI::App& app);

// A text of the library with every such name as the option it is here. Other words in backquotes stay.
std::string spelled(const std::string& text);

}  // namespace bl::cli

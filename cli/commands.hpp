// The sub-commands. Each registers itself with the parser; its action runs after parsing.
#pragma once

#include <CLI/CLI.hpp>

namespace bl::cli {

void add_fit(CLI::App& app);
void add_predict(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_explain(CLI::App& app);
void add_sample(CLI::App& app);
void add_schema(CLI::App& app);
void add_settings(CLI::App& app);
void add_demo(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_whatif(CLI::App& app);
void add_canonical(CLI::App& app);
void add_summary(CLI::App& app);
void add_check(CLI::App& app);
void add_simplify(CLI::App& app);
void add_data(CLI::App& app);
void add_completion(CLI::App& app);

// What the process returns when all went well but training was interrupted.
inline constexpr int kInterrupted = 130;

// Set by a command whose success is not 0.
int& exit_code();

}  // namespace bl::cli

#include "bl/demo.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct DemoArguments {
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  bool json = false;
};

std::string head_title(const DemoLine& line) {
  if (line.head == "U") return fmt::format("max   U  through {}", line.activation);
  if (line.head == "C") return fmt::format("s.t.  C <= 0, penalty {}", line.activation);
  return fmt::format("      T = 0, penalty {}", line.activation);
}

void print_text(const DemoReport& r) {
  say("{}\n\n", wrapped(fmt::format("A known problem ({}): {}", r.name, r.description), 0));
  say("{}\n\n",
      wrapped(
          fmt::format("{} rows were made from it, {} more held out; learned in {}, {} of {} starts agree.",
                      r.training_rows, r.held_out_rows, duration(r.seconds), r.agreeing_starts, r.starts),
          0));
  say("{:<34} {:>10} {:>10} {:>12}\n", "the problem", "true", "learned", "std. error");
  for (const DemoLine& line : r.lines) {
    say("{}\n", head_title(line));
    for (const DemoCoefficient& c : line.coefficients) {
      const std::string term = c.term == "lambda" ? "weight" : c.term == "1" ? "constant" : c.term;
      say("      {:<28.28} {:>10.3f} {:>10.3f} {:>12}\n", term, c.truth, c.learned,
          c.standard_error > 0 ? fmt::format("{:.3f}", c.standard_error) : "fixed");
    }
  }
  say("\nProbabilities on held-out rows, true against learned:\n");
  for (const DemoExample& example : r.examples) {
    say("  {}\n", example.situation);
    for (std::size_t j = 0; j < example.alternatives.size(); ++j)
      say("    {:<46.46} {:>8.3f} {:>8.3f}\n", example.alternatives[j], example.true_probabilities[j],
          example.learned_probabilities[j]);
  }
  say("\n{}\n",
      wrapped(fmt::format(
                  "Log-likelihood per held-out row: truth {:.4f}, learned {:.4f}, uniform baseline {:.4f}.",
                  r.true_log_likelihood, r.learned_log_likelihood, r.null_log_likelihood),
              0));
  say("{}\n",
      wrapped(fmt::format(
                  "Learned and true probabilities differ by {:.4f} in total variation (0 equal, 1 disjoint).",
                  r.total_variation),
              0));
}

void print_json(const DemoReport& r) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const DemoLine& line : r.lines) {
    nlohmann::ordered_json coefficients = nlohmann::ordered_json::array();
    for (const DemoCoefficient& c : line.coefficients)
      coefficients.push_back({{"term", c.term},
                              {"true", c.truth},
                              {"learned", c.learned},
                              {"standard_error", c.standard_error}});
    lines.push_back({{"head", line.head}, {"activation", line.activation}, {"coefficients", coefficients}});
  }
  const nlohmann::ordered_json out = {{"problem", r.name},
                                      {"training_rows", r.training_rows},
                                      {"held_out_rows", r.held_out_rows},
                                      {"lines", lines},
                                      {"true_log_likelihood", r.true_log_likelihood},
                                      {"learned_log_likelihood", r.learned_log_likelihood},
                                      {"null_log_likelihood", r.null_log_likelihood},
                                      {"divergence", r.divergence},
                                      {"total_variation", r.total_variation},
                                      {"seconds", r.seconds}};
  write_text("-", out.dump(2) + "\n");
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("demo", "Make data from a known problem, learn it, print both side by side");
  auto a = std::make_shared<DemoArguments>();
  add_seed(*command, a->seed, "Decides the data and the starting values");
  add_threads(*command, a->threads);
  command->add_flag("--json", a->json, "Print as JSON");
  command->footer("Example:\n  bl demo --seed 7");
  command->callback([a] {
    catch_interrupts();
    const DemoReport report = with_progress(
        a->json, [&](const auto& progress) { return run_demo(a->seed, a->threads, progress, interrupted); });
    if (a->json)
      print_json(report);
    else
      print_text(report);
  });
}

}  // namespace bl::cli

#include "bl/reproduce.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct ConstraintArguments {
  ConstraintSweepOptions options;
  bool json = false;
  std::string plot;
};

std::string figure(double value, bool known) {
  return known ? fmt::format("{:.4f}", value) : "-";
}

// In Monte-Carlo standard errors; not known where chains were lost, for then there is no standard error.
std::string distance(const ConstraintRow& r) {
  const double z = (r.mean - r.exact_mean) / r.standard_error;
  return r.sampled && r.proper && std::isfinite(z) ? fmt::format("{:+.2f}", z) : "-";
}

void print_text(const std::vector<ConstraintRow>& rows) {
  say("T(x, y) = |y|^2 - |x|^2 in 64 dimensions, p(y|x) ~ exp(-lambda T^2 / tau)\n\n");
  say("{:>6} {:>6} | {:>8} {:>8} {:>7} | {:>8} {:>8} | {:>6} {:>6} | {:>6}\n", "lambda", "tau", "mean |T|",
      "exact", "z", "95%", "exact", "<=0.1", "exact", "R-hat");
  for (const ConstraintRow& r : rows) {
    say("{:>6g} {:>6g} | {:>8} {:>8} {:>7} | {:>8} {:>8} | {:>6} {:>6} | {:>6}\n", r.lambda, r.tau,
        figure(r.mean, r.sampled), figure(r.exact_mean, r.proper), distance(r),
        figure(r.percentile_95, r.sampled), figure(r.exact_percentile_95, r.proper),
        r.sampled ? fmt::format("{:.3f}", r.share_within) : "-",
        r.proper ? fmt::format("{:.3f}", r.exact_share_within) : "-",
        r.sampled ? fmt::format("{:.4f}", r.rhat) : "-");
    if (!r.note.empty()) say("       {}\n", r.note);
  }
  say("\nz: distance of the sampled mean from the exact one in Monte-Carlo standard errors.\n"
      "R-hat is that of |T|; it does not speak of directions on the sphere.\n");
}

void print_json(const std::vector<ConstraintRow>& rows) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ConstraintRow& r : rows) {
    nlohmann::ordered_json one = {
        {"lambda", r.lambda}, {"tau", r.tau}, {"proper", r.proper}, {"note", r.note}};
    if (r.sampled)
      one.update({{"mean", r.mean},
                  {"standard_error", r.standard_error},
                  {"percentile_95", r.percentile_95},
                  {"share_within_0.1", r.share_within},
                  {"rhat", r.rhat},
                  {"ess_bulk", r.ess_bulk},
                  {"acceptance", r.acceptance},
                  {"divergences", r.divergences},
                  {"diverged_chains", r.diverged_chains},
                  {"chains", r.chains}});
    if (r.proper)
      one.update({{"exact_mean", r.exact_mean},
                  {"exact_percentile_95", r.exact_percentile_95},
                  {"exact_share_within_0.1", r.exact_share_within}});
    out.push_back(one);
  }
  write_text("-", out.dump(2) + "\n");
}

struct IdentificationArguments {
  IdentificationOptions options;
  bool json = false;
  std::string plot, models, sizes;
};

std::vector<std::size_t> size_list(const std::string& text) {
  std::vector<std::size_t> sizes;
  for (const std::string& word : name_list(text)) {
    std::size_t used = 0;
    const auto wrong = [&] {
      return UsageError(fmt::format("--sizes '{}': expected numbers of rows", word));
    };
    try {
      sizes.push_back(std::stoull(word, &used));
    } catch (const std::exception&) {
      throw wrong();
    }
    if (used != word.size() || word.front() == '-' || sizes.back() > 100000000) throw wrong();
  }
  return sizes;
}

void run_identification(IdentificationArguments& a) {
  a.options.models = name_list(a.models);
  if (!a.sizes.empty()) a.options.sizes = size_list(a.sizes);
  catch_interrupts();
  a.options.should_stop = interrupted;
  const auto models = with_progress(
      a.json, [&](const auto& progress) { return reproduce_identification(a.options, progress); });
  if (!a.plot.empty()) write_text(a.plot, identification_svg(models));
  write_text("-", a.json ? identification_json(models) : identification_text(models));
}

void add_identification(CLI::App& command) {
  CLI::App* identification =
      command.add_subcommand("identification", "Rate, coverage and efficiency on data from known models");
  auto a = std::make_shared<IdentificationArguments>();
  identification
      ->add_option("--models", a->models,
                   fmt::format("Only these: {}", fmt::join(identification_models(), ", ")))
      ->option_text("NAME[,NAME]");
  add_number(*identification, "--replications", a->options.replications,
             "Data sets of --coverage-rows rows; fewer of the other sizes (500: the full evidence)", 2,
             1000000);
  identification->add_option("--sizes", a->sizes, "Numbers of rows for the rate")
      ->option_text("[500,2000,8000,32000]");
  add_number(*identification, "--coverage-rows", a->options.coverage_rows,
             "Rows at which intervals are counted", 100, 100000000);
  add_number(*identification, "--starts", a->options.starts,
             "Random starts of every fit beside the one from the truth", 0, 1000);
  add_seed(*identification, a->options.seed);
  add_threads(*identification, a->options.threads);
  identification->add_option("--device", a->options.device, "Where data sets are fitted")
      ->option_text("[cpu]|cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  identification->add_flag("--json", a->json, "Print as JSON");
  identification->add_option("--plot", a->plot, "Also draw error curves and coverage into this SVG file")
      ->option_text("FILE");
  identification->footer(
      "Examples:\n  bl reproduce identification --models single_class,single_choice\n"
      "  bl reproduce identification --replications 500 --plot identification.svg");
  identification->callback([a] { run_identification(*a); });
}

}  // namespace

void add_reproduce(CLI::App& app) {
  CLI::App* command = app.add_subcommand("reproduce", "Run an experiment of the paper");
  command->require_subcommand(1);
  command->footer("Example:\n  bl reproduce constraint --plot constraint.svg");
  add_identification(*command);
  CLI::App* constraint =
      command->add_subcommand("constraint", "How closely samples keep an equality constraint");
  auto a = std::make_shared<ConstraintArguments>();
  constraint->add_option("--method", a->options.method, "Sampler; paper is the paper's own update")
      ->option_text("hmc|mala|langevin|paper");
  add_number(*constraint, "--draws", a->options.draws, "Draws per chain", 1, 1000000000);
  add_number(*constraint, "--chains", a->options.chains, "Chains per context; there are 8 contexts", 1,
             1000000);
  add_number(*constraint, "--warmup", a->options.warmup, "Moves before the first draw", 0, 1000000000);
  add_seed(*constraint, a->options.seed);
  add_threads(*constraint, a->options.threads);
  constraint->add_flag("--json", a->json, "Print as JSON");
  constraint->add_option("--plot", a->plot, "Also draw the sweep into this SVG file")->option_text("FILE");
  constraint->footer("Example:\n  bl reproduce constraint --method hmc --plot constraint.svg");
  constraint->callback([a] {
    catch_interrupts();
    a->options.should_stop = interrupted;
    const auto rows = with_progress(
        a->json, [&](const auto& progress) { return reproduce_constraint(a->options, progress); });
    if (!a->plot.empty()) write_text(a->plot, constraint_svg(rows));
    if (a->json)
      print_json(rows);
    else
      print_text(rows);
  });
}

}  // namespace bl::cli

#include "choice_declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bl/errors.hpp"
#include "bl/names.hpp"
#include "options.hpp"

namespace bl::cli {

namespace {

// "name=other" in two; the name twice where there is no other.
std::pair<std::string, std::string> pair_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == std::string::npos ? std::pair(text, text)
                                     : std::pair(text.substr(0, equals), text.substr(equals + 1));
}

// The pairs of a list; UsageError where a name stands twice.
std::vector<std::pair<std::string, std::string>> pairs(const char* option, const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  std::set<std::string> seen;
  for (const std::string& one : name_list(text)) {
    out.push_back(pair_of(one));
    if (!seen.insert(out.back().first).second)
      throw UsageError(fmt::format("{} names '{}' twice", option, out.back().first));
  }
  return out;
}

// An expression that is one column.
std::string column_text(const std::string& name) {
  return "`" + name + "`";
}

std::string filled_in(std::string pattern, const std::string& alternative, const std::string& attribute) {
  for (const auto& [mark, text] : {std::pair<std::string, std::string>{"{alternative}", alternative},
                                   std::pair<std::string, std::string>{"{attribute}", attribute}}) {
    const std::size_t at = pattern.find(mark);
    if (at == std::string::npos)
      throw UsageError(
          fmt::format("the pattern of columns '{}' has no {}; write for example "
                      "{{alternative}}_{{attribute}} or {{attribute}}_{{alternative}}",
                      pattern, mark));
    pattern.replace(at, mark.size(), text);
  }
  return pattern;
}

constexpr const char* kGroup = "Choices among alternatives";

}  // namespace

ChoiceOptions::ChoiceOptions(CLI::App& command) {
  command
      .add_option("--choice", choice_,
                  "Learn choices: a schema (TOML), or long (a line per alternative) or wide (a line per "
                  "situation) with the options below; --group names the person")
      ->option_text("FILE|long|wide")
      ->group(kGroup);
  add_data_options(command);
  add_utility_options(command);
  add_beyond_options(command);
}

void ChoiceOptions::add(CLI::App& command, const char* name, std::string& text, const char* help,
                        const char* shown) {
  of_declaration_.push_back(command.add_option(name, text, help)->option_text(shown)->group(kGroup));
}

void ChoiceOptions::add_data_options(CLI::App& command) {
  add(command, "--chosen", chosen_, "Wide: column of the chosen alternative; long: true where chosen",
      "COLUMN");
  add(command, "--situation", situation_, "Long: column of the situation's id", "COLUMN");
  add(command, "--alternative", alternative_, "Long: column of the alternative", "COLUMN");
  add(command, "--alternatives", alternatives_, "Names, or names and codes in the data: train=1,car=2",
      "NAMES");
  add(command, "--attributes", attributes_, "Attributes, or attributes and columns: time=TT,cost=CO",
      "NAMES");
  of_declaration_.push_back(
      command
          .add_option("--term", terms_,
                      "A further input of the utility, of attributes and columns of the person: 'log_cost = "
                      "log(cost)'; may be repeated")
          ->option_text("NAME=EXPRESSION")
          ->allow_extra_args(false)
          ->group(kGroup));
  add(command, "--columns", pattern_, "Wide: how columns are called, by prefix or suffix",
      "[{alternative}_{attribute}]");
  add(command, "--available", available_, "Not 0 where available; wide: as in --columns", "NAME");
  add(command, "--outside", outside_, "Long: an option with utility 0, in every set", "NAME");
  add(command, "--rank", rank_,
      "Rankings in place of --chosen: 1 is the best; long: column of ranks, wide: as in --columns, or a "
      "column of "
      "codes from best to worst, as in 2 > 1 > 3",
      "NAME");
  add(command, "--filter", filter_, "Only rows for which this is true: 'PURPOSE in (1, 3)'", "EXPRESSION");
}

void ChoiceOptions::add_utility_options(CLI::App& command) {
  add(command, "--context", context_, "Columns of the person; makes the utility a network", "NAMES");
  add(command, "--reference", reference_, "Linear: the alternative without a constant", "NAME");
  add(command, "--specific", specific_, "Linear: attributes with a coefficient per alternative", "NAMES");
  add(command, "--negative", negative_, "Attributes that never raise utility: costs, times", "NAMES");
  add(command, "--positive", positive_, "Attributes that never lower utility", "NAMES");
  of_declaration_.push_back(
      command.add_flag("--network", network_, "A network without context; else linear")->group(kGroup));
  of_declaration_.push_back(
      command.add_flag("--smooth", smooth_, "A small network whose trade-offs can be trusted; else linear")
          ->group(kGroup));
  of_declaration_.push_back(
      command.add_flag("--no-constants", no_constants_, "Linear: no constants of the alternatives")
          ->group(kGroup));
}

void ChoiceOptions::add_beyond_options(CLI::App& command) {
  add(command, "--random", random_,
      "Mixed logit: coefficients that differ between persons: time=normal,cost=lognormal (also triangular, "
      "uniform)",
      "NAMES");
  add(command, "--correlated", correlated_, "Random coefficients that correlate", "NAMES");
  add(command, "--random-draws", draws_, "Draws per person of random coefficients", "[500]");
  add(command, "--sequence", sequence_, "Of the draws", "[sobol]|halton|scrambled|pseudo");
  add(command, "--nests", nests_, "Nested logit: existing=train+car; an alternative may be in two nests",
      "NAMES");
  add(command, "--classes", classes_,
      "Latent classes: how many; of a table without --choice: its rows choose among the levels of --target, "
      "and --group names the person",
      "N");
  add(command, "--membership", membership_, "Columns of the person that the classes depend on", "NAMES");
  add(command, "--scale", scale_,
      "A scale of the utility by data source: its column, and the source of scale 1", "COLUMN[=REFERENCE]");
  add(command, "--rivals", rivals_,
      "Network: what it reads of the other alternatives: mean, min, max, rank, or mean(cost) of one "
      "attribute",
      "NAMES");
}

void ChoiceOptions::check_options() const {
  const std::set<std::string> for_tables = {"--classes", "--membership", "--reference", "--filter",
                                            "--scale"};
  for (const CLI::Option* option : of_declaration_) {
    const std::string name = option->get_name();
    if (option->count() == 0 || declared() || (of_table() && for_tables.contains(name))) continue;
    throw UsageError(
        fmt::format("{} goes with --choice long or --choice wide{}", name,
                    !choice_.empty() ? "; a schema file says it itself"
                    : name == "--random"
                        ? "; a table has no random coefficients, but it may have latent classes: --classes 2"
                    : for_tables.contains(name) ? ", or with the --classes of a table"
                                                : ""));
  }
}

bool ChoiceOptions::given() const {
  check_options();
  return !choice_.empty() || of_table();
}

ChoiceDeclaration ChoiceOptions::table_declaration(const Settings& settings) const {
  ChoiceDeclaration d;
  d.name = "--classes";
  d.layout = "table";
  d.form = settings.identifiable || settings.single ? "network" : "linear";
  d.reference = reference_;
  d.filter = filter_;
  d.places = {{"utility/reference", "--reference"},
              {"data/filter", "--filter"},
              {"data/person", "--group"},
              {"data/weight", "--weight"}};
  fill_beyond(d);
  return d;
}

ChoiceDeclaration ChoiceOptions::declaration(const Data& data, Settings& settings) const {
  if (of_table()) return table_declaration(settings);
  if (!declared()) return ChoiceDeclaration::read(choice_);
  if (chosen_.empty() && rank_.empty())
    throw UsageError("choices need --chosen: the column that says what was chosen; or --rank, for rankings");
  ChoiceDeclaration d;
  d.name = "--choice " + choice_;
  d.places = {{"data/choice", "--chosen"},
              {"data/chosen", "--chosen"},
              {"data/situation", "--situation"},
              {"data/alternative", "--alternative"},
              {"data/available", "--available"},
              {"data/outside", "--outside"},
              {"data/rank", "--rank"},
              {"data/ranking", "--rank"},
              {"utility/rivals", "--rivals"},
              {"scale", "--scale"},
              {"data/filter", "--filter"},
              {"data/person", "--group"},
              {"data/weight", "--weight"},
              {"attributes", "--attributes"},
              {"terms", "--term"},
              {"utility/constants", "--no-constants"},
              {"alternatives", "--alternatives"},
              {"utility/form", network_  ? "--network"
                               : smooth_ ? "--smooth"
                                         : "--context"},
              {"utility/reference", "--reference"},
              {"utility/context", "--context"},
              {"utility/nominal", "--nominal"},
              {"utility/specific", "--specific"}};
  d.layout = choice_;
  d.filter = filter_;
  const Settings defaults;
  d.nominal = name_list(std::exchange(settings.nominal, defaults.nominal));
  d.person = std::exchange(settings.group, defaults.group);
  d.weight = std::exchange(settings.weight, defaults.weight);
  for (const std::string& one : name_list(alternatives_)) {
    const auto [name, code] = pair_of(one);
    d.alternatives.push_back({name, code});
  }
  if (choice_ == "wide")
    fill_wide(d, data);
  else
    fill_long(d);
  fill_utility(d);
  fill_beyond(d);
  return d;
}

void ChoiceOptions::fill_long(ChoiceDeclaration& d) const {
  d.chosen = chosen_;
  d.rank = rank_.empty() ? "" : column_text(rank_);
  d.situation = situation_;
  d.alternative = alternative_;
  d.available = available_;
  d.outside = outside_;
  for (const auto& [name, column] : pairs("--attributes", attributes_))
    d.attributes.emplace_back(name, column_text(column));
}

void ChoiceOptions::fill_wide(ChoiceDeclaration& d, const Data& data) const {
  d.choice = chosen_;
  if (!situation_.empty() || !alternative_.empty() || !outside_.empty())
    throw UsageError("situation, alternative and outside are for a long file (a line per alternative)");
  if (d.alternatives.size() < 2)
    throw UsageError("a wide file of choices needs --alternatives, two or more, for example train=1,car=2");
  std::vector<std::string> columns;
  for (const ColumnSummary& column : data.columns()) columns.push_back(column.name);
  if (std::find(columns.begin(), columns.end(), rank_) != columns.end())
    d.ranking = rank_;
  else if (!rank_.empty())
    d.rank = column_text(filled_in(pattern_, "{}", rank_));
  for (ChoiceDeclaration::Alternative& one : d.alternatives)
    if (!available_.empty()) one.available = column_text(filled_in(pattern_, one.name, available_));
  for (const auto& [attribute, stem] : pairs("--attributes", attributes_)) {
    bool found = false;
    for (ChoiceDeclaration::Alternative& one : d.alternatives) {
      const std::string column = filled_in(pattern_, one.name, stem);
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) continue;
      one.attributes.emplace_back(attribute, column_text(column));
      found = true;
    }
    const std::string wanted = filled_in(pattern_, d.alternatives[0].name, stem);
    if (!found)
      throw DataError(fmt::format("no alternative has a column of the attribute '{}', such as '{}'{}",
                                  attribute, wanted, did_you_mean(wanted, columns)));
  }
  for (std::size_t a = 0; a < d.alternatives.size(); ++a) {
    d.places[fmt::format("alternatives/{}/available", a)] = "--available";
    d.places[fmt::format("alternatives/{}/attributes", a)] = "--attributes";
  }
}

void ChoiceOptions::fill_utility(ChoiceDeclaration& d) const {
  d.context = name_list(context_);
  d.rivals = name_list(rivals_);
  if (network_ && smooth_) throw UsageError("--network and --smooth exclude each other; give one of them");
  d.form = smooth_ ? "smooth" : network_ || !d.context.empty() || !d.rivals.empty() ? "network" : "linear";
  d.reference = reference_;
  if (no_constants_) d.constants = false;
  for (const std::string& one : terms_) {
    const std::size_t equals = one.find('=');
    const std::string name = equals == std::string::npos ? "" : trimmed(one.substr(0, equals));
    if (name.empty() || equals + 1 == one.size())
      throw UsageError(
          fmt::format("--term '{}': expected NAME=EXPRESSION, for example log_cost='log(cost)'", one));
    d.terms.emplace_back(name, trimmed(one.substr(equals + 1)));
  }
  const auto negative = pairs("--negative", negative_), positive = pairs("--positive", positive_);
  for (const auto& [option, names, sign] :
       {std::tuple("--negative", &negative, "negative"), std::tuple("--positive", &positive, "positive")})
    for (const auto& [name, same] : *names) {
      d.signs.emplace_back(name, sign);
      if (!d.places.emplace("utility/signs/" + name, option).second)
        throw UsageError(fmt::format("'{}' stands under --negative and --positive", name));
    }
  std::vector<std::string> all;
  for (const ChoiceDeclaration::Alternative& one : d.alternatives) all.push_back(one.name);
  for (const auto& [attribute, same] : pairs("--specific", specific_)) d.specific.push_back({attribute, all});
  if (!d.specific.empty() && all.empty())
    throw UsageError("--specific needs --alternatives, to know whose coefficients there are");
}

void ChoiceOptions::fill_beyond(ChoiceDeclaration& d) const {
  for (const auto& [name, distribution] : pairs("--random", random_))
    d.random.emplace_back(name, name == distribution ? "normal" : distribution);
  d.correlated = name_list(correlated_);
  if (!draws_.empty()) d.draws.emplace_back("count", draws_);
  if (!sequence_.empty()) d.draws.emplace_back("sequence", sequence_);
  for (const auto& [name, among] : pairs("--nests", nests_)) {
    ChoiceDeclaration::Nest nest{name, {}};
    for (std::size_t from = 0; from <= among.size();) {
      const std::size_t plus = std::min(among.find('+', from), among.size());
      nest.alternatives.push_back(among.substr(from, plus - from));
      from = plus + 1;
    }
    d.nests.push_back(std::move(nest));
  }
  if (!classes_.empty()) d.latent.emplace_back("classes", classes_);
  if (!scale_.empty()) {
    const std::size_t equals = scale_.find('=');
    d.scale.emplace_back("by", scale_.substr(0, equals));
    if (equals != std::string::npos) d.scale.emplace_back("reference", scale_.substr(equals + 1));
  }
  for (const std::string& name : name_list(membership_)) d.membership.push_back(column_text(name));
  for (const auto& [key, option] :
       {std::pair("random", "--random"), std::pair("random/correlated", "--correlated"),
        std::pair("draws", "--random-draws"), std::pair("draws/sequence", "--sequence"),
        std::pair("nests", "--nests"), std::pair("latent", "--classes"),
        std::pair("latent/membership", "--membership")})
    d.places[key] = option;
}

}  // namespace bl::cli

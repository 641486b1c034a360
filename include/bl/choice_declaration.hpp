// What a file of choices means and which utility is learned: who chooses among which alternatives, and what
// attributes these carry. A choice schema (TOML, see docs/choice.md) reads into it; front ends fill it in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bl {

struct ChoiceDeclaration {
  using Named = std::vector<std::pair<std::string, std::string>>;  // in the order in which they were given

  struct Alternative {
    std::string name;
    std::string code = {};       // what stands in the data for it; empty: its name
    std::string columns = {};    // wide: what {} in shared attributes stands for; empty: its name
    std::string available = {};  // wide: expression; empty: always
    Named attributes = {};       // wide: expressions of its own
    bool operator==(const Alternative&) const = default;
  };
  struct Specific {
    std::string attribute;
    std::vector<std::string> alternatives;
    bool operator==(const Specific&) const = default;
  };
  struct Nest {
    std::string name;
    std::vector<std::string> alternatives;
    bool operator==(const Nest&) const = default;
  };

  std::string layout = {};       // wide (or empty): a line per situation; long: per alternative; table
  std::string choice = {};       // wide: column of the chosen alternative's code
  std::string situation = {};    // long: column
  std::string alternative = {};  // long: column
  std::string chosen = {};       // long: expression, true on the line of the chosen alternative
  std::string available = {};    // long: expression; empty: always
  std::string outside = {};      // long: name of an option with utility 0 that is in every set
  // Rankings in place of one choice. rank: expression, 1 for the best, 0 or missing: below all that have one;
  // wide: with {} for the alternative's columns. ranking: wide: column of codes from best to worst, "2 > 1".
  std::string rank = {}, ranking = {};
  std::string filter = {};  // expression
  std::string weight = {};  // expression
  std::string person = {};  // column
  Named derived = {};       // names and expressions of further columns
  Named attributes = {};    // names and expressions; wide: with {} for the alternative's columns
  Named terms = {};         // of attributes and columns of the person: further inputs of the utility
  std::vector<Alternative> alternatives = {};  // long: may be empty, then the data tell

  std::string form = {};  // linear (where empty, too), network, or smooth: a small network for economics
  std::optional<bool> constants = {};                    // linear; nothing: true
  std::string reference = {};                            // linear: the one without a constant
  std::optional<std::vector<std::string>> generic = {};  // linear; nothing: all that are not specific
  std::vector<Specific> specific = {};                   // linear: a coefficient per alternative
  Named signs = {};                                      // of attributes: positive or negative
  std::vector<std::string> context = {}, nominal = {};   // network: columns of the decision maker
  // Network: what it reads of the other alternatives of a situation: "mean", "min", "max" or "rank" of every
  // attribute, or "mean(cost)" of one. Such a model is no random utility.
  std::vector<std::string> rivals = {};
  Named settings = {};  // of the fit, by name

  // Linear: what comes after the logit, one of random, nests and latent, and a scale (docs/choice_models.md).
  Named random = {};  // coefficients that differ between persons: name and distribution
  std::vector<std::string> correlated = {};  // of these
  Named draws = {};                          // count, sequence, dropped, primes, seed
  std::vector<Nest> nests = {};
  Named latent = {};                         // classes, starts, seed
  std::vector<std::string> membership = {};  // latent: expressions over columns of the person
  Named scale = {};                          // by: column of the data source; reference: its level of scale 1
  std::vector<std::string> scale_levels = {};  // the reference first; empty: the fit takes those of the data

  std::string name = "choice schema";  // stands for it in messages
  // Where a part of it comes from, such as "schema.toml:3" or a front end's option, by key: "data",
  // "data/filter", "attributes/cost", "alternatives/0/code", "utility/signs/cost". Messages name the nearest.
  std::map<std::string, std::string> places = {};

  std::string place(std::string_view key) const;

  // UsageError naming file and line for what is not TOML and for unknown keys.
  static ChoiceDeclaration read(const std::string& path);
  static ChoiceDeclaration parse(std::string_view text, const std::string& name);
};

}  // namespace bl

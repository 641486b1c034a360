#include "features/choice_beyond.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

using Texts = std::vector<std::string>;
using Named = ChoiceDeclaration::Named;

const std::map<std::string, Mixing> kMixings = {{"normal", Mixing::normal},
                                                {"lognormal", Mixing::log_normal},
                                                {"triangular", Mixing::triangular},
                                                {"uniform", Mixing::uniform}};
const std::map<std::string, DrawSequence> kSequences = {{"halton", DrawSequence::halton},
                                                        {"scrambled", DrawSequence::scrambled_halton},
                                                        {"sobol", DrawSequence::sobol},
                                                        {"pseudo", DrawSequence::pseudo_random}};

class BeyondCompiler {
 public:
  BeyondCompiler(const ChoiceDeclaration& declaration, ChoiceSchema& schema)
      : d_(declaration), schema_(schema) {}

  void compile() {
    const int kinds = static_cast<int>(!d_.random.empty()) + static_cast<int>(!d_.nests.empty()) +
                      static_cast<int>(!d_.latent.empty());
    const bool beyond = kinds > 0 || !d_.scale.empty();
    if (kinds > 1)
      fail(
          first_place(),
          "choose one of random coefficients, nests and latent classes; each may have a scale by data source "
          "as well");
    if (beyond && !schema_.linear) check_block();
    if (d_.random.empty() && (!d_.correlated.empty() || !d_.draws.empty()))
      fail(d_.draws.empty() ? "random/correlated" : "draws",
           "correlated and draws belong to random coefficients, and there are none");
    if (d_.latent.empty() && !d_.membership.empty())
      fail("latent/membership", "membership belongs to latent classes; say how many there are");
    if (!d_.random.empty()) compile_random();
    if (!d_.nests.empty()) compile_nests();
    if (!d_.latent.empty()) compile_latent();
    if (!d_.scale.empty()) compile_scale();
    if (beyond) check_signs();
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    throw UsageError(d_.place(key) + ": " + message);
  }
  std::string first_place() const {
    if (!d_.random.empty()) return "random/" + d_.random[0].first;
    if (!d_.nests.empty()) return "nests/" + d_.nests[0].name;
    return d_.latent.empty() ? "scale" : "latent";
  }

  std::int64_t whole(const std::string& key, const std::string& text, std::int64_t least,
                     std::int64_t most) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
      fail(key, in_quotes(text) + ": expected a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most));
    return value;
  }

  template <class T>
  T one_of(const std::string& key, const std::string& text, const std::map<std::string, T>& known) const {
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    Texts names;
    for (const auto& [name, value] : known) names.push_back(name);
    fail(key, in_quotes(text) + ": expected one of " + quoted_list(names) + did_you_mean(text, names));
  }

  void compile_random() {
    RandomCoefficients& random = schema_.random.emplace();
    Texts names;
    for (const auto& [name, mixing] : d_.random) {
      if (std::find(names.begin(), names.end(), name) != names.end())
        fail("random/" + name, in_quotes(name) + " is named twice");
      names.push_back(name);
      random.coefficients.push_back({name, one_of("random/" + name, mixing, kMixings)});
    }
    for (const std::string& name : d_.correlated)
      if (std::find(names.begin(), names.end(), name) == names.end())
        fail("random/correlated", in_quotes(name) + " is no random coefficient" + did_you_mean(name, names));
    for (const RandomCoefficients::One& one : random.coefficients) {
      if (std::find(d_.correlated.begin(), d_.correlated.end(), one.name) == d_.correlated.end()) continue;
      if (one.mixing != Mixing::normal && one.mixing != Mixing::log_normal)
        fail("random/correlated", in_quotes(one.name) + ": only normal and lognormal coefficients correlate");
      random.correlated.push_back(one.name);
    }
    if (random.correlated.size() == 1)
      fail("random/correlated", "two or more coefficients correlate, not one");
    compile_draws(random);
  }

  void compile_draws(RandomCoefficients& random) const {
    bool dropped = false;
    for (const auto& [key, text] : d_.draws) {
      const std::string place = "draws/" + key;
      if (key == "count") {
        random.draws = whole(place, text, 1, 1000000);
      } else if (key == "sequence") {
        random.sequence = one_of(place, text, kSequences);
      } else if (key == "dropped") {
        random.dropped = whole(place, text, 0, 1000000);
        dropped = true;
      } else if (key == "seed") {
        random.seed = static_cast<std::uint64_t>(whole(place, text, 0, 1LL << 53));
      } else if (key == "primes") {
        read_primes(place, text, random);
      } else {
        fail(place, "unknown key " + in_quotes(key) + " of draws" +
                        did_you_mean(key, Texts{"count", "sequence", "dropped", "primes", "seed"}));
      }
    }
    const bool halton =
        random.sequence == DrawSequence::halton || random.sequence == DrawSequence::scrambled_halton;
    if (!halton && (dropped || !random.primes.empty()))
      fail("draws", "dropped and primes are for Halton sequences");
    if (halton && !dropped) random.dropped = 100;
    if (!random.primes.empty() && random.primes.size() != random.coefficients.size())
      fail("draws/primes", "expected as many primes as there are random coefficients");
  }

  void read_primes(const std::string& place, const std::string& text, RandomCoefficients& random) const {
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t comma = std::min(text.find(',', from), text.size());
      const std::int64_t prime = whole(place, text.substr(from, comma - from), 2, 10007);
      for (std::int64_t k = 2; k * k <= prime; ++k)
        if (prime % k == 0) fail(place, std::to_string(prime) + " is no prime");
      if (std::find(random.primes.begin(), random.primes.end(), prime) != random.primes.end())
        fail(place, std::to_string(prime) + " stands twice: the draws of two coefficients would be the same");
      random.primes.push_back(prime);
      from = comma + 1;
    }
  }

  void compile_nests() {
    const Texts names = schema_.alternative_names();
    std::map<std::string, int> nests_of;
    for (const ChoiceDeclaration::Nest& one : d_.nests) {
      const std::string key = "nests/" + one.name;
      if (one.alternatives.size() < 2) fail(key, "a nest has two or more alternatives");
      for (std::size_t i = 0; i < one.alternatives.size(); ++i) {
        const std::string& name = one.alternatives[i];
        if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end())
          fail(key, "there is no alternative " + in_quotes(name) + " among " + quoted_list(names) +
                        did_you_mean(name, names));
        if (std::find(one.alternatives.begin(), one.alternatives.begin() + static_cast<std::ptrdiff_t>(i),
                      name) != one.alternatives.begin() + static_cast<std::ptrdiff_t>(i))
          fail(key, in_quotes(name) + " stands twice in the nest");
        if (++nests_of[name] > 2) fail(key, in_quotes(name) + " is in more than two nests");
      }
      for (const ChoiceNest& earlier : schema_.nests)
        if (earlier.name == one.name) fail(key, "two nests are called " + in_quotes(one.name));
      schema_.nests.push_back({one.name, one.alternatives});
    }
  }

  void compile_latent() {
    LatentClasses& latent = schema_.latent.emplace();
    bool counted = false;
    for (const auto& [key, text] : d_.latent) {
      const std::string place = "latent/" + key;
      if (key == "classes") {
        latent.classes = whole(place, text, 2, 20);
        counted = true;
      } else if (key == "starts") {
        latent.starts = whole(place, text, 1, 1000);
      } else if (key == "seed") {
        latent.seed = static_cast<std::uint64_t>(whole(place, text, 0, 1LL << 53));
      } else {
        fail(place, "unknown key " + in_quotes(key) + " of latent" +
                        did_you_mean(key, Texts{"classes", "membership", "starts", "seed"}));
      }
    }
    if (!counted) fail("latent", "latent needs classes: how many there are");
    for (const std::string& text : d_.membership) {
      try {
        latent.membership.push_back(Expression::parse(text));
      } catch (const UsageError& error) {
        fail("latent/membership", error.what());
      }
    }
  }

  void compile_scale() {
    SourceScale& scale = schema_.scale.emplace();
    for (const auto& [key, text] : d_.scale) {
      if (key != "by" && key != "reference")
        fail("scale/" + key, "unknown key " + in_quotes(key) + " of scale" +
                                 did_you_mean(key, Texts{"by", "reference", "levels"}));
      (key == "by" ? scale.column : scale.reference) = text;
    }
    if (scale.column.empty()) fail("scale", "scale needs 'by', the column of the data source");
    scale.levels = d_.scale_levels;
    if (!scale.levels.empty() && !scale.reference.empty() && scale.levels[0] != scale.reference)
      fail("scale", "the first of the levels is the reference, and " + in_quotes(scale.reference) +
                        " is not; leave out one of both");
    if (scale.levels.size() == 1) fail("scale", "a scale needs two levels or more");
  }

  // What a block of such a model cannot read; that it is a single one is known with the settings.
  void check_block() const {
    if (schema_.smooth)
      fail("utility/form",
           "random coefficients, nests, latent classes and scales are for a linear utility or for one block, "
           "not "
           "for form = \"smooth\"");
    if (!d_.context.empty())
      fail(
          "utility/context",
          "with random coefficients, nests, latent classes or a scale a block reads attributes alone; make a "
          "term of the column, such as [terms] cost_income = \"cost / income\", or a column of the "
          "membership "
          "of latent classes");
    if (!d_.rivals.empty())
      fail("utility/rivals",
           "a model that reads its rivals is no random utility, so it has no random coefficients, nests, "
           "latent "
           "classes or scale; leave out one of both");
    if (!d_.signs.empty())
      fail("utility/signs/" + d_.signs[0].first,
           "the coefficients of a block with random coefficients, nests, latent classes or a scale have no "
           "signs; "
           "leave out the sign");
  }

  // A sign says on which side of zero a log-normal coefficient lies; it cannot hold others.
  void check_signs() const {
    for (const auto& [attribute, sign] : d_.signs) {
      const auto random =
          std::find_if(d_.random.begin(), d_.random.end(), [&, name = attribute](const auto& one) {
            return one.first == name || one.first.starts_with(name + "[");
          });
      if (random == d_.random.end() || random->second != "lognormal")
        fail("utility/signs/" + attribute,
             "beyond the logit a sign is for a lognormal coefficient; leave out the sign of " +
                 in_quotes(attribute));
    }
  }

  const ChoiceDeclaration& d_;
  ChoiceSchema& schema_;
};

}  // namespace

void compile_beyond(const ChoiceDeclaration& declaration, ChoiceSchema& schema) {
  BeyondCompiler(declaration, schema).compile();
}

}  // namespace bl

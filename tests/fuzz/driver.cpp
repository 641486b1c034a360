// Runs a fuzz target without libFuzzer: changes the target's seed inputs at random, the same way in every
// run.
//
//   fuzz_csv [--iterations N] [--seconds T] [--seed S]     random inputs, 20000 of them unless told otherwise
//   fuzz_csv FILE...                                       these inputs alone, to look at a failure again
//
// With --keep FILE every input is written to FILE before it is tried, so that a crash leaves it behind.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.hpp"

namespace {

using Random = std::mt19937_64;

constexpr std::size_t kLongestInput = 1 << 14;

struct Settings {
  std::uint64_t iterations = 20000;
  double seconds = 0;  // 0: no limit of time
  std::uint64_t seed = 1;
  std::string keep;  // file for the current input
  std::vector<std::string> files;
};

std::size_t below(Random& random, std::size_t bound) {
  return bound == 0 ? 0 : random() % bound;
}

const std::string& any_of(Random& random, const std::vector<std::string>& list) {
  return list[below(random, list.size())];
}

void mutate_once(Random& random, const FuzzSeeds& seeds, std::string& input) {
  const std::size_t at = below(random, input.size() + 1);
  const std::size_t length = below(random, std::min<std::size_t>(input.size() - at, 64) + 1);
  switch (below(random, 8)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(random, 8)));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(random());
      break;
    case 2:
      input.insert(at, 1, static_cast<char>(random()));
      break;
    case 3:
      input.erase(at, length);
      break;
    case 4:
      input.insert(at, input.substr(at, length));
      break;
    case 5:
      input.insert(at, any_of(random, seeds.words));
      break;
    case 6:
      input.resize(at);
      break;
    default: {
      const std::string& other = any_of(random, seeds.inputs);
      const std::size_t from = below(random, other.size() + 1);
      input = input.substr(0, at) + other.substr(from);
    }
  }
}

std::string mutated(Random& random, const FuzzSeeds& seeds) {
  std::string input = any_of(random, seeds.inputs);
  const std::size_t changes = below(random, 9);
  for (std::size_t i = 0; i < changes; ++i) mutate_once(random, seeds, input);
  if (input.size() > kLongestInput) input.resize(kLongestInput);
  return input;
}

void try_input(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

Settings parse(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    const char* value = i + 1 < count ? arguments[i + 1] : "";
    if (name.rfind("--", 0) != 0) {
      settings.files.push_back(name);
      continue;
    }
    ++i;
    if (name == "--iterations") {
      settings.iterations = std::strtoull(value, nullptr, 10);
    } else if (name == "--seconds") {
      settings.seconds = std::strtod(value, nullptr);
      settings.iterations = UINT64_MAX;
    } else if (name == "--seed") {
      settings.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--keep") {
      settings.keep = value;
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  return settings;
}

}  // namespace

int main(int count, char** arguments) {
  const Settings settings = parse(count, arguments);
  for (const std::string& file : settings.files) {
    std::ifstream in(file, std::ios::binary);
    try_input(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  if (!settings.files.empty()) return 0;

  const FuzzSeeds seeds = fuzz_seeds();
  for (const std::string& input : seeds.inputs) try_input(input);
  Random random(settings.seed);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t done = 0;
  for (; done < settings.iterations; ++done) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (settings.seconds > 0 && elapsed.count() > settings.seconds) break;
    const std::string input = mutated(random, seeds);
    if (!settings.keep.empty()) std::ofstream(settings.keep, std::ios::binary) << input;
    try_input(input);
  }
  std::printf("%llu inputs, no failure\n", static_cast<unsigned long long>(done));
  return 0;
}

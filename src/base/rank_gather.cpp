#include "base/rank_gather.hpp"

#include <algorithm>
#include <numeric>

namespace bl {

std::vector<std::string> gather_texts(Ranks& ranks, std::string_view own) {
  const std::vector<std::size_t> sizes = gather_one(ranks, own.size());
  std::vector<char> all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  std::size_t at = 0;
  for (std::size_t r = 0; r < ranks.rank(); ++r) at += sizes[r];
  std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
  ranks.all_gather(std::as_writable_bytes(std::span<char>(all)), sizes);
  std::vector<std::string> texts;
  at = 0;
  for (const std::size_t size : sizes) {
    texts.emplace_back(all.data() + at, size);
    at += size;
  }
  return texts;
}

void throw_together(Ranks& ranks, const std::string& usage, const std::string& numeric,
                    const std::string& other) {
  const auto failed = gather_one<std::uint8_t>(ranks, !(usage.empty() && numeric.empty() && other.empty()));
  if (std::none_of(failed.begin(), failed.end(), [](std::uint8_t one) { return one != 0; })) return;
  const auto first = [&](const std::string& own) {
    const std::vector<std::string> texts = gather_texts(ranks, own);
    const auto found =
        std::find_if(texts.begin(), texts.end(), [](const std::string& text) { return !text.empty(); });
    return found == texts.end() ? std::string() : *found;
  };
  const std::string of_usage = first(usage), of_numbers = first(numeric), of_data = first(other);
  if (!of_usage.empty()) throw UsageError(of_usage);
  if (!of_data.empty()) throw DataError(of_data);
  throw NumericError(of_numbers);
}

}  // namespace bl

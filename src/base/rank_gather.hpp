// What single ranks have, brought to all of them. Every rank makes these calls at the same time.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"
#include "bl/errors.hpp"
#include "bl/ranks.hpp"

namespace bl {

// Values of all ranks one after the other: rank r has those from begins[r] to begins[r + 1].
template <class V>
void gather_values(Ranks& ranks, std::span<const V> own, std::span<const Index> begins, std::span<V> all) {
  std::vector<std::size_t> sizes;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    sizes.push_back(static_cast<std::size_t>(begins[r + 1] - begins[r]) * sizeof(V));
  if (!own.empty()) std::memcpy(all.data() + begins[ranks.rank()], own.data(), own.size_bytes());
  ranks.all_gather(std::as_writable_bytes(all), sizes);
}

// One value of each.
template <class V>
std::vector<V> gather_one(Ranks& ranks, V own) {
  std::vector<V> all(ranks.size());
  all[ranks.rank()] = own;
  ranks.all_gather(std::as_writable_bytes(std::span<V>(all)),
                   std::vector<std::size_t>(ranks.size(), sizeof(V)));
  return all;
}

std::vector<std::string> gather_texts(Ranks& ranks, std::string_view own);

// The error that some rank met, as all of them throw it: that of the first. Every text but one is empty where
// this rank met one.
void throw_together(Ranks& ranks, const std::string& usage, const std::string& numeric,
                    const std::string& other);

// work() on every rank. Where it fails with an Error on some, all of them throw that of the first.
template <class F>
void all_or_none(Ranks& ranks, F&& work) {
  std::string usage, numeric, other;
  try {
    work();
  } catch (const UsageError& error) {
    usage = error.what();
  } catch (const NumericError& error) {
    numeric = error.what();
  } catch (const Error& error) {
    other = error.what();
  }
  throw_together(ranks, usage, numeric, other);
}

// As long as it lives the calling thread works without other ranks.
class WithoutRanks {
 public:
  WithoutRanks() { use_ranks(nullptr); }
  ~WithoutRanks() { use_ranks(ranks_); }
  WithoutRanks(const WithoutRanks&) = delete;
  WithoutRanks& operator=(const WithoutRanks&) = delete;

 private:
  std::shared_ptr<Ranks> ranks_ = current_ranks();
};

// work() by rank 0, alone. Where it fails with an Error all of them throw it.
template <class F>
void on_first_rank(Ranks& ranks, F&& work) {
  all_or_none(ranks, [&] {
    if (ranks.rank() != 0) return;
    const WithoutRanks alone;
    work();
  });
}

}  // namespace bl

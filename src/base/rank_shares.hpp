// Which of several equal pieces of work each rank does, and how their results come to everybody.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "bl/ranks.hpp"

namespace bl {

// Pieces 0 ... count - 1, shared out in runs: rank r does those from begin(r) to begin(r + 1). Without ranks
// all are done here.
class Shares {
 public:
  Shares(const Ranks* ranks, std::size_t count) : ranks_(ranks), count_(count) {}

  bool shared() const { return ranks_ != nullptr; }
  std::size_t begin(std::size_t rank) const { return ranks_ == nullptr ? 0 : count_ * rank / ranks_->size(); }
  std::size_t first() const { return ranks_ == nullptr ? 0 : begin(ranks_->rank()); }
  std::size_t last() const { return ranks_ == nullptr ? count_ : begin(ranks_->rank() + 1); }  // one after

 private:
  const Ranks* ranks_;
  std::size_t count_;
};

// Brings the results of shared pieces to all ranks. Its buffers only grow.
class Exchange {
 public:
  // bytes(piece): the bytes that a piece has; pack(piece, to) and unpack(piece, from) copy them.
  template <class Bytes, class Pack, class Unpack>
  void run(Ranks& ranks, std::size_t count, Bytes&& bytes, Pack&& pack, Unpack&& unpack) {
    const Shares shares(&ranks, count);
    sizes_.assign(ranks.size(), 0);
    std::size_t total = 0, mine = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (rank == ranks.rank()) mine = total;
      for (std::size_t piece = shares.begin(rank); piece < shares.begin(rank + 1); ++piece)
        sizes_[rank] += bytes(piece);
      total += sizes_[rank];
    }
    if (buffer_.size() < total) buffer_.resize(total);
    std::byte* to = buffer_.data() + mine;
    for (std::size_t piece = shares.first(); piece < shares.last(); ++piece) {
      pack(piece, to);
      to += bytes(piece);
    }
    ranks.all_gather(std::span(buffer_).first(total), sizes_);
    const std::byte* from = buffer_.data();
    for (std::size_t piece = 0; piece < count; ++piece) {
      if (piece < shares.first() || piece >= shares.last()) unpack(piece, from);
      from += bytes(piece);
    }
  }

 private:
  std::vector<std::byte> buffer_;
  std::vector<std::size_t> sizes_;
};

// Copies that move a cursor on, for pack and unpack. Nothing may stand at a null pointer, which memcpy does
// not take.
template <class V>
void put(std::byte*& to, std::span<const V> values) {
  if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  to += values.size_bytes();
}
template <class V>
void take(const std::byte*& from, std::span<V> values) {
  if (!values.empty()) std::memcpy(values.data(), from, values.size_bytes());
  from += values.size_bytes();
}

}  // namespace bl

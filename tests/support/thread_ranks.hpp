// Ranks as threads of one process.
#pragma once

#include <barrier>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "bl/ranks.hpp"

namespace bl::test {

class ThreadRanks : public Ranks {
 public:
  // What the ranks of one group share.
  struct Group {
    explicit Group(std::size_t size) : meet(static_cast<std::ptrdiff_t>(size)), buffers(size) {}
    std::barrier<> meet;
    std::vector<std::byte*> buffers;
  };
  ThreadRanks(std::shared_ptr<Group> group, std::size_t rank) : group_(std::move(group)), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return group_->buffers.size(); }
  void all_gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override {
    group_->buffers[rank_] = all.data();
    group_->meet.arrive_and_wait();
    std::size_t from = 0;
    for (std::size_t r = 0; r < size(); from += sizes[r++])
      if (r != rank_ && sizes[r] > 0) std::memcpy(all.data() + from, group_->buffers[r] + from, sizes[r]);
    group_->meet.arrive_and_wait();
  }
  void broadcast(std::span<std::byte> bytes) override {
    group_->buffers[rank_] = bytes.data();
    group_->meet.arrive_and_wait();
    if (rank_ != 0) std::memcpy(bytes.data(), group_->buffers[0], bytes.size());
    group_->meet.arrive_and_wait();
  }

 private:
  std::shared_ptr<Group> group_;
  std::size_t rank_;
};

// work(rank) on as many threads, which are ranks of each other.
inline void run_ranks(std::size_t size, const std::function<void(std::size_t)>& work) {
  const auto group = std::make_shared<ThreadRanks::Group>(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      use_ranks(std::make_shared<ThreadRanks>(group, rank));
      work(rank);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bl::test

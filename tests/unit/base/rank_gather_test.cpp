#include "base/rank_gather.hpp"

#include <gtest/gtest.h>

#include "support/thread_ranks.hpp"

namespace bl {
namespace {

TEST(RankGather, BringsWhatEachHasToAll) {
  test::run_ranks(3, [](std::size_t rank) {
    Ranks& ranks = *current_ranks();
    EXPECT_EQ(gather_one(ranks, static_cast<int>(10 * rank)), (std::vector<int>{0, 10, 20}));
    const std::string own(rank, 'x');
    EXPECT_EQ(gather_texts(ranks, own), (std::vector<std::string>{"", "x", "xx"}));
    const std::vector<Index> begins = {0, 1, 1, 3};  // the second has nothing
    const std::vector<std::vector<double>> parts = {{1.5}, {}, {2.5, 3.5}};
    std::vector<double> all(3);
    gather_values<double>(ranks, parts[rank], begins, all);
    EXPECT_EQ(all, (std::vector<double>{1.5, 2.5, 3.5}));
  });
}

TEST(RankGather, AnErrorOfOneIsThrownByAll) {
  test::run_ranks(3, [](std::size_t rank) {
    Ranks& ranks = *current_ranks();
    EXPECT_NO_THROW(all_or_none(ranks, [] {}));
    const auto message = [&](const auto& work) {
      try {
        all_or_none(ranks, work);
      } catch (const Error& error) {
        return std::string(error.what());
      }
      return std::string("none");
    };
    EXPECT_EQ(message([&] {
                if (rank > 0) throw DataError("of rank " + std::to_string(rank));
              }),
              "of rank 1");
    EXPECT_THROW(all_or_none(ranks,
                             [&] {
                               if (rank == 2) throw NumericError("of numbers");
                             }),
                 NumericError);
    EXPECT_THROW(all_or_none(ranks,
                             [&] {
                               if (rank == 0) throw UsageError("of use");
                             }),
                 UsageError);
  });
}

}  // namespace
}  // namespace bl

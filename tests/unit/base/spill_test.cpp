#include "base/spill.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "base/matrix.hpp"
#include "bl/errors.hpp"

namespace bl {
namespace {

// Whether an address lies in a mapped file that has no name any more.
bool in_nameless_file(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    char dash = 0;
    std::istringstream(line) >> std::hex >> from >> dash >> to;
    if (at >= from && at < to) return line.find("(deleted)") != std::string::npos;
  }
  return false;
}

TEST(Spill, LargeBlocksOfAScopeLieInFiles) {
  AlignedVector<double> before(1 << 18);
  EXPECT_FALSE(in_nameless_file(before.data()));
  AlignedVector<double> kept;
  {
    const SpillScope scope(true);
    AlignedVector<double> small(100);
    EXPECT_FALSE(in_nameless_file(small.data()));
    kept.resize(1 << 18);
    EXPECT_TRUE(in_nameless_file(kept.data()));
    Matrix<float> matrix(1000, 1000);
    EXPECT_TRUE(in_nameless_file(matrix.data()));
  }
  // What was made in a scope outlives it, grows and is freed like any other.
  std::iota(kept.begin(), kept.end(), 0.0);
  kept.resize(1 << 20);
  EXPECT_FALSE(in_nameless_file(kept.data()));
  EXPECT_EQ(kept[(1 << 18) - 1], (1 << 18) - 1);
}

TEST(Spill, AClosedScopeChangesNothing) {
  const SpillScope scope(false);
  EXPECT_EQ(spilled_block(kSpilledBytes), nullptr);
  int other = 0;
  EXPECT_FALSE(free_spilled_block(&other));
}

TEST(Spill, AFolderThatIsNotThereIsAnError) {
  const char* old = std::getenv("TMPDIR");
  const std::string kept = old ? old : "";
  setenv("TMPDIR", "/no/such/folder", 1);
  const SpillScope scope(true);
  EXPECT_THROW(spilled_block(kSpilledBytes), DataError);
  old ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}

}  // namespace
}  // namespace bl

#include "base/memory.hpp"

#include <gtest/gtest.h>

namespace bl {
namespace {

TEST(Memory, ThisMachineHasSomeAndNotTooMuch) {
  EXPECT_GT(physical_memory(), 0x1p26);
  EXPECT_LT(physical_memory(), 0x1p50);
}

}  // namespace
}  // namespace bl

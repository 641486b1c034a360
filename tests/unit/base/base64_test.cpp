#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace bl {
namespace {

TEST(Base64, IsThatOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\x01\xff"), "Af8=");
}

}  // namespace
}  // namespace bl

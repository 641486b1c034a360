#include "base/stale_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

// The number of a process that has ended.
pid_t gone() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(StaleFiles, ThoseOfProcessesThatAreGoneAreSweptByTheNextOutput) {
  const test::TemporaryFolder folder;
  const std::string stale = ".bl-" + std::to_string(gone()) + "-7.tmp";
  const std::string own = temporary_name("", 99).substr(1);
  const std::string other = stale + ".csv", odd = ".bl--1-7.tmp", word = ".bl-x-1.tmp";
  for (const std::string& name : {stale, own, other, odd, word}) folder.write(name, "x");
  write_file_atomically(folder.file("out"), "text");
  EXPECT_FALSE(std::filesystem::exists(folder.file(stale)));
  for (const std::string& name : {own, other, odd, word})
    EXPECT_TRUE(std::filesystem::exists(folder.file(name))) << name;
}

TEST(StaleFiles, AFileThatSomeoneHoldsStays) {
  const test::TemporaryFolder folder;
  const std::string held = ".bl-" + std::to_string(gone()) + "-1.tmp";
  folder.write(held, "x");
  const int descriptor = ::open(folder.file(held).c_str(), O_RDONLY | O_CLOEXEC);
  hold_temporary(descriptor);
  sweep_stale_files(folder.file(""));
  EXPECT_TRUE(std::filesystem::exists(folder.file(held)));
  ::close(descriptor);
}

}  // namespace
}  // namespace bl

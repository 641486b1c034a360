#include "base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "bl/errors.hpp"

namespace bl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kLimit = 1 << 20;

// A folder of its own for each test, gone afterwards.
class File : public testing::Test {
 protected:
  File() {
    std::string pattern = (fs::temp_directory_path() / "bl_file_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~File() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  long entries() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

std::string data_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& e) {
    return e.what();
  }
  return "no DataError";
}

// Writes beyond this size fail with EFBIG after a short write, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(File, WhatIsWrittenIsReadBack) {
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file_atomically(path("x"), bytes);
  EXPECT_EQ(read_whole_file(path("x"), kLimit), bytes);
  write_file_atomically(path("x"), "");
  EXPECT_EQ(read_whole_file(path("x"), kLimit), "");
  EXPECT_EQ(entries(), 1);
}

TEST_F(File, ManySmallAndLargeChunksKeepTheirOrder) {
  std::string expected;
  write_file_atomically(path("x"), [&](OutputFile& file) {
    for (int i = 0; i < 2000; ++i) {
      const std::string chunk(static_cast<std::size_t>(i % 7 == 0 ? 3000 : 11),
                              static_cast<char>('a' + i % 26));
      file.write(chunk);
      expected += chunk;
    }
  });
  EXPECT_EQ(read_whole_file(path("x"), kLimit), expected);
}

TEST_F(File, NothingAppearsBeforeCommit) {
  {
    OutputFile file(path("x"));
    file.write(std::string(kLimit, 'y'));
    EXPECT_FALSE(fs::exists(path("x")));
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(File, AnExceptionLeavesTheOldContents) {
  write_file_atomically(path("x"), "old");
  EXPECT_THROW(write_file_atomically(path("x"),
                                     [](OutputFile& file) {
                                       file.write("new");
                                       throw std::out_of_range("stop");
                                     }),
               std::out_of_range);
  EXPECT_EQ(read_whole_file(path("x"), kLimit), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(File, ADiskThatFillsUpLeavesTheOldContents) {
  write_file_atomically(path("x"), "old");
  std::string message;
  std::string again;
  {
    const FileSizeLimit limit(1000);
    OutputFile file(path("x"));
    message = data_error([&] { file.write(std::string(kLimit, 'y')); });
    again = data_error([&] { file.commit(); });
  }
  EXPECT_EQ(message, "cannot write '" + path("x") + "': File too large");
  EXPECT_NE(again, "no DataError");
  EXPECT_EQ(read_whole_file(path("x"), kLimit), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(File, AFullDeviceIsReportedAndNotReplaced) {
  EXPECT_EQ(data_error([] { write_file_atomically("/dev/full", "text"); }),
            "cannot write '/dev/full': No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(File, BadOutputPathsFailBeforeAnythingIsWritten) {
  write_file_atomically(path("plain"), "text");
  const auto opening = [](const std::string& name) { return data_error([&] { OutputFile file(name); }); };
  EXPECT_EQ(opening(folder_.string()), "cannot write '" + folder_.string() + "': Is a directory");
  EXPECT_EQ(opening(path("none/x")), "cannot write '" + path("none/x") + "': No such file or directory");
  EXPECT_EQ(opening(path("plain/x")), "cannot write '" + path("plain/x") + "': Not a directory");
  EXPECT_THAT(opening(path(std::string(300, 'n'))), HasSubstr("File name too long"));
  EXPECT_EQ(opening(""), "cannot write '': No such file or directory");
  EXPECT_THAT(opening("/proc/x"), HasSubstr("cannot write '/proc/x': "));
  EXPECT_EQ(entries(), 1);
}

TEST_F(File, AWriteProtectedFileIsNotReplaced) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is write-protected for root";
  write_file_atomically(path("x"), "old");
  fs::permissions(path("x"), fs::perms::owner_read);
  EXPECT_EQ(data_error([&] { OutputFile file(path("x")); }),
            "cannot write '" + path("x") + "': Permission denied");
}

TEST_F(File, ALongNameLeavesRoomForTheTemporary) {
  const std::string name(255, 'n');
  write_file_atomically(path(name), "text");
  EXPECT_EQ(read_whole_file(path(name), kLimit), "text");
}

TEST_F(File, ReplacingKeepsPermissionsAndFollowsLinks) {
  write_file_atomically(path("x"), "old");
  fs::permissions(path("x"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("x", path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_whole_file(path("x"), kLimit), "new");
  EXPECT_EQ(fs::status(path("x")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(File, ANewFileHasTheUsualPermissions) {
  const mode_t before = ::umask(027);
  write_file_atomically(path("x"), "text");
  ::umask(before);
  EXPECT_EQ(fs::status(path("x")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(File, ReadingIsBounded) {
  write_file_atomically(path("x"), "12345");
  EXPECT_EQ(read_whole_file(path("x"), 5), "12345");
  const std::string limit = "longer than the limit of 4 bytes";
  EXPECT_EQ(data_error([&] { read_whole_file(path("x"), 4); }), "cannot read '" + path("x") + "': " + limit);
  EXPECT_THAT(data_error([] { read_whole_file("/dev/zero", 4); }), HasSubstr(limit));
}

TEST_F(File, APipeIsReadToItsEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string bytes(700'000, 'z');
  std::thread writer([&] { write_file_atomically(path("pipe"), bytes); });
  EXPECT_EQ(read_whole_file(path("pipe"), kLimit), bytes);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(File, BadInputPathsAreNamed) {
  EXPECT_EQ(data_error([&] { read_whole_file(path("none"), 4); }),
            "cannot read '" + path("none") + "': No such file or directory");
  EXPECT_EQ(data_error([&] { read_whole_file(folder_.string(), 4); }),
            "cannot read '" + folder_.string() + "': Is a directory");
}

}  // namespace
}  // namespace bl

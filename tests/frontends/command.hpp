// Runs the real program as a person would: arguments and standard input in, exit code and texts out.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/read_file.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl::test {

struct Outcome {
  int code = -1;  // minus the signal where one ended the program
  std::string out, err;
};

// A started program; its texts are collected in the folder given, beside the files that the test makes.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::string& folder, const std::string& input = "")
      : scratch_(folder + "/.streams-" + std::to_string(counter()++)) {
    std::filesystem::create_directory(scratch_);
    std::ofstream(scratch_ + "/in", std::ios::binary) << input;
    std::string command = BL_COMMAND;
    std::vector<char*> argv = {command.data()};
    std::vector<std::string> copies = arguments;
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    id_ = ::fork();
    if (id_ != 0) return;
    redirect("/in", O_RDONLY, STDIN_FILENO);
    redirect("/out", O_WRONLY | O_CREAT, STDOUT_FILENO);
    redirect("/err", O_WRONLY | O_CREAT, STDERR_FILENO);
    if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  void send(int signal) const { ::kill(id_, signal); }
  bool running() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }

  Outcome wait() {
    int status = 0;
    ::waitpid(id_, &status, 0);
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    outcome.out = read_file(scratch_ + "/out");
    outcome.err = read_file(scratch_ + "/err");
    std::filesystem::remove_all(scratch_);
    return outcome;
  }

 private:
  static int& counter() {
    static int count = 0;
    return count;
  }
  void redirect(const char* name, int flags, int descriptor) const {
    ::dup2(::open((scratch_ + name).c_str(), flags, 0600), descriptor);
  }

  std::string scratch_;
  pid_t id_ = -1;
};

// The folder is the working directory, so that messages and command lines stay short.
inline Outcome bl_command(const TemporaryFolder& folder, const std::vector<std::string>& arguments,
                          const std::string& input = "") {
  return Process(arguments, folder.file(""), input).wait();
}

// Splits at spaces; arguments that hold spaces are given as a list instead.
inline std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> parts;
  for (std::string part; stream >> part;) parts.push_back(part);
  return parts;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The names in a folder, hidden ones too.
inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace bl::test

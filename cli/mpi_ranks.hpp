// The processes that mpirun started, as ranks of one command.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bl::cli {

// As long as it lives, this process is one of them. Where mpirun did not start it, or the program was built
// without MPI, it does nothing. Ranks other than the first print nothing.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  // Ends the command with this exit code. An error of one rank ends all of them, after the first had time to
  // say what it knows.
  int end(int code);

 private:
  struct State;
  std::unique_ptr<State> state_;  // null: alone
};

// What this rank received so far, and the seconds that it took, waiting for the others included.
struct Traffic {
  std::size_t calls = 0;
  double bytes = 0, seconds = 0;
};
const Traffic& traffic();

// Before standard error is closed to the other ranks: the message of a rank that failed alone.
void remember_failure(const std::string& message);

}  // namespace bl::cli

// Wall-clock time, for people and for limits.
#pragma once

#include <chrono>
#include <string>

namespace bl {

// Seconds since some moment; only differences mean anything.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "about 3 min left", when a share of the work took so many seconds.
std::string time_left(double seconds, double done);

}  // namespace bl

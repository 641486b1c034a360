#include "base/clock.hpp"

#include <fmt/format.h>

namespace bl {

std::string time_left(double seconds, double done) {
  const double left = done > 0 ? seconds * (1 - done) / done : 0;
  return left < 90 ? fmt::format("about {:.0f} s left", left)
                   : fmt::format("about {:.0f} min left", left / 60);
}

}  // namespace bl

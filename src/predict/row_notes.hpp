// What is to be known about many rows together, gathered from several threads.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "bl/ranks.hpp"

namespace bl {

class RowNotes {
 public:
  // The quadrature of a row: the error of its probabilities, and the one that was asked for.
  void add_quadrature(double error, double tolerance);

  // Those of all ranks, for each of them. All call it at the same time.
  void join(Ranks& ranks);

  std::vector<std::string> texts() const;

 private:
  mutable std::mutex mutex_;
  std::size_t rows_ = 0, missed_ = 0;
  double largest_error_ = 0, tolerance_ = 0;
};

}  // namespace bl

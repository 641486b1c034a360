// Data sets that come with the library, for examples and first steps. Each is made, not stored: the problem
// behind its rows is known.
#pragma once

#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

struct DatasetInfo {
  std::string name;
  std::string summary;      // one line
  std::string description;  // columns, and the problem that made the response
  std::string response;     // its column
};

const std::vector<DatasetInfo>& datasets();

// The same rows on every call. UsageError naming the nearest data set where there is none of this name.
OutputTable dataset(const std::string& name);

}  // namespace bl

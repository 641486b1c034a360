// Several files that are one table.
#pragma once

#include <string>
#include <vector>

namespace bl {

// The files that are meant: a path with *, ? or [ that no file has is a pattern, and stands for the files
// that match it, in the order of their names. DataError where none does.
std::vector<std::string> files_of(const std::vector<std::string>& paths);

// "rows-1.csv", or "rows-1.csv and 7 more files".
std::string name_of_files(const std::vector<std::string>& files);

}  // namespace bl

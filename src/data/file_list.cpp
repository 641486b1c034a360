#include "data/file_list.hpp"

#include <glob.h>

#include <filesystem>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> files;
  for (std::size_t i = 0; result == 0 && i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  if (files.empty())
    throw DataError("no file matches the pattern " + in_quotes(pattern) + "; check the name and the folder");
  return files;
}

}  // namespace

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const bool pattern = path.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(path);
    for (std::string& file : pattern ? matches(path) : std::vector<std::string>{path})
      files.push_back(std::move(file));
  }
  return files;
}

std::string name_of_files(const std::vector<std::string>& files) {
  if (files.size() == 1) return files[0];
  return files[0] + " and " + std::to_string(files.size() - 1) +
         (files.size() == 2 ? " more file" : " more files");
}

}  // namespace bl

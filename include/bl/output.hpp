// Output tables as text, and files that appear whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bl/model.hpp"

namespace bl {

enum class TableFormat { csv, json_lines };

// Numbers in their shortest exact spelling. With header: the line of names first (CSV).
std::string format_table(const OutputTable& table, TableFormat format, bool header);

// Written beside its final place and moved there by commit(); gone if that is never called. DataError names
// the path.
class OutputFileWriter {
 public:
  explicit OutputFileWriter(const std::string& path);
  ~OutputFileWriter();
  void write(std::string_view text);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bl

#include "bl/output.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"

namespace bl {

namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string format_table(const OutputTable& table, TableFormat format, bool header) {
  std::string out;
  if (format == TableFormat::csv && header) {
    for (const OutputColumn& column : table.columns)
      out += (&column == &table.columns.front() ? "" : ",") + csv_cell(column.name);
    out += '\n';
  }
  for (std::size_t i = 0; i < table.rows; ++i) {
    if (format == TableFormat::csv) {
      for (const OutputColumn& column : table.columns) {
        if (&column != &table.columns.front()) out += ',';
        out += column.texts.empty() ? format_number(column.numbers[i]) : csv_cell(column.texts[i]);
      }
    } else {
      nlohmann::ordered_json line;
      for (const OutputColumn& column : table.columns) {
        if (column.texts.empty())
          line[column.name] = column.numbers[i];
        else
          line[column.name] = column.texts[i];
      }
      out += line.dump();
    }
    out += '\n';
  }
  return out;
}

struct OutputFileWriter::Impl {
  OutputFile file;
};

OutputFileWriter::OutputFileWriter(const std::string& path) : impl_(new Impl{OutputFile(path)}) {}
OutputFileWriter::~OutputFileWriter() = default;
void OutputFileWriter::write(std::string_view text) {
  impl_->file.write(text);
}
void OutputFileWriter::commit() {
  impl_->file.commit();
}

}  // namespace bl

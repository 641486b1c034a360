// What the page of a report makes of a model, by the page's own script.
#pragma once

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "report/page_model.hpp"
#include "support/read_file.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl::test {

inline bool has_node() {
  return std::system("node --version >/dev/null 2>&1") == 0;
}

// The cells of a row as the page reads them.
inline nlohmann::json page_row(const Table& table, Index row) {
  nlohmann::json cells = nlohmann::json::object();
  for (const Column& column : table.columns)
    cells[column.name] = column.missing(row) ? nlohmann::json()
                         : column.raw == RawType::numeric
                             ? nlohmann::json(column.numbers[static_cast<std::size_t>(row)])
                             : nlohmann::json(column.cell_text(row));
  return cells;
}

// Of each row {"row": page_row(...), "points": [{"values": [], "class": 0}]}: {"columns": [], "utilities":
// []}. Needs node.
inline nlohmann::json page_values(const FittedModel& model, const nlohmann::json& rows) {
  const TemporaryFolder folder;
  folder.write("model.json", report::page_model(model).dump());
  folder.write("rows.json", rows.dump());
  const std::string root = std::string(BL_TEST_DATA) + "/../..";
  const std::string command = "node '" + root + "/tests/property/page_values.js' '" + root +
                              "/src/report/page/evaluate.js' '" + folder.file("model.json") + "' '" +
                              folder.file("rows.json") + "' >'" + folder.file("values.json") + "'";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("the page's script failed");
  return nlohmann::json::parse(read_file(folder.file("values.json")));
}

}  // namespace bl::test

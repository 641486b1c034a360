// What a caller may say about a data file; everything else is inferred from its content.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/table.hpp"

namespace bl {

struct ReadOptions {
  char delimiter = '\0';       // CSV: '\0' infers which of tab, semicolon and comma it is
  bool decimal_comma = false;  // CSV: 3,14 is a number (and 3.14 is not)
  // CSV: whether the first line holds names. Unset: it does, and a first line of numbers only is an error.
  std::optional<bool> header;
  // Cells that count as missing; spaces around a cell do not matter.
  std::vector<std::string> missing = {"", "NA", "NaN", "nan", "?", "null"};
  // Columns whose type is known, by name; names that the file lacks are passed over. A whole table infers
  // the others: numeric if every cell that is not missing is a number, else text. A block-wise reader leaves
  // the others out.
  std::map<std::string, RawType> types;
  // IDX: the file of labels that belongs to a file of images. Empty: the neighbor whose name has labels-idx1
  // in the place of images-idx3, if there is one.
  std::string labels;
};

}  // namespace bl

// "price *= 1.1": one column of a table computed anew.
#pragma once

#include <string>

#include "data/table.hpp"

namespace bl {

struct Assignment {
  std::string column;
  char operation = '=';    // '=', '+', '-', '*' or '/'
  std::string expression;  // of the right side

  // UsageError where the text is none.
  static Assignment parse(const std::string& text);

  // Only numbers can be computed; a text column takes = and one of 'its levels', or a new one. UsageError and
  // DataError as in Expression, and for a value that is none where there was one.
  void apply(Table& table) const;
};

}  // namespace bl

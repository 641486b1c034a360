#include "predict/finite.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bl/errors.hpp"

namespace bl {

void require_finite(const OutputTable& table, const std::function<std::string(std::size_t row)>& place) {
  for (const OutputColumn& column : table.columns) {
    const bool density = column.name.starts_with("density(");
    for (std::size_t i = 0; i < column.numbers.size(); ++i)
      if (density ? std::isnan(column.numbers[i]) : !std::isfinite(column.numbers[i]))
        throw NumericError(
            fmt::format("{}: {} is not a finite number; the model's parameters or the row's "
                        "values are too large",
                        place(i), column.name));
  }
}

}  // namespace bl

#include "report/subject.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bl/errors.hpp"

namespace bl::report {

Rows judged_rows(const FittedModel& model, const Table& table) {
  const bool given =
      model.stored.information.value("split", nlohmann::json::object()).value("given", nlohmann::json()) ==
      nlohmann::json(true);
  if (is_fit_data(model, table) && !given)
    for (const auto& [part, text] :
         {std::pair(Part::test, "{} test rows, which the fit has not seen"),
          std::pair(Part::validation, "{} validation rows, which decided when training ended")}) {
      std::vector<Index> rows = rows_of_part(model, table, part);
      if (rows.empty()) continue;
      std::string words = fmt::format(fmt::runtime(text), rows.size());
      return {std::move(rows), std::move(words)};
    }
  return {all_rows(table.rows),
          fmt::format(is_fit_data(model, table)
                          ? fmt::runtime("all {} rows; the fit has seen them, so new rows may do worse")
                          : fmt::runtime("all {} rows of the file given, which is not that of the fit"),
                      table.rows)};
}

Data data_of(Table table) {
  return Data(std::make_shared<const Data::Impl>(Data::Impl{std::move(table)}));
}

}  // namespace bl::report

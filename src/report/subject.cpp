#include "report/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  std::vector<Index> rows = rows_to_judge(model, table, Part::all);
  std::string words = fmt::format(
      is_fit_data(model, table) ? fmt::runtime("all {} rows; the fit has seen them, so new rows may do worse")
                                : fmt::runtime("all {} rows of the file given, which is not that of the fit"),
      rows.size());
  return {std::move(rows), std::move(words)};
}

namespace {

constexpr std::size_t kCellsViewed = 20'000'000;

}  // namespace

TableSubject table_subject(const Model& model, const Data& data, std::size_t row, const Context& job) {
  const FittedModel& fitted = model.impl();
  const Table& table = data.impl().table;
  TableSubject s{.model = model,
                 .fitted = fitted,
                 .table = table,
                 .encoder = fitted.stored.encoder.with_unseen(UnseenPolicy::missing),
                 .job = job,
                 .judged = judged_rows(fitted, table),
                 .shown = all_rows(table.rows),
                 .columns = {},
                 .start = {},
                 .start_text = "a typical row"};
  if (table.rows == 0) throw DataError(table.source + ": there are no rows to report on");
  s.columns = column_views(
      s.encoder, table,
      thinned_rows(s.shown, kCellsViewed / std::max<std::size_t>(1, s.encoder.features().size())));
  s.start = typical_cells(s.columns);
  if (row == 0) return s;
  if (row > static_cast<std::size_t>(table.rows))
    throw UsageError(fmt::format("`row` = {}: the data have {} rows", row, table.rows));
  s.start = cells_of(s.encoder, table, static_cast<Index>(row - 1));
  s.start_text = fmt::format("row {}", row);
  return s;
}

Data data_of(Table table) {
  return Data(std::make_shared<const Data::Impl>(Data::Impl{std::move(table)}));
}

}  // namespace bl::report

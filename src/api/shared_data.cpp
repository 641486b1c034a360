#include "bl/shared_data.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "api/column_summaries.hpp"
#include "base/rank_gather.hpp"
#include "data/csv_parts.hpp"
#include "data/file_list.hpp"
#include "data/shared_table.hpp"
#include "fit/table_fit.hpp"
#include "fitted/fitted_model.hpp"
#include "plan/table_plan.hpp"

namespace bl {

struct SharedData::Impl {
  std::optional<SharedTable> table;
  std::optional<Data> whole;  // in its place
};

Data read_files(const std::vector<std::string>& paths, const Settings& settings) {
  const std::vector<std::string> files = files_of(paths);
  if (files.size() == 1) return Data::read(files[0], settings);
  const SpillScope scope(settings.out_of_core);
  return Data(std::make_shared<Data::Impl>(Data::Impl{read_files(files, read_options(settings))}));
}

SharedData SharedData::read(const std::vector<std::string>& paths, const Settings& settings) {
  auto impl = std::make_shared<Impl>();
  if (const std::shared_ptr<Ranks> ranks = current_ranks()) {
    const SpillScope scope(settings.out_of_core);
    impl->table = read_shared_table(files_of(paths), read_options(settings), ranks);
  }
  if (!impl->table) impl->whole = read_files(paths, settings);
  return SharedData(std::move(impl));
}

std::size_t SharedData::rows() const {
  return impl_->table ? static_cast<std::size_t>(impl_->table->rows()) : impl_->whole->rows();
}

const std::string& SharedData::source() const {
  return impl_->table ? impl_->table->own.source : impl_->whole->source();
}

std::vector<ColumnSummary> SharedData::columns() const {
  if (!impl_->table) return impl_->whole->columns();
  const SharedTable& table = *impl_->table;
  std::vector<ColumnSummary> summaries = column_summaries(table.own);
  for (ColumnSummary& one : summaries) {
    const auto missing = gather_one(*table.ranks, one.missing);
    const auto lowest = gather_one(*table.ranks, one.lowest), highest = gather_one(*table.ranks, one.highest);
    one.missing = 0;
    for (const std::size_t count : missing) one.missing += count;
    one.lowest = *std::min_element(lowest.begin(), lowest.end());
    one.highest = *std::max_element(highest.begin(), highest.end());
  }
  return summaries;
}

FitSummary fit(const SharedData& data, const Settings& settings, const FitOptions& options) {
  if (data.impl().table) return fit_table(*data.impl().table, settings, options);
  FitSummary summary = fit(*data.impl().whole, settings, options);
  if (current_ranks())
    summary.notes.emplace_back("every rank holds all rows: the data cannot be read in parts");
  return summary;
}

}  // namespace bl

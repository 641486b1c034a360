#include "bl/shared_data.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "api/column_summaries.hpp"
#include "api/evaluation_of.hpp"
#include "base/rank_gather.hpp"
#include "data/csv_parts.hpp"
#include "data/file_list.hpp"
#include "data/rows_in_memory.hpp"
#include "features/shared_encoder.hpp"
#include "fit/table_fit.hpp"
#include "fitted/fitted_model.hpp"
#include "plan/table_plan.hpp"
#include "predict/evaluation.hpp"
#include "predict/predicting.hpp"

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

SharedData SharedData::read(const Model& model, const std::vector<std::string>& paths,
                            const Settings& settings) {
  auto impl = std::make_shared<Impl>();
  const std::shared_ptr<Ranks> ranks = current_ranks();
  const SpillScope scope(settings.out_of_core);
  if (ranks && !model.is_choice())
    impl->table = read_shared_table(files_of(paths), reading_for(model, settings), ranks);
  if (!impl->table) impl->whole = read_files(model, paths, settings);
  return SharedData(std::move(impl));
}

SharedData SharedData::from_columns(std::vector<Data::Column> own, const std::string& name) {
  auto impl = std::make_shared<Impl>();
  const std::shared_ptr<Ranks> ranks = current_ranks();
  if (!ranks) {
    impl->whole = Data::from_columns(std::move(own), name);
    return SharedData(std::move(impl));
  }
  Table table;
  all_or_none(*ranks, [&] { table = Data::from_columns(std::move(own), name).impl().table; });
  impl->table = shared_table(std::move(table), ranks);
  return SharedData(std::move(impl));
}

Data SharedData::whole() const {
  if (impl_->whole) return *impl_->whole;
  return Data(std::make_shared<Data::Impl>(Data::Impl{impl_->table->gathered()}));
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
  if (data.impl().table)
    return fit_table(*data.impl().table, settings, options, fit_context(settings, options));
  FitSummary summary = fit(*data.impl().whole, settings, options);
  if (current_ranks())
    summary.notes.emplace_back("every rank holds all rows: the data cannot be read in parts");
  return summary;
}

namespace {

Table known_rows(const Model& model, const SharedTable& shared) {
  Table known = shared.head();
  gather_known(shared, model.impl().stored.encoder.schema(), known);
  return known;
}

}  // namespace

Evaluation evaluate(const Model& model, const SharedData& data, Part part, const PredictOptions& options) {
  const FittedModel& fitted = model.impl();
  const bool shares = data.impl().table && fitted.stored.encoder.responses().size() == 1 &&
                      !fitted.stored.encoder.columns().empty();
  if (!shares) return evaluation_of(model, data.whole(), part, options);
  const SharedTable& shared = *data.impl().table;
  return evaluate_table(fitted, known_rows(model, shared), part, options, Context(options.threads), &shared);
}

}  // namespace bl

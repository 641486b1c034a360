#include "features/feature_source.hpp"

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

void fail_cell(const Table& table, Index row, const std::string& column, const std::string& message) {
  throw DataError(table.place(row) + ": column " + in_quotes(column) + ": " + message);
}

void fail_too_far(const Table& table, Index row, const std::string& column, double value) {
  fail_cell(table, row, column, format_number(value) + " is too far from the training values to be encoded");
}

bool FeatureSource::missing(Index row) const {
  if (!column->missing(row)) return false;
  if (options->missing == MissingPolicy::error)
    fail_cell(*table, row, feature->name,
              "the value is missing; fill it in, or train with missing values imputed");
  return true;
}

std::int32_t FeatureSource::level(Index row, bool& missing_here) const {
  const std::int32_t code = (*lookup)(row);
  if (code >= 0) return code;
  if (code == kMissingCode) {
    missing(row);
  } else if (options->unseen == UnseenPolicy::error) {
    fail_cell(*table, row, feature->name,
              in_quotes(column->cell_text(row)) + " is not one of the levels known from training, " +
                  quoted_list(feature->levels) +
                  "; correct it, or take it as missing: "
                  "`unseen_as_missing` in predictions, `unseen` = missing in a fit");
  }
  missing_here = true;
  return feature->fill_level;
}

}  // namespace bl

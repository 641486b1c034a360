#include "features/shared_encoder.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/rank_gather.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/gather_column.hpp"
#include "features/feature_fit.hpp"

namespace bl {

namespace {

using nlohmann::json;

// One feature as the others are told about it.
json learned(const Table& known, const Column& data, const SchemaColumn& column, const EncodeOptions& options,
             std::span<const Index> rows, const Context& job) {
  EncodingReport report;
  const FeatureEncoding feature = fit_feature(known, data, column, options, rows, report, job);
  return {{"feature", feature_json(feature)},
          {"used", feature.has_value || feature.has_indicator},
          {"constant", !report.constant.empty()},
          {"missing", report.missing.empty() ? 0 : report.missing[0].second},
          {"hash", value_hash(data, rows)}};
}

// Of all features in their order. So many at once as there are ranks: each keeps the column that it learns.
std::vector<json> learn_features(const SharedTable& shared, const Table& known,
                                 const std::vector<const SchemaColumn*>& features,
                                 const EncodeOptions& options, std::span<const Index> rows,
                                 const Context& job) {
  Ranks& ranks = *shared.ranks;
  std::vector<json> out;
  Column mine, passing;
  for (std::size_t from = 0; from < features.size(); from += ranks.size()) {
    const std::size_t count = std::min(ranks.size(), features.size() - from);
    for (std::size_t i = 0; i < count; ++i)
      gather_column(shared, features[from + i]->name, i == ranks.rank() ? mine : passing);
    std::string text;
    all_or_none(ranks, [&] {
      if (ranks.rank() < count)
        text = learned(known, mine, *features[from + ranks.rank()], options, rows, job).dump();
    });
    const std::vector<std::string> texts = gather_texts(ranks, text);
    for (std::size_t i = 0; i < count; ++i) out.push_back(json::parse(texts[i]));
  }
  return out;
}

}  // namespace

Encoder fit_encoder(const SharedTable& shared, const Table& known, const Schema& schema,
                    const EncodeOptions& options, std::span<const Index> rows, const Context& job) {
  if (rows.empty()) throw DataError(known.source + ": there are no training rows");
  json responses = json::array(), features = json::array();
  for (const SchemaColumn* column : schema.with_role(Role::response))
    responses.push_back(
        response_json(fit_response(known, known.column(column->name), *column, options, rows, job)));
  const std::vector<const SchemaColumn*> columns = schema.with_role(Role::feature);
  EncodingReport report;
  std::vector<std::string> names;
  std::vector<std::size_t> hashes;
  const std::vector<json> all = learn_features(shared, known, columns, options, rows, job);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = columns[i]->name;
    if (all[i]["constant"].get<bool>()) report.constant.push_back(name);
    if (all[i]["missing"].get<Index>() > 0) report.missing.emplace_back(name, all[i]["missing"].get<Index>());
    if (!all[i]["used"].get<bool>()) continue;
    features.push_back(all[i]["feature"]);
    names.push_back(name);
    hashes.push_back(all[i]["hash"].get<std::size_t>());
  }
  if (features.empty() && !columns.empty())
    throw DataError(known.source + ": no feature is left that varies among the training rows; constant are " +
                    quoted_list(report.constant));
  report.duplicates = find_duplicates(names, hashes, [&](const std::string& a, const std::string& b) {
    const Column first = shared.whole(a);
    return equal_values(first, shared.whole(b), rows);
  });
  const Encoder encoder =
      Encoder::from_json({{"schema", schema.to_json()},
                          {"missing", options.missing == MissingPolicy::error ? "error" : "impute"},
                          {"unseen", options.unseen == UnseenPolicy::error ? "error" : "missing"},
                          {"max_levels", options.max_levels},
                          {"features", std::move(features)},
                          {"responses", std::move(responses)},
                          {"report", report_json(report)}});
  return encoder.with_products(
      fit_products(encoder.features(), options.curves.products, known.source,
                   [&](const FeatureEncoding& f) { return product_numbers(f, shared.whole(f.name), rows); }));
}

void gather_known(const SharedTable& shared, const Schema& schema, Table& head) {
  for (Column& column : head.columns) {
    const SchemaColumn* declared = schema.find(column.name);
    if (declared == nullptr) continue;
    if (declared->role == Role::response || declared->role == Role::weight || declared->role == Role::group)
      column = shared.whole(column.name);
  }
}

Encoder without_features(const Encoder& encoder) {
  json all = encoder.to_json();
  all["features"] = json::array();
  all.erase("products");
  return Encoder::from_json(all);
}

template <class T>
Matrix<T> gathered_features(const Encoder& encoder, const SharedTable& shared, std::span<const Index> rows) {
  Matrix<T> own;
  all_or_none(*shared.ranks, [&] { own = encoder.encode_features<T>(shared.own, shared.own_rows(rows)); });
  Matrix<T> all(static_cast<Index>(rows.size()), static_cast<Index>(encoder.columns().size()));
  std::vector<Index> begins;
  for (const std::int64_t at : shared.held(rows)) begins.push_back(at * all.cols());
  gather_values<T>(*shared.ranks, std::as_const(own).flat(), begins, all.flat());
  return all;
}

template Matrix<float> gathered_features(const Encoder&, const SharedTable&, std::span<const Index>);
template Matrix<double> gathered_features(const Encoder&, const SharedTable&, std::span<const Index>);

}  // namespace bl

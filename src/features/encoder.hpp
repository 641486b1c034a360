// Turns tables into matrices, the same way for training and for every later file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "data/table.hpp"
#include "features/encoding.hpp"
#include "features/product.hpp"
#include "features/schema.hpp"

namespace bl {

class Encoder {
 public:
  // Learns means, scales, levels and fill values from the given rows alone. The list of classes is that of
  // the whole table, so that a class without training rows does not make other rows unusable. DataError
  // naming column and line for missing values (unless imputed), missing responses, a response with one value,
  // too many levels, and when no feature is left.
  static Encoder fit(const Table& table, const Schema& schema, const EncodeOptions& options,
                     std::span<const Index> rows, const Context& job);

  // Columns are found by name; their order and further columns do not matter. DataError listing absent
  // columns, or naming line, column and value that cannot be encoded. T is float or double.
  template <class T>
  Encoded<T> encode(const Table& table, std::span<const Index> rows) const;
  // Features alone, for files without responses and weights.
  template <class T>
  Matrix<T> encode_features(const Table& table, std::span<const Index> rows) const;

  const Schema& schema() const { return schema_; }
  const std::vector<FeatureEncoding>& features() const { return features_; }
  const std::vector<ResponseEncoding>& responses() const { return responses_; }
  const std::vector<ProductEncoding>& products() const { return products_; }
  // The columns of the encoded matrix, in order.
  const std::vector<EncodedColumn>& columns() const { return columns_; }
  // How many of them are neither bends nor products of curves.
  std::size_t straight_columns() const;
  const EncodingReport& report() const { return report_; }
  const EncodeOptions& options() const { return options_; }
  // The same encoder with another rule for unseen levels.
  Encoder with_unseen(UnseenPolicy unseen) const;
  // The same encoder, that asks for no weights.
  Encoder without_weight() const;

  // The same encoder with these products of curves.
  Encoder with_products(std::vector<ProductEncoding> products) const;
  // Writes the products of curves into rows of which the other columns are complete.
  template <class T>
  void complete_products(MatrixView<T> rows) const;

  // Which features are running text.
  std::vector<std::size_t> text_features() const;
  // Loadings are kept apart from the rest: terms x components of a text feature.
  void set_loadings(std::size_t feature, Matrix<float> loadings);

  nlohmann::json to_json() const;
  // ModelFileError naming the field for anything that to_json cannot have written. Text has no loadings yet.
  static Encoder from_json(const nlohmann::json& json);

 private:
  Encoder() = default;
  void list_columns();

  Schema schema_;
  EncodeOptions options_;
  std::vector<FeatureEncoding> features_;  // those that are used; constant ones are left out
  std::vector<ResponseEncoding> responses_;
  std::vector<ProductEncoding> products_;
  std::vector<EncodedColumn> columns_;  // follows from features_ and products_
  EncodingReport report_;
};

// 0, 1, ..., rows - 1.
std::vector<Index> all_rows(Index rows);

}  // namespace bl

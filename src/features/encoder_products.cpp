#include "features/encoder.hpp"
#include "features/pull.hpp"

namespace bl {

Encoder Encoder::with_products(std::vector<ProductEncoding> products) const {
  Encoder copy = *this;
  copy.products_ = std::move(products);
  copy.list_columns();
  return copy;
}

template <class T>
void Encoder::complete_products(MatrixView<T> rows) const {
  if (products_.empty()) return;
  std::vector<std::size_t> straight(features_.size());  // where a feature's own column stands
  for (std::size_t c = columns_.size(); c-- > 0;) straight[columns_[c].feature] = c;
  const auto number = [&](const T* row, std::size_t feature) {
    const FeatureEncoding& f = features_[feature];
    return unpulled(f.pull, static_cast<double>(row[straight[feature]]) * f.scale + f.mean);
  };
  for (Index i = 0; i < rows.rows; ++i) {
    T* const row = rows.row(i);
    auto at = columns_.size();
    for (const ProductEncoding& product : products_) at -= product.columns.size();
    for (const ProductEncoding& product : products_) {
      const GridPlace first = place_on(product.first_axis, number(row, product.first));
      const GridPlace second = place_on(product.second_axis, number(row, product.second));
      const std::size_t width = product.second_axis.knots.size();
      for (const auto& values : product.columns)
        row[at++] = static_cast<T>(grid_value(values, width, first, second).value);
    }
  }
}

template void Encoder::complete_products(MatrixView<float>) const;
template void Encoder::complete_products(MatrixView<double>) const;

}  // namespace bl

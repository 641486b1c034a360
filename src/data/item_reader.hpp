// Rows of numbers from a file of items of one size, such as images, with their labels from a second file
// beside it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/row_reader.hpp"

namespace bl {

// Items: numbers() in one, column(i) their names, next(out) false behind the last one, items_read(), image(),
// rewind(), and check_labels(labels), which throws DataError where these do not belong to them. Lines are
// counted as items.
template <class Items>
class ItemReader final : public RowReader {
 public:
  ItemReader(Items items, std::optional<Items> labels, const ReadOptions& options)
      : items_(std::move(items)), labels_(std::move(labels)), options_(options) {
    if (labels_) items_.check_labels(*labels_);
    values_.resize(items_.numbers() + (labels_ ? 1 : 0));
  }

  std::vector<ColumnPlan> plans(ColumnPlan::Reading undeclared) const override {
    using Reading = ColumnPlan::Reading;
    std::vector<ColumnPlan> plans;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::string name = i < items_.numbers() ? items_.column(i) : kImageLabel;
      const bool skipped = undeclared == Reading::skip && !options_.types.contains(name);
      plans.push_back({std::move(name), skipped ? Reading::skip : Reading::numeric, {}});
    }
    return plans;
  }

  CellRules cell_rules() const override { return {}; }
  std::optional<ImageShape> image() const override { return items_.image(); }

  void read(Index max_rows, TableBuilder& out) override {
    for (Index added = 0; added < max_rows; ++added) {
      const bool more = items_.next(std::span(values_).first(items_.numbers()));
      if (labels_) labels_->next(std::span(values_).last(1));
      if (!more) return;
      out.add_numbers(values_, items_.items_read());
    }
  }

  void rewind() override {
    items_.rewind();
    if (labels_) labels_->rewind();
  }

 private:
  Items items_;
  std::optional<Items> labels_;
  const ReadOptions& options_;
  std::vector<double> values_;
};

}  // namespace bl

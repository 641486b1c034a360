// The numbers of a column: its own, or a view of memory that somebody else holds (the columns of a data frame
// are not copied).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/matrix.hpp"

namespace bl {

class ColumnNumbers {
 public:
  using value_type = double;
  using const_iterator = const double*;
  using iterator = const_iterator;

  ColumnNumbers() = default;
  ColumnNumbers(AlignedVector<double> own) : own_(std::move(own)) {}
  ColumnNumbers(const std::vector<double>& own) : own_(own.begin(), own.end()) {}
  ColumnNumbers(std::initializer_list<double> own) : own_(own) {}
  template <std::input_iterator Iterator>
  ColumnNumbers(Iterator from, Iterator to) : own_(from, to) {}
  // The memory must not change while this lives; `owner` holds it (a null one holds nothing: own numbers).
  ColumnNumbers(std::span<const double> borrowed, std::shared_ptr<const void> owner)
      : borrowed_(borrowed), owner_(std::move(owner)) {}

  std::span<const double> view() const { return owner_ ? borrowed_ : std::span<const double>(own_); }
  std::size_t size() const { return view().size(); }
  bool empty() const { return view().empty(); }
  double operator[](std::size_t i) const { return view()[i]; }
  double back() const { return view().back(); }
  const_iterator begin() const { return view().data(); }
  const_iterator end() const { return view().data() + size(); }

  // To change them; where they lie elsewhere a copy is taken first.
  AlignedVector<double>& own() {
    if (owner_) *this = ColumnNumbers(begin(), end());
    return own_;
  }
  double& operator[](std::size_t i) { return own()[i]; }
  void push_back(double value) { own().push_back(value); }
  template <std::input_iterator Iterator>
  void assign(Iterator from, Iterator to) {
    *this = ColumnNumbers(from, to);
  }

 private:
  AlignedVector<double> own_;
  std::span<const double> borrowed_;
  std::shared_ptr<const void> owner_;
};

}  // namespace bl

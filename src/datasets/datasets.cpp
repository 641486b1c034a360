#include "bl/datasets.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/joined.hpp"
#include "base/random.hpp"
#include "bl/errors.hpp"
#include "bl/names.hpp"

namespace bl {

namespace {

constexpr std::size_t kRows = 1000;

double rounded(double value, double unit) {
  return std::round(value / unit) * unit;
}

// Two decimals, as they stand in a file.
double cents(double value) {
  return std::round(value * 100) / 100;
}

// The uniform numbers of one row, one after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, std::size_t row) : stream_(seed, Purpose::simulation), row_(row) {}
  double uniform(double low, double high) { return low + (high - low) * stream_.uniform(row_, next_++); }
  std::size_t below(std::size_t bound) { return stream_.below(bound, row_, next_++); }
  // One of so many with probabilities proportional to exp(utility).
  template <class Utilities>
  std::size_t by_utility(const Utilities& utilities) {
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (const double u : utilities) largest = std::max(largest, u);
    for (const double u : utilities) total += std::exp(u - largest);
    double left = total * stream_.uniform(row_, next_++);
    std::size_t j = 0;
    for (; j + 1 < utilities.size(); ++j) {
      left -= std::exp(utilities[j] - largest);
      if (left < 0) break;
    }
    return j;
  }

 private:
  RandomStream stream_;
  std::uint64_t row_;
  std::uint64_t next_ = 0;
};

OutputTable households() {
  OutputTable out{.rows = kRows, .columns = {{"income", {}, {}}, {"children", {}, {}}, {"spending", {}, {}}}};
  for (std::size_t row = 0; row < kRows; ++row) {
    Draws draws(1, row);
    const double income = cents(draws.uniform(2, 8));
    const auto children = static_cast<double>(draws.below(4));
    std::vector<double> utilities;
    for (int step = 0; step <= 1000; ++step) {
      const double spending = step / 100.0;
      utilities.push_back(2 * spending - 8 * std::max(0.0, spending - 0.6 * income + 0.4 * children));
    }
    const auto chosen = static_cast<double>(draws.by_utility(utilities));
    out.columns[0].numbers.push_back(income);
    out.columns[1].numbers.push_back(children);
    out.columns[2].numbers.push_back(chosen / 100);
  }
  return out;
}

OutputTable commutes() {
  const std::array<std::string, 3> modes = {"car", "train", "bus"};
  const std::array<double, 3> constants = {0, -0.3, -0.6};
  OutputTable out{.rows = kRows, .columns = {{"person", {}, {}}}};
  for (const std::string& mode : modes)
    for (const char* what : {"_time", "_cost"}) out.columns.push_back({mode + what, {}, {}});
  out.columns.push_back({"mode", {}, {}});
  for (std::size_t row = 0; row < kRows; ++row) {
    Draws draws(2, row);
    const double distance = draws.uniform(3, 30);
    const std::array<double, 3> times = {8 + distance * draws.uniform(1.2, 2.2),
                                         15 + distance * draws.uniform(0.8, 1.6),
                                         10 + distance * draws.uniform(1.8, 3.0)};
    const std::array<double, 3> costs = {0.5 + distance * draws.uniform(0.2, 0.4),
                                         2 + distance * draws.uniform(0.1, 0.25),
                                         1.5 + distance * draws.uniform(0.05, 0.15)};
    const auto person = row / 4 + 1;
    out.columns[0].numbers.push_back(static_cast<double>(person));
    std::array<double, 3> utilities{};
    for (std::size_t j = 0; j < 3; ++j) {
      const double time = std::round(times[j]), cost = cents(costs[j]);
      utilities[j] = constants[j] - 0.05 * time - 0.25 * cost;
      out.columns[1 + 2 * j].numbers.push_back(time);
      out.columns[2 + 2 * j].numbers.push_back(cost);
    }
    out.columns.back().texts.push_back(modes[draws.by_utility(utilities)]);
  }
  return out;
}

OutputTable purchases() {
  const std::array<std::string, 4> regions = {"east", "north", "south", "west"};
  const std::array<double, 4> tastes = {-0.4, 0.3, 0, 0.1};
  OutputTable out{.rows = kRows,
                  .columns = {{"price", {}, {}},
                              {"rating", {}, {}},
                              {"income", {}, {}},
                              {"region", {}, {}},
                              {"member", {}, {}},
                              {"bought", {}, {}}}};
  for (std::size_t row = 0; row < kRows; ++row) {
    Draws draws(3, row);
    const double price = rounded(draws.uniform(5, 50), 0.5), income = cents(draws.uniform(1, 8));
    const auto rating = static_cast<double>(1 + draws.below(5));
    const std::size_t region = draws.below(4);
    const bool member = draws.uniform(0, 1) < 0.4, known = draws.uniform(0, 1) < 0.95;
    const double utility = 0.8 * rating - 0.06 * price + (member ? 0.5 : 0) + tastes[region] -
                           2 * std::max(0.0, price / 10 - income);
    const std::array<double, 2> utilities = {0, utility};
    out.columns[0].numbers.push_back(price);
    out.columns[1].numbers.push_back(rating);
    out.columns[2].numbers.push_back(known ? income : std::numeric_limits<double>::quiet_NaN());
    out.columns[3].texts.push_back(regions[region]);
    out.columns[4].texts.emplace_back(member ? "yes" : "no");
    out.columns[5].texts.emplace_back(draws.by_utility(utilities) == 1 ? "yes" : "no");
  }
  return out;
}

}  // namespace

const std::vector<DatasetInfo>& datasets() {
  static const std::vector<DatasetInfo> all = {
      {"households", "how much of its income a household spends: a number",
       "1,000 households decide how much to spend, in thousands a month. Columns: income (2 to 8), children "
       "(0 to 3), spending (0 to 10). Each solves max 2 spending subject to spending - 0.6 income + 0.4 "
       "children <= 0 (weight 8) and errs a little: p(spending | income, children) is proportional to "
       "exp(2 spending - 8 relu(spending - 0.6 income + 0.4 children)).",
       "spending"},
      {"commutes", "how 250 people travel to work on 4 days each: a choice among alternatives",
       "1,000 trips to work of 250 people. Columns: person; car_time, train_time, bus_time in minutes; "
       "car_cost, train_cost, bus_cost; mode (car, train or bus). Each maximises the utility of a logit, "
       "-0.05 time - 0.25 cost with constants 0 (car), -0.3 (train) and -0.6 (bus): an hour is worth 12.",
       "mode"},
      {"purchases", "who buys, with categories and missing values: a class",
       "1,000 visitors of a shop. Columns: price (5 to 50), rating (1 to 5), income (1 to 8, 5% missing), "
       "region (east, north, south, west), member (yes, no), bought (yes, no). The utility of buying is "
       "0.8 rating - 0.06 price + 0.5 [member] + a taste of the region (-0.4, 0.3, 0, 0.1) - "
       "2 relu(price / 10 - income), that of leaving 0; the choice is a logit.",
       "bought"}};
  return all;
}

OutputTable dataset(const std::string& name) {
  if (name == "households") return households();
  if (name == "commutes") return commutes();
  if (name == "purchases") return purchases();
  std::vector<std::string> names;
  for (const DatasetInfo& one : datasets()) names.push_back(one.name);
  throw UsageError(fmt::format("there is no data set '{}'{}; there are {}", name, did_you_mean(name, names),
                               joined(names, ", ")));
}

}  // namespace bl

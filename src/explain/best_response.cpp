#include "explain/best_response.hpp"

#include <algorithm>
#include <limits>

#include "gibbs/mode.hpp"
#include "gibbs/network_density.hpp"

namespace bl::explain {

namespace {

constexpr Index kStarts = 16;
constexpr std::uint64_t kSeed = 1;

std::vector<double> best_values(const gibbs::Utility& utility, const double* context,
                                std::int32_t class_index) {
  if (utility.values() == 0) return {};
  if (utility.exact()) return {utility.exact_distribution_of(context).mode()};
  if (utility.values() == 1) return {utility.distribution_1d(context, class_index).modes().front().y};
  const Index columns = utility.network().architecture().input.context;
  Matrix<double> row(1, columns);
  std::copy_n(context, columns, row.data());
  gibbs::NetworkDensity<double> distribution(utility.network(), utility.prepared(), utility.temperature(),
                                             row, 1, gibbs::kChainsPerChunk);
  if (utility.classes() > 0)
    distribution.set_classes(
        0, std::vector<std::int32_t>(static_cast<std::size_t>(gibbs::kChainsPerChunk), class_index));
  const gibbs::Box box{utility.support().lower, utility.support().upper};
  return gibbs::find_mode(distribution, box, gibbs::mode_starts(box, kStarts, kSeed).view()).point;
}

}  // namespace

Response best_response(const gibbs::Utility& utility, const double* context) {
  Response best;
  double highest = -std::numeric_limits<double>::infinity();
  for (Index c = 0; c < std::max<Index>(1, utility.classes()); ++c) {
    const auto class_index = static_cast<std::int32_t>(c);
    std::vector<double> values = best_values(utility, context, class_index);
    double u = 0;
    const MatrixView<const double> point{values.data(), 1, static_cast<Index>(values.size()),
                                         static_cast<Index>(values.size())};
    utility.log_density(context, class_index, point, std::span<double>(&u, 1));
    if (u > highest) {
      highest = u;
      best = {std::move(values), class_index};
    }
  }
  return best;
}

}  // namespace bl::explain

// What decides about the epoch that is kept, where it is not the validation loss.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "fit/prepared.hpp"
#include "fitted/part_data.hpp"
#include "gibbs/utility.hpp"
#include "metrics/classification.hpp"
#include "plan/wide_plan.hpp"

namespace bl {

// The share of validation rows whose class is not the likeliest.
template <class T>
std::function<double(std::span<const T>)> error_rate(const Prepared& p, const PartData<T>& validation,
                                                     const Context& job) {
  const auto context = std::make_shared<Matrix<double>>(validation.encoded.features.rows(),
                                                        validation.encoded.features.cols());
  std::copy(validation.encoded.features.flat().begin(), validation.encoded.features.flat().end(),
            context->data());
  return [&p, &validation, &job, context](std::span<const T> parameters) {
    const std::vector<double> at(parameters.begin(), parameters.end());
    const gibbs::Utility utility(p.architecture, at, p.settings->temperature, {});
    constexpr Index kRows = 64;
    std::vector<std::int32_t> likeliest(validation.classes.size());
    const Context alone =
        job.alone();  // networks that are learned side by side must not meet in the same threads
    (p.members > 1 ? alone : job).run((likeliest.size() + kRows - 1) / kRows, [&](std::size_t task) {
      const Index from = static_cast<Index>(task) * kRows, count = std::min(kRows, context->rows() - from);
      Matrix<double> u(count, p.space.classes());
      utility.utilities(std::as_const(*context).view().row_range(from, count), {nullptr, count, 0, 0},
                        u.view());
      const auto top = metrics::top_class(u.view());
      std::copy(top.begin(), top.end(), likeliest.begin() + from);
    });
    return 1 - metrics::accuracy(validation.classes, likeliest, validation.encoded.weights);
  };
}

template <class T>
std::function<double(std::span<const T>)> monitored(const Prepared& p,
                                                    const std::optional<PartData<T>>& validation,
                                                    const Context& job) {
  const Monitor monitor = plan_monitor(*p.settings, p.wide);
  if (monitor == Monitor::loss || !validation) return {};
  if (monitor == Monitor::accuracy) return error_rate<T>(p, *validation, job);
  return [](std::span<const T>) { return std::numeric_limits<double>::quiet_NaN(); };
}

}  // namespace bl

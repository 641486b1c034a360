#include "simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "simulation/continuous_draw.hpp"

namespace bl::simulation {

namespace {

// Independent streams of one seed, told apart by the generator's epoch.
enum Stream : std::uint32_t { kContextStream = 0, kAlternativesStream = 1, kResponseStream = 2 };

constexpr Index kRowsPerTask = 64;

double draw(const Column& column, const RandomStream& stream, std::uint64_t row, std::uint64_t index) {
  return column.distribution == ColumnDistribution::normal
             ? column.first + column.second * stream.normal(row, index)
             : column.first + (column.second - column.first) * stream.uniform(row, index);
}

void draw_context(const PlantedProblem& problem, std::uint64_t seed, SimulatedData<double>& data) {
  const RandomStream stream(seed, Purpose::simulation, kContextStream);
  data.context.resize(data.rows, static_cast<Index>(problem.context.size()));
  for (Index row = 0; row < data.rows; ++row)
    for (std::size_t j = 0; j < problem.context.size(); ++j)
      data.context(row, static_cast<Index>(j)) =
          draw(problem.context[j], stream, static_cast<std::uint64_t>(row), j);
}

// Sizes, availability and attributes; index 0 of a row's stream is its size, then a block per alternative.
void draw_choice_sets(const ChoiceSets& sets, std::uint64_t seed, SimulatedData<double>& data) {
  const RandomStream stream(seed, Purpose::simulation, kAlternativesStream);
  const std::size_t columns = sets.attributes.size();
  const auto sizes = static_cast<std::uint64_t>(sets.largest - sets.smallest + 1);
  data.begin = {0};
  for (Index row = 0; row < data.rows; ++row)
    data.begin.push_back(data.begin.back() + sets.smallest +
                         static_cast<std::int64_t>(stream.below(sizes, static_cast<std::uint64_t>(row), 0)));
  const std::int64_t count = data.begin.back();
  data.values.resize(count, static_cast<Index>(columns));
  for (Index row = 0; row < data.rows; ++row) {
    const std::int64_t first = data.begin[static_cast<std::size_t>(row)];
    for (std::int64_t j = first; j < data.begin[static_cast<std::size_t>(row) + 1]; ++j) {
      const std::uint64_t at = 1 + static_cast<std::uint64_t>(j - first) * (columns + 1);
      const bool available =
          j == first || stream.uniform(static_cast<std::uint64_t>(row), at) < sets.availability;
      data.available.push_back(available ? 1 : 0);
      for (std::size_t k = 0; k < columns; ++k)
        data.values(j, static_cast<Index>(k)) =
            draw(sets.attributes[k], stream, static_cast<std::uint64_t>(row), at + 1 + k);
    }
  }
}

std::size_t draw_index(std::span<const double> probabilities, double u) {
  double sum = 0;
  std::size_t last = 0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    if (probabilities[k] > 0) last = k;
    sum += probabilities[k];
    if (u < sum) return k;
  }
  return last;  // the sum fell short of u by rounding
}

// Draws the responses of a range of rows; one for each task.
class ResponseDraw {
 public:
  ResponseDraw(const PlantedProblem& problem, const GibbsDistribution& distribution, const Candidates& common,
               std::uint64_t seed, SimulatedData<double>& data)
      : problem_(problem),
        distribution_(distribution),
        common_(common),
        stream_(seed, Purpose::simulation, kResponseStream),
        data_(data) {}

  void row(Index row) {
    const bool choice = problem_.kind() == ResponseKind::alternatives;
    if (choice) alternatives_of(data_, row, own_);
    const Candidates& candidates = choice ? own_ : common_;
    distribution_.log_density(context(row), candidates, ws_, log_density_);
    masses_.resize(log_density_.size());
    for (std::size_t k = 0; k < masses_.size(); ++k)
      masses_[k] = std::exp(log_density_[k] + candidates.log_weights[k]);
    const std::size_t drawn = draw_index(masses_, stream_.uniform(static_cast<std::uint64_t>(row), 0));
    data_.true_log_likelihood[static_cast<std::size_t>(row)] = log_density_[drawn];
    if (choice) return record_choice(row, drawn);
    if (!candidates.classes.empty()) record_class(row, candidates, drawn);
    if (problem_.support.dimension() > 0) record_values(row, drawn);
  }

 private:
  std::span<const double> context(Index row) const {
    return {data_.context.row(row), static_cast<std::size_t>(data_.context.cols())};
  }

  void record_choice(Index row, std::size_t drawn) {
    const auto at = static_cast<std::size_t>(row);
    std::size_t k = 0;
    for (auto j = data_.begin[at]; j < data_.begin[at + 1]; ++j) {
      if (!data_.available[static_cast<std::size_t>(j)]) continue;
      data_.true_probabilities[static_cast<std::size_t>(j)] = masses_[k];
      if (k++ == drawn) data_.chosen[at] = static_cast<std::int32_t>(j - data_.begin[at]);
    }
  }

  void record_class(Index row, const Candidates& candidates, std::size_t drawn) {
    data_.classes[static_cast<std::size_t>(row)] = candidates.classes[drawn];
    double* probabilities = data_.true_probabilities.data() + row * problem_.architecture.input.classes;
    for (std::size_t k = 0; k < masses_.size(); ++k) probabilities[candidates.classes[k]] += masses_[k];
  }

  void record_values(Index row, std::size_t node) {
    const Index dims = data_.values.cols();
    for (Index d = 0; d < dims; ++d) {
      uniforms_[static_cast<std::size_t>(d)] =
          stream_.uniform(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(d) + 1);
      double mean = 0;
      for (std::size_t k = 0; k < masses_.size(); ++k)
        mean += masses_[k] * common_.values(static_cast<Index>(k), d);
      data_.true_means(row, d) = mean;
    }
    const Cell cell = cell_of(problem_, common_, node, distribution_panels(problem_));
    const std::span<double> values(data_.values.row(row), static_cast<std::size_t>(dims));
    draw_in_cell(distribution_, context(row), cell, uniforms_, values);
    // log p(drawn value): the utility there, less the normaliser known from the node.
    Candidates two;
    two.values.resize(2, dims);
    std::copy(values.begin(), values.end(), two.values.row(0));
    std::copy_n(common_.values.row(static_cast<Index>(node)), dims, two.values.row(1));
    two.log_weights = {0, 0};
    if (cell.class_index >= 0) two.classes.assign(2, cell.class_index);
    distribution_.logits(context(row), two, ws_, log_density_);
    data_.true_log_likelihood[static_cast<std::size_t>(row)] += log_density_[0] - log_density_[1];
  }

  const PlantedProblem& problem_;
  const GibbsDistribution& distribution_;
  const Candidates& common_;
  RandomStream stream_;
  SimulatedData<double>& data_;
  Candidates own_;
  DistributionWorkspace ws_;
  std::vector<double> log_density_, masses_;
  std::array<double, 2> uniforms_{};
};

void make_room(const PlantedProblem& problem, SimulatedData<double>& data) {
  const auto rows = static_cast<std::size_t>(data.rows);
  data.true_log_likelihood.resize(rows);
  if (problem.choice_sets) {
    data.chosen.resize(rows);
    data.true_probabilities.resize(data.available.size());
    return;
  }
  data.values.resize(data.rows, problem.architecture.input.values);
  data.true_means.resize(data.rows, problem.architecture.input.values);
  if (problem.class_names.empty()) return;
  data.classes.resize(rows);
  data.true_probabilities.resize(rows * problem.class_names.size());
}

}  // namespace

template <class T>
DatasetView<T> SimulatedData<T>::view() const {
  DatasetView<T> out{.rows = rows,
                     .context = context.view(),
                     .values = {},
                     .classes = classes,
                     .weights = weights,
                     .alternatives = {}};
  if (begin.empty()) {
    out.values = values.view();
    return out;
  }
  out.alternatives = {begin, values.view(), classes, available, chosen};
  out.classes = {};
  return out;
}

template struct SimulatedData<double>;

namespace {

void draw_responses(const PlantedProblem& problem, std::uint64_t seed, SimulatedData<double>& data,
                    const Context& job) {
  make_room(problem, data);
  const GibbsDistribution distribution(problem.architecture, problem.parameters, problem.temperature);
  const Candidates common = common_candidates(problem, distribution_panels(problem));
  job.run(static_cast<std::size_t>((data.rows + kRowsPerTask - 1) / kRowsPerTask), [&](std::size_t task) {
    ResponseDraw draw(problem, distribution, common, seed, data);
    const Index from = static_cast<Index>(task) * kRowsPerTask;
    for (Index row = from; row < std::min(data.rows, from + kRowsPerTask); ++row) draw.row(row);
  });
}

}  // namespace

SimulatedData<double> simulate(const PlantedProblem& problem, Index rows, std::uint64_t seed,
                               const Context& job) {
  if (rows < 1) throw UsageError(fmt::format("cannot simulate {} rows; ask for at least 1", rows));
  SimulatedData<double> data;
  data.rows = rows;
  draw_context(problem, seed, data);
  if (problem.choice_sets) draw_choice_sets(*problem.choice_sets, seed, data);
  draw_responses(problem, seed, data, job);
  return data;
}

SimulatedData<double> simulate_responses(const PlantedProblem& problem, SimulatedData<double> data,
                                         std::uint64_t seed, const Context& job) {
  draw_responses(problem, seed, data, job);
  return data;
}

void alternatives_of(const SimulatedData<double>& data, Index row, Candidates& out) {
  const auto at = static_cast<std::size_t>(row);
  out.values.resize(data.begin[at + 1] - data.begin[at], data.values.cols());
  Index count = 0;
  for (auto j = data.begin[at]; j < data.begin[at + 1]; ++j)
    if (data.available[static_cast<std::size_t>(j)])
      std::copy_n(data.values.row(j), data.values.cols(), out.values.row(count++));
  out.values.resize(count, data.values.cols());
  out.log_weights.assign(static_cast<std::size_t>(count), 0.0);
}

}  // namespace bl::simulation

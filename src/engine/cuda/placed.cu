#include "engine/cuda/placed.cuh"

#include <algorithm>
#include <cmath>

#include "engine/cuda/cuda.hpp"

namespace bl::cuda {

namespace {

// Versions but the first of rows that lie in front of them; one block a row and version.
template <class T>
__global__ void version_kernel(T* context, int rows, int columns, int stride, const std::int32_t* source,
                               const T* offset) {
  const auto row = static_cast<std::size_t>(blockIdx.x), version = static_cast<std::size_t>(blockIdx.y);
  const T* from = context + row * stride;
  T* to = context + ((version + 1) * static_cast<std::size_t>(rows) + row) * stride;
  source += version * columns;
  offset += version * columns;
  for (int j = static_cast<int>(threadIdx.x); j < stride; j += static_cast<int>(blockDim.x))
    to[j] = j >= columns ? T(0) : (source[j] < 0 ? T(0) : from[source[j]]) + offset[j];
}

// What rows have, once for each version of theirs.
template <class V>
std::vector<V> repeated(std::span<const V> of_rows, std::size_t times) {
  std::vector<V> out;
  for (std::size_t i = 0; i < times; ++i) out.insert(out.end(), of_rows.begin(), of_rows.end());
  return out;
}

template <class T>
std::size_t versions_of(const Objective<T>& objective) {
  return objective.data().versions ? static_cast<std::size_t>(objective.data().versions->count()) : 1;
}

template <class T>
int candidates(const Objective<T>& objective, Source source) {
  const DatasetView<T>& data = objective.data();
  switch (source) {
    case Source::classes:
      return static_cast<int>(objective.network().architecture().input.classes);
    case Source::nodes:
      return static_cast<int>(objective.spec().rule.size()) + 1;
    case Source::random:
      return objective.spec().random->count + 1;
    case Source::alternatives: {
      std::int64_t most = 1;
      for (Index i = 0; i < data.rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        most = std::max(most, data.alternatives.begin[row + 1] - data.alternatives.begin[row]);
      }
      return static_cast<int>(most);
    }
    default:
      return 1;
  }
}

}  // namespace

template <class T>
Placed<T>::Placed(const Objective<T>& objective, cudaStream_t stream)
    : rows_(objective.data().rows), versions_(objective.data().versions) {
  const Architecture& a = objective.network().architecture();
  const ParameterLayout& layout = objective.network().layout();
  const Source source = source_of(a, objective.spec(), !objective.data().alternatives.begin.empty());
  const int per_row = candidates(objective, source);
  const Index heads = a.layers[0].blocks * a.layers[0].heads_per_block();
  apart_ = objective.spec().kind == ObjectiveKind::likelihood && !a.basis.response_only &&
           a.basis.kind != BasisKind::listed && heads * a.input.context > tuning().wide_context;
  resident_ = plan_model(a, layout, objective.spec(), source, per_row, {apart_, apart_});
  streamed_ = plan_model(a, layout, objective.spec(), source, per_row, {apart_, false});
  term_begin_.write(resident_.term_begin, stream);
  factors_.write(resident_.factors, stream);
  for (Plan* plan : {&resident_.plan, &streamed_.plan}) {
    plan->term_begin = term_begin_.data();
    plan->factors = factors_.data();
  }
  slots_.write(resident_.slots, stream);
  place_context(objective, stream);
  place_weights(objective, stream);
  if (source == Source::alternatives) place_alternatives(objective, stream);
  if (source == Source::random) place_proposal(objective, stream);
  check(cudaStreamSynchronize(stream), "loading the data");
}

template <class T>
Placed<T>::Placed(const Objective<T>& objective, std::shared_ptr<const Placed> like, cudaStream_t stream)
    : like_(std::move(like)),
      apart_(like_->apart_),
      rows_(like_->rows_),
      versions_(like_->versions_),
      data_(like_->data_) {
  place_weights(objective, stream);
}

template <class T>
void Placed<T>::place_weights(const Objective<T>& objective, cudaStream_t stream) {
  const std::span<const T> weights = objective.data().weights;
  const std::vector<T> of_versions = repeated(weights, versions_of(objective));
  weights_.write(of_versions, stream);
  check(cudaStreamSynchronize(stream), "loading the data");
  data_.weights = weights.empty() ? nullptr : weights_.data();
}

template <class T>
void Placed<T>::place_context(const Objective<T>& objective, cudaStream_t stream) {
  const DatasetView<T>& view = objective.data();
  const auto rows = static_cast<std::size_t>(view.rows);
  const auto columns = static_cast<std::size_t>(view.context.cols), stride = (columns + 3) / 4 * 4;
  std::vector<T> context(rows * stride, T(0));
  for (std::size_t i = 0; i < rows && columns > 0; ++i)
    std::copy_n(view.context.row(static_cast<Index>(i)), columns, context.data() + i * stride);
  context_.reserve(context.size() * versions_of(objective));
  context_.write(context, stream);
  if (view.versions) place_versions(*view.versions, static_cast<int>(rows), static_cast<int>(stride), stream);
  std::vector<T> values(static_cast<std::size_t>(view.values.cols) * rows);
  for (std::size_t i = 0; i < rows && view.values.cols > 0; ++i)
    std::copy_n(view.values.row(static_cast<Index>(i)), view.values.cols,
                values.data() + i * static_cast<std::size_t>(view.values.cols));
  values_.write(values, stream);
  const std::vector<std::int32_t> classes = repeated(view.classes, versions_of(objective));
  classes_.write(classes, stream);
  const QuadratureRule& rule = objective.spec().rule;
  std::vector<T> nodes(rule.nodes.flat().begin(), rule.nodes.flat().end());
  std::vector<T> log_weights(rule.log_weights.begin(), rule.log_weights.end());
  nodes_.write(nodes, stream);
  log_weights_.write(log_weights, stream);
  check(cudaStreamSynchronize(stream), "loading the data");
  data_.context_stride = static_cast<int>(stride);
  data_.context = context_.data();
  data_.values = values_.data();
  data_.classes = classes_.data();
  data_.nodes = nodes_.data();
  data_.log_weights = log_weights_.data();
}

template <class T>
void Placed<T>::place_versions(const RowVersions<T>& versions, int rows, int stride, cudaStream_t stream) {
  Array<std::int32_t> source;
  Array<T> offset;
  source.write(versions.source.flat(), stream);
  offset.write(versions.offset.flat(), stream);
  const dim3 grid(static_cast<unsigned>(rows), static_cast<unsigned>(versions.count() - 1));
  version_kernel<T><<<grid, 128, 0, stream>>>(context_.data(), rows, static_cast<int>(versions.source.cols()),
                                              stride, source.data(), offset.data());
  check(cudaGetLastError(), "shifting rows");
  check(cudaStreamSynchronize(stream), "shifting rows");
}

template <class T>
void Placed<T>::place_proposal(const Objective<T>& objective, cudaStream_t stream) {
  const Proposal& proposal = *objective.spec().random->proposal;
  const DatasetView<T>& view = objective.data();
  const ProposalBoxes boxes = proposal.view();
  const double log_count = std::log(objective.spec().random->count + 1.0);
  const auto weight = [&](double log_density) { return static_cast<T>(-log_density - log_count); };
  std::vector<T> of_boxes, own;
  for (const double log_density : proposal.log_densities()) of_boxes.push_back(weight(log_density));
  std::vector<double> place(static_cast<std::size_t>(boxes.dimension));
  for (Index i = 0; i < view.rows; ++i) {
    std::copy_n(view.values.row(i), boxes.dimension, place.begin());
    own.push_back(weight(proposal.log_density(place)));
  }
  const auto count = static_cast<std::size_t>(boxes.count), numbers = count * place.size();
  boxes_lower_.write(std::span(boxes.lower, numbers), stream);
  boxes_upper_.write(std::span(boxes.upper, numbers), stream);
  boxes_cumulative_.write(std::span(boxes.cumulative, count), stream);
  log_weights_.write(of_boxes, stream);
  own_log_weights_.write(own, stream);
  check(cudaStreamSynchronize(stream), "loading the data");
  data_.boxes = {boxes_lower_.data(), boxes_upper_.data(), boxes_cumulative_.data(), boxes.count,
                 boxes.dimension};
  data_.log_weights = log_weights_.data();
  data_.own_log_weights = own_log_weights_.data();
}

template <class T>
void Placed<T>::place_alternatives(const Objective<T>& objective, cudaStream_t stream) {
  const AlternativesView<T>& all = objective.data().alternatives;
  std::vector<int> begin = {0}, classes, chosen;
  std::vector<T> attributes;
  for (std::size_t i = 0; i + 1 < all.begin.size(); ++i) {
    for (std::int64_t j = all.begin[i]; j < all.begin[i + 1]; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (!all.available.empty() && !all.available[at]) continue;
      if (j - all.begin[i] == all.chosen[i])
        chosen.push_back(static_cast<int>(classes.size()) - begin.back());
      classes.push_back(all.classes.empty() ? -1 : all.classes[at]);
      if (all.attributes.cols > 0)
        attributes.insert(attributes.end(), all.attributes.row(j),
                          all.attributes.row(j) + all.attributes.cols);
    }
    begin.push_back(static_cast<int>(classes.size()));
  }
  set_begin_.write(begin, stream);
  set_classes_.write(classes, stream);
  chosen_.write(chosen, stream);
  attributes_.write(attributes, stream);
  check(cudaStreamSynchronize(stream), "loading the data");
  data_.set_begin = set_begin_.data();
  data_.set_classes = set_classes_.data();
  data_.chosen = chosen_.data();
  data_.attributes = attributes_.data();
}

template <class T>
bool Placed<T>::same_shape(const Placed& other) const {
  if (this == &other) return true;
  const PlannedModel &ours = model(), &theirs = other.model();
  if (&ours == &theirs) return true;
  Plan a = ours.plan, b = theirs.plan;
  a.term_begin = b.term_begin = nullptr;
  a.factors = b.factors = nullptr;
  return a == b && ours.factors == theirs.factors && ours.slots == theirs.slots;
}

template <class T>
std::vector<T> Placed<T>::padded(std::span<const T> parameters) const {
  std::vector<T> out(model().slots.size(), T(0));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    out[static_cast<std::size_t>(model().place[i])] = parameters[i];
  return out;
}

template <class T>
void Placed<T>::unpad(std::span<const T> from, std::span<T> parameters) const {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = from[static_cast<std::size_t>(model().place[i])];
}

template <class T>
bool same_but_weights(const Objective<T>& a, const Objective<T>& b) {
  // Every member by name: a new one does not compile until it is compared here.
  const auto& [rows, context, values, classes, weights, alternatives, held, versions] = a.data();
  const auto& [begin, attributes, set_classes, available, chosen] = alternatives;
  const DatasetView<T>& other = b.data();
  const AlternativesView<T>& sets = other.alternatives;
  if (&a.network() != &b.network() || rows != other.rows || context.data != other.context.data ||
      context.cols != other.context.cols || values.data != other.values.data ||
      values.cols != other.values.cols || classes.data() != other.classes.data() ||
      begin.data() != sets.begin.data() || attributes.data != sets.attributes.data ||
      set_classes.data() != sets.classes.data() || available.data() != sets.available.data() ||
      chosen.data() != sets.chosen.data() || held.data() != other.held.data() || versions != other.versions)
    return false;
  const auto& [kind, temperature, sigma, draws, label_smoothing, gamma_discrete, gamma_continuous, rule,
               exact, random] = a.spec();
  const ObjectiveSpec& spec = b.spec();
  const auto nodes = rule.nodes.flat(), other_nodes = spec.rule.nodes.flat();
  if (random.has_value() != spec.random.has_value() ||
      (random && (random->proposal != spec.random->proposal || random->count != spec.random->count)))
    return false;
  return kind == spec.kind && temperature == spec.temperature && draws == spec.draws &&
         label_smoothing == spec.label_smoothing && gamma_discrete == spec.gamma_discrete &&
         gamma_continuous == spec.gamma_continuous && rule.log_weights == spec.rule.log_weights &&
         std::equal(nodes.begin(), nodes.end(), other_nodes.begin(), other_nodes.end());
}

template class Placed<float>;
template class Placed<double>;
template bool same_but_weights(const Objective<float>&, const Objective<float>&);
template bool same_but_weights(const Objective<double>&, const Objective<double>&);

}  // namespace bl::cuda

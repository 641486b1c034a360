#include "artifact/stored_inference.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr const char* kRobust = "inference/robust";
constexpr const char* kClassical = "inference/classical";
constexpr const char* kCluster = "inference/cluster";

}  // namespace

void add_inference(artifact::TensorFile& file, nlohmann::json& document, const StoredInference& inference) {
  const auto size = static_cast<std::int64_t>(inference.positions.size());
  document["inference"] = {{"positions", inference.positions}, {"facts", inference.facts}};
  file.tensors[kRobust] = artifact::Tensor::of<double>(inference.robust, {size, size});
  if (!inference.classical.empty())
    file.tensors[kClassical] = artifact::Tensor::of<double>(inference.classical, {size, size});
  if (!inference.cluster.empty())
    file.tensors[kCluster] = artifact::Tensor::of<double>(inference.cluster, {size, size});
}

// Positions ascending within the layout, matrices of their size; NaN may stand in them, infinities not.
StoredInference read_inference(const artifact::TensorFile& file, const JsonField& field, Index layout_size) {
  StoredInference inference;
  for (const JsonField& one : field["positions"].elements()) {
    const Index least = inference.positions.empty() ? 0 : inference.positions.back() + 1;
    inference.positions.push_back(one.integer(least, layout_size - 1));
  }
  inference.facts = field["facts"].json();
  if (!inference.facts.is_object()) field["facts"].fail("should be an object");
  const auto size = static_cast<std::int64_t>(inference.positions.size());
  const auto matrix = [&](const std::string& name) {
    std::vector<double> values = file.values<double>(name, {size, size});
    for (const double value : values)
      if (std::isinf(value))
        throw ModelFileError(fmt::format("{}: tensor '{}' holds {}", file.source, name, value));
    return values;
  };
  inference.robust = matrix(kRobust);
  if (file.tensors.contains(kClassical)) inference.classical = matrix(kClassical);
  if (file.tensors.contains(kCluster)) inference.cluster = matrix(kCluster);
  return inference;
}

}  // namespace bl

// Models with known scores, losses and gradients, computed elsewhere in float64. The folder is named by
// BL_REFERENCE_VECTORS; the default is the copy in this repository.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "compute/log_sum_exp.hpp"
#include "engine/cpu/batch.hpp"

namespace bl {
namespace {

using json = nlohmann::json;

std::filesystem::path vectors_folder() {
  const char* named = std::getenv("BL_REFERENCE_VECTORS");
  return named ? named : BL_REFERENCE_VECTORS_DEFAULT;
}

std::vector<std::filesystem::path> vector_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(vectors_folder()))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void append_numbers(const json& value, std::vector<double>& out) {
  if (value.is_array())
    for (const json& item : value) append_numbers(item, out);
  else
    out.push_back(value.get<double>());
}

std::vector<double> numbers(const json& value) {
  std::vector<double> out;
  append_numbers(value, out);
  return out;
}

template <class T>
Matrix<T> matrix(const json& value, Index rows, Index cols) {
  const auto flat = numbers(value);
  EXPECT_EQ(static_cast<Index>(flat.size()), rows * cols);
  Matrix<T> out(rows, cols);
  for (std::size_t i = 0; i < flat.size(); ++i) out.flat()[i] = static_cast<T>(flat[i]);
  return out;
}

Architecture architecture_of(const json& file) {
  const std::string task = file["task"];
  const bool vector_form = task == "discrete_vector" || task == "hybrid_vector";
  Architecture a;
  const Index classes = file["classes"];
  a.input = {.context = file["x_dim"], .values = file["y_dim"], .classes = vector_form ? 0 : classes};
  a.form = vector_form ? Form::vector : Form::scalar;
  a.outputs = vector_form ? classes : 1;
  if (!file["monomials"].is_null()) {
    a.basis.kind = BasisKind::listed;
    for (const json& term : file["monomials"]) a.basis.extra.push_back(term.get<Term>());
  }
  a.activations = {activation_from_name(file["activations"]["U"].get<std::string>()),
                   activation_from_name(file["activations"]["C"].get<std::string>()),
                   activation_from_name(file["activations"]["T"].get<std::string>())};
  const std::map<std::string, Skip> skips = {
      {"none", Skip::none}, {"input", Skip::input}, {"dense", Skip::dense}, {"residual", Skip::residual}};
  a.skip = skips.at(file["skip"]);
  for (const json& layer : file["layers"]) {
    LayerSpec spec{.blocks = layer["blocks"]};
    for (const HeadKind kind : kHeadKinds)
      spec.degrees[static_cast<std::size_t>(kind)].assign(layer["heads"][std::string(letter(kind))], 1);
    a.layers.push_back(spec);
  }
  a.lambda = Sign::free;
  a.readout = {.present = !file["readout"].is_null(), .bias = false, .sign = Sign::free};
  if (a.readout.present) a.readout.bias = !file["readout"]["bias"].is_null();
  // No first-layer bias in the file: the constant was left out of the basis.
  for (const HeadKind kind : kHeadKinds) {
    const std::string key(letter(kind));
    if (a.layers[0].heads(kind) > 0 &&
        (!file["layers"][0][key].contains("bias") || file["layers"][0][key]["bias"].is_null()))
      a.basis.response_only = true;
  }
  return a;
}

// The value of a tensor in the file, by the name the layout gives it.
const json& tensor_value(const json& file, const TensorInfo& tensor) {
  switch (tensor.role) {
    case TensorRole::projection:
      return file["projections"][tensor.layer];
    case TensorRole::readout_weight:
      return file["readout"]["weight"];
    case TensorRole::readout_bias:
      return file["readout"]["bias"];
    default:
      break;
  }
  const std::string field = tensor.role == TensorRole::weight ? "weight"
                            : tensor.role == TensorRole::bias ? "bias"
                                                              : "lambda";
  return file["layers"][tensor.layer][std::string(letter(tensor.kind))][field];
}

// Differences relative to the tensor's largest entry. `floor` is the round-off of what cancels: a gradient
// that is exactly zero is a sum of terms as large as other gradients, and only that accurate.
template <class T>
void expect_close(const std::vector<double>& got, const json& expected_json, double tolerance,
                  const std::string& what, double floor = 0) {
  const std::vector<double> expected = numbers(expected_json);
  ASSERT_EQ(got.size(), expected.size()) << what;
  double largest = floor / tolerance;
  for (const double e : expected) largest = std::max(largest, std::abs(e));
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(std::isfinite(got[i])) << what << "[" << i << "]";
    EXPECT_LE(std::abs(got[i] - expected[i]), tolerance * std::max(std::abs(expected[i]), largest))
        << what << "[" << i << "] = " << got[i] << ", expected " << expected[i];
  }
}

template <class T>
struct Loaded {
  json file;
  Network<T> network;
  Index rows;
  Matrix<T> x, y;
  Matrix<double> noise;
  std::vector<std::int32_t> classes;
  std::vector<T> parameters;
  ObjectiveSpec spec;

  explicit Loaded(const std::filesystem::path& path)
      : file(json::parse(std::ifstream(path))), network(architecture_of(file)) {
    const Architecture& a = network.architecture();
    rows = static_cast<Index>(file["x"].size());
    x = matrix<T>(file["x"], rows, a.input.context);
    const std::string task = file["task"];
    if (a.input.values > 0) {
      y = matrix<T>(file["y"], rows, a.input.values);
      noise = matrix<double>(file["noise"], rows, a.input.values);  // sigma e
      for (double& e : noise.flat()) e /= file["sigma"].get<double>();
    } else {
      y.resize(rows, 0);
    }
    if (file["classes"].get<int>() > 0)
      classes = (a.input.values > 0 ? file["y_class"] : file["y"]).get<std::vector<std::int32_t>>();
    spec.kind = a.input.values == 0 ? ObjectiveKind::likelihood
                : classes.empty()   ? ObjectiveKind::score_matching
                                    : ObjectiveKind::hybrid;
    spec.temperature = file["temperature"];
    spec.sigma = file["sigma"];
    spec.gamma_discrete = file["gamma_d"];
    spec.gamma_continuous = file["gamma_c"];
    parameters.assign(static_cast<std::size_t>(network.layout().size()), T(0));
    for (const TensorInfo& tensor : network.layout().tensors()) {
      const auto values = numbers(tensor_value(file, tensor));
      EXPECT_EQ(static_cast<Index>(values.size()), tensor.size()) << tensor.name;
      for (std::size_t i = 0; i < values.size(); ++i)
        parameters[static_cast<std::size_t>(tensor.offset) + i] = static_cast<T>(values[i]);
    }
  }

  DatasetView<T> data() const {
    return {.rows = rows,
            .context = x.view(),
            .values = y.view(),
            .classes = classes,
            .weights = {},
            .alternatives = {}};
  }
  Noise given_noise() const {
    return {.stream = RandomStream(0, Purpose::test), .sigma = spec.sigma, .given = noise.view()};
  }
};

// Scores at given values: every class of every row where the response has classes and `all_classes`, else the
// row's own.
template <class T>
void check_scores(const Loaded<T>& v, double tolerance) {
  const Architecture& a = v.network.architecture();
  const json& expected = v.file["expected"];
  const bool enumerate = expected.contains("score") && a.input.classes > 0;
  const Index per_row = enumerate ? a.input.classes : 1;
  std::vector<std::int32_t> begin, classes;
  for (Index i = 0; i <= v.rows; ++i) begin.push_back(static_cast<std::int32_t>(i * per_row));
  Matrix<T> values(v.rows * per_row, a.input.values);
  for (Index p = 0; p < v.rows * per_row; ++p) {
    if (a.input.classes > 0) classes.push_back(static_cast<std::int32_t>(p % per_row));
    for (Index j = 0; j < a.input.values; ++j) {
      values(p, j) = v.y(p / per_row, j);
      if (!enumerate) values(p, j) += static_cast<T>(v.spec.sigma * v.noise(p / per_row, j));
    }
  }
  const Points<T> points{v.x.view(), begin, values.view(), classes};
  PreparedParameters<T> prepared;
  v.network.prepare(v.parameters, prepared);
  NetworkWorkspace<T> ws;
  v.network.forward(prepared, points, ws);
  const auto flat = ws.scores.flat();
  const std::vector<double> scores(flat.begin(), flat.end());
  expect_close<T>(scores, expected.contains("score") ? expected["score"] : expected["score_at_noisy_y"],
                  tolerance, "score");
  if (expected.contains("log_prob")) {
    const std::size_t m = numbers(expected["log_prob"]).size() / static_cast<std::size_t>(v.rows);
    std::vector<double> log_prob;
    for (std::size_t i = 0; i < static_cast<std::size_t>(v.rows); ++i) {
      std::vector<T> logits(flat.begin() + static_cast<Index>(i * m),
                            flat.begin() + static_cast<Index>((i + 1) * m));
      for (T& l : logits) l /= static_cast<T>(v.spec.temperature);
      const T normaliser = log_sum_exp<T>(logits);
      for (const T l : logits) log_prob.push_back(static_cast<double>(l - normaliser));
    }
    expect_close<T>(log_prob, expected["log_prob"], tolerance, "log_prob");
  }
}

// The gradient by the response at the noisy values, each row with its own class.
template <class T>
void check_response_gradient(const Loaded<T>& v, double tolerance) {
  if (!v.file["expected"].contains("dscore_dy")) return;
  const Architecture& a = v.network.architecture();
  std::vector<std::int32_t> begin;
  for (Index i = 0; i <= v.rows; ++i) begin.push_back(static_cast<std::int32_t>(i));
  Matrix<T> values(v.rows, a.input.values), seed(v.rows, a.outputs), gradient(v.rows, a.input.values);
  std::fill(seed.flat().begin(), seed.flat().end(), T(0));
  for (Index i = 0; i < v.rows; ++i) {
    for (Index j = 0; j < a.input.values; ++j)
      values(i, j) = v.y(i, j) + static_cast<T>(v.spec.sigma * v.noise(i, j));
    seed(i, a.form == Form::vector ? v.classes[static_cast<std::size_t>(i)] : 0) = T(1);
  }
  const Points<T> points{
      v.x.view(), begin, values.view(),
      a.input.classes > 0 ? std::span<const std::int32_t>(v.classes) : std::span<const std::int32_t>{}};
  PreparedParameters<T> prepared;
  v.network.prepare(v.parameters, prepared);
  NetworkWorkspace<T> ws;
  v.network.forward(prepared, points, ws);
  v.network.value_gradient(prepared, points, seed.view(), ws, gradient.view());
  const auto flat = gradient.flat();
  expect_close<T>({flat.begin(), flat.end()}, v.file["expected"]["dscore_dy"], tolerance, "dscore_dy");
}

template <class T>
void check_loss_and_gradients(const Loaded<T>& v, double tolerance) {
  const json& expected = v.file["expected"];
  const Objective<T> objective(v.network, v.spec, v.data());
  const Context job(1);
  BatchEvaluator<T> evaluator(objective, job);
  std::vector<std::int64_t> rows;
  for (Index i = 0; i < v.rows; ++i) rows.push_back(i);
  std::vector<T> gradient(v.parameters.size());
  const LossSum loss =
      evaluator.evaluate(v.parameters, rows, v.given_noise(), 1.0 / static_cast<double>(v.rows), gradient);
  expect_close<T>({loss.mean()}, json::array({expected["loss"]}), tolerance, "loss");
  if (expected.contains("cross_entropy"))
    expect_close<T>({loss.discrete / loss.weight}, json::array({expected["cross_entropy"]}), tolerance,
                    "cross_entropy");
  if (expected.contains("dsm"))
    expect_close<T>({loss.continuous / loss.weight}, json::array({expected["dsm"]}), tolerance, "dsm");
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  const double floor = 64 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
  std::size_t compared = 0;
  for (const auto& [name, value] : expected["gradient"].items()) {
    ASSERT_TRUE(v.network.layout().contains(name))
        << "the file has a gradient for " << name << ", the model has no such tensor";
    const TensorInfo& tensor = v.network.layout().tensor(name);
    const auto begin = gradient.begin() + tensor.offset;
    expect_close<T>({begin, begin + tensor.size()}, value, tolerance, "gradient of " + name, floor);
    ++compared;
  }
  EXPECT_EQ(compared, v.network.layout().tensors().size()) << "every tensor's gradient is compared";
}

class ReferenceVectors : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ReferenceVectors, Float64) {
  const Loaded<double> v(GetParam());
  check_scores(v, 1e-10);
  check_response_gradient(v, 1e-10);
  check_loss_and_gradients(v, 1e-10);
}

// Sums of a few dozen products, each accurate to 2^-24, through up to three layers and a tangent.
TEST_P(ReferenceVectors, Float32) {
  const Loaded<float> v(GetParam());
  const double tolerance = 256 * std::numeric_limits<float>::epsilon();
  check_scores(v, tolerance);
  check_response_gradient(v, tolerance);
  check_loss_and_gradients(v, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Folder, ReferenceVectors, testing::ValuesIn(vector_files()),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(ReferenceVectors, TheFolderIsNotEmpty) {
  EXPECT_FALSE(vector_files().empty()) << vectors_folder();
}

}  // namespace
}  // namespace bl

// Small models over a table with every kind of column, with random parameters: what the explanations are held
// against.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "base/random.hpp"
#include "explain/read_problem.hpp"
#include "fitted/fitted_model.hpp"
#include "support/random_problem.hpp"

namespace bl::test {

inline const std::vector<std::string> kSizes = {"small", "medium", "large"};
inline const std::vector<std::string> kLabels = {"no", "perhaps", "yes"};

// age and share (numbers), color (nominal), size (ordinal), y and w (continuous responses), label (classes).
// Cells of age, color and size are missing here and there.
inline Table example_table(Index rows) {
  const RandomStream random(5, Purpose::test);
  const std::vector<std::string> colors = {"green", "red", "blue_ish"};
  Table table;
  table.source = "example.csv";
  table.rows = rows;
  const auto numbers = [](const std::string& name) { return Column{name, RawType::numeric, {}, {}, {}}; };
  const auto texts = [](const std::string& name, const std::vector<std::string>& levels) {
    return Column{name, RawType::text, {}, {}, levels};
  };
  Column age = numbers("age"), share = numbers("share"), y = numbers("y"), w = numbers("w_2");
  Column color = texts("color", colors), size = texts("size", {"large", "small", "medium"}),
         label = texts("label", kLabels);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(rows); ++i) {
    const auto missing = [&](std::uint64_t column) { return random.uniform(column, i) < 0.15; };
    age.numbers.push_back(missing(1) ? std::numeric_limits<double>::quiet_NaN()
                                     : 40 + 12 * random.normal(2, i));
    share.numbers.push_back(0.3 + 0.1 * random.normal(3, i));
    color.codes.push_back(missing(4) ? kMissingCode : static_cast<std::int32_t>(random.below(3, 5, i)));
    size.codes.push_back(missing(6) ? kMissingCode : static_cast<std::int32_t>(random.below(3, 7, i)));
    y.numbers.push_back(22 + 9 * random.normal(8, i));
    w.numbers.push_back(-1 + 0.5 * random.normal(9, i));
    label.codes.push_back(static_cast<std::int32_t>(random.below(3, 10, i)));
    table.lines.append(static_cast<std::int64_t>(i) + 2);
  }
  table.columns = {age, share, color, size, y, w, label};
  return table;
}

inline Encoder example_encoder(const Table& table, const std::vector<std::string>& targets) {
  RoleOptions roles;
  roles.targets = targets;
  for (const char* response : {"y", "w_2", "label"})
    if (std::find(targets.begin(), targets.end(), response) == targets.end())
      roles.ignore.push_back(response);
  roles.columns["size"].type = ColumnType::ordinal;
  roles.columns["size"].levels = kSizes;
  const EncodeOptions options{.missing = MissingPolicy::impute};
  return Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1));
}

inline bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

inline explain::ClassNames example_classes(const std::vector<std::string>& targets) {
  return has(targets, "label") ? explain::ClassNames{"label", kLabels} : explain::ClassNames{};
}

// The shape of z for these targets.
inline InputShape example_shape(const Encoder& encoder, const std::vector<std::string>& targets,
                                bool vector_form) {
  return {.context = static_cast<Index>(encoder.columns().size()),
          .values = static_cast<Index>(has(targets, "y")) + static_cast<Index>(has(targets, "w_2")),
          .classes = has(targets, "label") && !vector_form ? 3 : 0};
}

inline StoredModel example_model(const Architecture& architecture, const Encoder& encoder,
                                 std::uint64_t seed) {
  StoredModel model{.architecture = architecture, .encoder = encoder, .parameters = {}, .response = {}};
  model.parameters = random_parameters(ParameterLayout(architecture), seed);
  return model;
}

// A model of y (continuous) with two blocks and one above them, for renderers.
inline StoredModel small_model() {
  const Table table = example_table(40);
  const Encoder encoder = example_encoder(table, {"y"});
  return example_model(stacked(example_shape(encoder, {"y"}, false), {2, 1}), encoder, 3);
}

// As the public functions take them.
inline Data data_of(Table table) {
  return Data(std::make_shared<Data::Impl>(Data::Impl{std::move(table)}));
}
}  // namespace bl::test

// What a column is worth, against models without it that are asked anew.
#include "economics/importance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"

namespace bl {
namespace {

Data rows() {
  std::vector<double> x, w, z;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < 90; ++i) {
    x.push_back(std::sin(1.3 * i));
    w.push_back(i % 3);
    z.push_back(x.back() + 0.3 * std::cos(4.1 * i));
    y.emplace_back(std::sin(1.3 * i) + std::cos(2.9 * i) > 0 ? "a" : "b");
  }
  return Data::from_columns({{"x", x, {}}, {"w", w, {}}, {"z", z, {}}, {"y", {}, y}}, "rows");
}

Model table_model(const char* target) {
  Settings settings;
  settings.target = target;
  settings.layers = "2";
  settings.epochs = 5;
  return fit(rows(), settings).model;
}

Model choice_model() {
  ChoiceDeclaration d;
  d.choice = "y";
  d.form = "network";
  d.context = {"w"};
  d.alternatives = {{.name = "a", .attributes = {{"x", "x"}}}, {.name = "b", .attributes = {{"x", "z"}}}};
  Settings settings;
  settings.layers = "2";
  settings.epochs = 5;
  return fit(rows(), d, settings).model;
}

// The metric of evaluate() that is a mean log-likelihood.
double log_likelihood(const Model& model, Part part) {
  for (const Metric& metric : model.evaluate(rows(), part)) {
    if (metric.name == "cross_entropy" || metric.name == "log_loss") return -metric.value;
    if (metric.name == "log_likelihood" && !model.is_choice()) return metric.value;
  }
  return std::nan("");
}

TEST(Importance, IsTheLossOfAModelThatIsAskedAnew) {
  for (const Model& model : {table_model("y"), table_model("z"), choice_model()})
    for (const bool by_head : {false, true})
      for (const Part part : {Part::all, Part::train}) {
        const OutputTable found = importance(model, rows(), {.by_head = by_head, .part = part, .threads = 1});
        const std::vector<Removal> all = removals(model.impl(), by_head);
        ASSERT_EQ(found.rows, all.size());
        double largest = 0;
        for (const Removal& one : all) {
          const Model reduced = model_of(without(model.impl(), one).stored);
          const double lost = log_likelihood(model, part) - log_likelihood(reduced, part);
          bool there = false;
          for (std::size_t i = 0; i < found.rows; ++i)
            there |= found.columns[0].texts[i] == one.column &&
                     (!by_head || found.columns[1].texts[i] == one.head.name) &&
                     found.columns.back().numbers[i] == lost;
          EXPECT_TRUE(there) << one.column << " " << one.head.name << " " << lost;
          largest = std::max(largest, std::abs(lost));
        }
        EXPECT_GT(largest, 1e-6) << "nothing would be tested";
      }
}

TEST(Importance, OfChoicesBeyondTheLogitIsRefused) {
  ChoiceDeclaration d;
  d.choice = "y";
  d.alternatives = {{.name = "a", .attributes = {{"x", "x"}}}, {.name = "b", .attributes = {{"x", "z"}}}};
  d.random = {{"x", "normal"}};
  d.draws = {{"count", "20"}};
  EXPECT_THROW(importance(fit(rows(), d, {}).model, rows(), {}), UsageError);
}

}  // namespace
}  // namespace bl

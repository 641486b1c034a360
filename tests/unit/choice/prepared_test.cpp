// Situations that are prepared once answer as those that are read anew, and as finite differences do.
#include "choice/prepared.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bl/fit.hpp"
#include "choice/reading.hpp"

namespace bl {
namespace {

// Two alternatives with an attribute each, a term of it, a person's column and a repeated person.
Data trips(double shift = 0) {
  std::vector<double> x, w, who;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < 80; ++i) {
    x.push_back(2 + std::sin(1.3 * i) + shift);
    w.push_back(i % 3);
    who.push_back(i / 4);
    y.emplace_back(std::sin(1.3 * i) + std::cos(2.9 * i) > 0 ? "a" : "b");
  }
  return Data::from_columns({{"x", x, {}}, {"w", w, {}}, {"who", who, {}}, {"y", {}, y}}, "trips");
}

ChoiceDeclaration declaration() {
  ChoiceDeclaration d;
  d.choice = "y";
  d.person = "who";
  d.alternatives = {{.name = "a", .attributes = {{"x", "x"}}}, {.name = "b"}};
  return d;
}

Model linear() {
  ChoiceDeclaration d = declaration();
  d.terms = {{"square", "x * x"}};
  d.generic = {"square", "x"};
  return fit(trips(), d, {}).model;
}

Model network() {
  ChoiceDeclaration d = declaration();
  d.form = "network";
  d.context = {"w"};
  d.terms = {{"square", "x * x"}};
  Settings settings;
  settings.layers = "2";
  settings.epochs = 20;
  return fit(trips(), d, settings).model;
}

Model mixed() {
  ChoiceDeclaration d = declaration();
  d.random = {{"x", "normal"}};
  d.draws = {{"count", "50"}};
  return fit(trips(), d, {}).model;
}

ChoiceData read(const Model& model, const Data& data) {
  return read_part(model.impl(), data.impl().table, Part::all, true);
}

// At other parameters than those that the situations were first asked about.
TEST(PreparedChoices, AnswerForEveryModelAsSituationsReadAnew) {
  const Context job(1);
  for (const Model& model : {linear(), network(), mixed()}) {
    const ChoiceData data = read(model, trips());
    PreparedChoices choices(data);
    static_cast<void>(choices.scores(model.impl(), job));
    StoredModel moved = model.impl().stored;
    if (moved.choice()->schema.beyond_logit())
      std::get<ChoiceResponse>(moved.response).beyond[0] += 0.25;
    else
      for (double& one : moved.parameters) one += 0.25;
    const FittedModel other(std::move(moved));
    const ChoiceScores expected = score_choices(other, data, job), found = choices.scores(other, job);
    EXPECT_EQ(found.probability, expected.probability);
    EXPECT_EQ(found.log_sum, expected.log_sum);
    EXPECT_EQ(choices.log_likelihood(other, job), expected.log_likelihood);
    EXPECT_NE(expected.probability, score_choices(model.impl(), data, job).probability);
  }
}

// Through the term as well: x moves by a step in the file, and the utility follows. Central differences are
// good to the square of the step.
TEST(PreparedChoices, MarginalUtilitiesAreThoseOfTheFile) {
  constexpr double kStep = 1e-5;
  const Context job(1);
  for (const Model& model : {linear(), network()}) {
    const ChoiceData data = read(model, trips()), up = read(model, trips(kStep)),
                     down = read(model, trips(-kStep));
    PreparedChoices choices(data);
    const FittedModel& m = model.impl();
    static_cast<void>(choices.marginal_utilities(m, job));
    const Matrix<double> slopes = choices.marginal_utilities(m, job);
    const ChoiceScores high = score_choices(m, up, job), low = score_choices(m, down, job);
    double largest = 0;
    for (std::size_t j = 0; j < data.classes.size(); ++j) {
      if (data.classes[j] != 0) continue;
      const double expected = (high.utility[j] - low.utility[j]) / (2 * kStep);
      EXPECT_NEAR(slopes(static_cast<Index>(j), 0), expected, 1e-6 * std::max(1.0, std::abs(expected)));
      largest = std::max(largest, std::abs(expected));
    }
    EXPECT_GT(largest, 1e-3) << "nothing would be tested";
  }
}

// Shares moved by hand: x times 1 + h in the file.
TEST(PreparedChoices, ResponsesBeyondTheLogitAreThoseOfTheFile) {
  const Context job(1);
  const Model model = mixed();
  const ChoiceData data = read(model, trips());
  PreparedChoices choices(data);
  static_cast<void>(choices.responses(model.impl(), 0, Per::percent, job));
  const ChoiceResponses found = choices.responses(model.impl(), 0, Per::percent, job);
  constexpr double kStep = 1e-5;
  const auto moved = [&](double factor) {
    ChoiceData changed = data;
    for (Index j = 0; j < changed.attributes.rows(); ++j) changed.attributes(j, 0) *= factor;
    return score_choices(model.impl(), changed, job).probability;
  };
  const std::vector<double> high = moved(1 + kStep), low = moved(1 - kStep);
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const auto a =
        static_cast<std::size_t>(data.begin[i]);  // the alternative with the attribute stands first
    EXPECT_NEAR(found.responses[static_cast<std::size_t>(found.begins[i])], (high[a] - low[a]) / (2 * kStep),
                1e-7);
  }
}

}  // namespace
}  // namespace bl

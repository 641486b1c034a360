// Small files of choices, and the models' numbers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bl/choice.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"

namespace bl::test {

class ChoiceFixture : public ::testing::Test {
 protected:
  ChoiceFixture()
      : folder_(std::filesystem::temp_directory_path() / ("choice_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ChoiceFixture() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  Data data(const std::string& csv) const { return Data::read(file("data.csv", csv), Settings{}); }

 private:
  std::filesystem::path folder_;
};

inline FitSummary fit_choice(const Data& data, const std::string& schema_path, const Settings& settings) {
  return fit(data, ChoiceDeclaration::read(schema_path), settings);
}

inline std::string explain_choice(const Model& model, ExplainFormat format, ExplainOptions options = {},
                                  const std::string& alternative = "") {
  options.alternative = alternative;
  return explain_model(model, format, options);
}

inline double metric(const std::vector<Metric>& metrics, const std::string& name) {
  for (const Metric& one : metrics)
    if (one.name == name) return one.value;
  ADD_FAILURE() << "no metric " << name;
  return 0;
}

inline double logit(double p) {
  return std::log(p / (1 - p));
}

// Where a's attribute x is 0, 30 of 80 choose a; where it is 1, 45 of 60 do. b's is 0. So V_a - V_b takes two
// values that two coefficients fit exactly: logit(3/8) and logit(3/4).
inline constexpr double kN0 = 80, kP0 = 30.0 / 80, kN1 = 60, kP1 = 45.0 / 60;

inline std::string two_by_two() {
  std::string csv = "y,x,id\n";
  const auto add = [&](const char* y, int x, int count) {
    for (int i = 0; i < count; ++i)
      csv += std::string(y) + "," + std::to_string(x) + "," + std::to_string(i % 20) + "\n";
  };
  add("a", 0, 30);
  add("b", 0, 50);
  add("a", 1, 45);
  add("b", 1, 15);
  return csv;
}

inline std::string two_by_two_schema(const std::string& utility) {
  return "[data]\nchoice = \"y\"\n[[alternatives]]\nname = \"a\"\nattributes = { one = \"1\", x = \"x\" }\n"
         "[[alternatives]]\nname = \"b\"\n[utility]\n" +
         utility;
}

// A schema up to its utility: choices of persons among a, b and c with two attributes each, in columns xa,
// ya, ...
inline std::string three_products(char x, char y) {
  std::string out = "[data]\nchoice = \"choice\"\nperson = \"id\"\n";
  for (const char name : {'a', 'b', 'c'})
    out += std::string("[[alternatives]]\nname = \"") + name + "\"\nattributes = { " + x + " = \"" + x +
           name + "\", " + y + " = \"" + y + name + "\" }\n";
  return out + "[utility]\n";
}

// Those with kind 1 like x, the others dislike it: no linear utility of x can tell, a network with context
// can.
inline std::string taste_data() {
  std::string csv = "y,xa,xb,kind,id\n";
  for (int i = 0; i < 400; ++i) {
    const int kind = i % 2, xa = (i / 2) % 5, xb = (i / 10) % 5;
    const bool a = xa == xb ? (i / 50) % 2 == 0 : (xa > xb) == (kind == 1);
    csv += std::string(a ? "a" : "b") + "," + std::to_string(xa) + "," + std::to_string(xb) + "," +
           std::to_string(kind) + "," + std::to_string(i / 4) + "\n";
  }
  return csv;
}

}  // namespace bl::test

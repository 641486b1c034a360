// Small tables with a planted relation, made by arithmetic alone so that every machine makes the same ones.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace bl::test {

// A fixed sequence of numbers in [0, 1) (splitmix64).
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  // Nearly normal, mean 0 and standard deviation 1: the sum of twelve uniform numbers, less 6.
  double noise() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

// id, income (a tenth missing), age, color, choice: two classes.
inline std::string class_table(int rows) {
  Sequence s(1);
  std::string text = "id,income,age,color,choice\n";
  for (int i = 0; i < rows; ++i) {
    const double income = s.noise(), age = 20 + 50 * s.uniform();
    const int color = static_cast<int>(3 * s.uniform());
    const double utility = 1.5 * income + 0.04 * (age - 45) + (color == 0 ? 1.0 : -0.5);
    const bool buys = s.uniform() < 1 / (1 + std::exp(-utility));
    text += fmt::format("r{},{},{:.1f},{},{}\n", i, i % 10 == 7 ? "" : fmt::format("{:.3f}", income), age,
                        color == 0   ? "red"
                        : color == 1 ? "green"
                                     : "blue",
                        buys ? "buy" : "wait");
  }
  return text;
}

// a, b, three numbers that follow a and b, and a class that follows a.
inline std::string number_table(int rows) {
  Sequence s(2);
  std::string text = "a,b,y,z,w,c\n";
  for (int i = 0; i < rows; ++i) {
    const double a = s.noise(), b = s.noise();
    text += fmt::format("{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{}\n", a, b, 10 + 2 * a - b + 0.5 * s.noise(),
                        -a + 0.5 * s.noise(), b + 0.5 * s.noise(), a + 0.5 * s.noise() > 0 ? "up" : "down");
  }
  return text;
}

}  // namespace bl::test

// Products on tensor cores: operands rounded to 11 bits (TF32) or 8 (bf16), sums in float32.
#include "bl/errors.hpp"
#include "gpu/gpu_fixture.hpp"

namespace bl::test {
namespace {

using Products = Device::Products;

double norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// A gradient of three products, one after the other, each of operands that are off by up to one rounding.
TEST_F(Gpu, GradientsAreOffByTheRoundingOfTheirProducts) {
  cuda::tuning().streamed = true;
  const Fixture<float> f(Task::vector, 512, 512, {64, 32});
  const Noise noise{RandomStream(1, Purpose::score_noise), 1, {}};
  const std::vector<double> at(f.state.parameters.begin(), f.state.parameters.end());
  const auto gradient = [&](Products products) {
    return evaluate<float>(*make_engine<float>(gpu_context(products)), f.objective, at, noise).gradient;
  };
  const std::vector<double> plain = gradient(Products::float32);
  const auto off = [&](Products products) {
    std::vector<double> difference = gradient(products);
    for (std::size_t i = 0; i < plain.size(); ++i) difference[i] -= plain[i];
    return norm(difference) / norm(plain);
  };
  const double tf32 = off(Products::tf32), bf16 = off(Products::bf16);
  EXPECT_LT(tf32, 4 * 0x1p-11);
  EXPECT_GT(tf32, 0x1p-20) << "as exact as float32: no tensor core was used";
  EXPECT_LT(bf16, 4 * 0x1p-8);
  EXPECT_GT(bf16, 2 * tf32) << "as exact as TF32: operands were not rounded to bf16";
}

TEST_F(Gpu, FitsInBf16EndBesideThoseInFloat32AndTheSameRunAfterRun) {
  cuda::tuning().streamed = true;
  const Fixture<float> f(Task::vector, 512, 64, {64, 32});
  const UpdateSpec spec = update_of(OptimizerKind::adam, false, 0);
  StepsReport plain, rough, again;
  f.after_steps(*make_engine<float>(gpu_context()), spec, &plain);
  const auto once = f.after_steps(*make_engine<float>(gpu_context(Products::bf16)), spec, &rough);
  const auto twice = f.after_steps(*make_engine<float>(gpu_context(Products::bf16)), spec, &again);
  EXPECT_EQ(rough.taken, 8U);
  EXPECT_NEAR(rough.loss.loss, plain.loss.loss, 0x1p-8 * std::abs(plain.loss.loss));
  EXPECT_NE(rough.loss.loss, plain.loss.loss);
  EXPECT_EQ(once.parameters, twice.parameters);
}

TEST_F(Gpu, Bf16IsRefusedWhereStepsHaveNoWideProducts) {
  const Fixture<float> f(Task::vector, 64, 16, {4, 3});
  const auto engine = make_engine<float>(gpu_context(Products::bf16));
  EXPECT_THROW(f.after_steps(*engine, update_of(OptimizerKind::adam, false, 0)), UsageError);
}

}  // namespace
}  // namespace bl::test

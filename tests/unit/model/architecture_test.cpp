#include "model/architecture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "bl/errors.hpp"
#include "model/parameters.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

// Specification page 1: nine counts worked out from the paper's table.
TEST(Architecture, ParameterCountsOfTheSpecification) {
  struct Case {
    Index inputs, classes;
    std::vector<Index> widths;
    Index parameters;
  };
  const std::vector<Case> cases = {
      {784, 10, {88}, 208384}, {784, 10, {88, 42}, 219264},  {784, 10, {88, 42, 20}, 221684},
      {128, 4, {380}, 149720}, {128, 4, {512, 128}, 397568}, {128, 4, {256, 128, 64}, 224128},
      {128, 2, {380}, 148960}, {128, 2, {512, 128}, 397312}, {128, 2, {256, 128, 64}, 224000},
  };
  for (const Case& c : cases) {
    const Architecture a =
        stacked_vector({.context = c.inputs, .values = 0, .classes = 0}, c.widths, c.classes);
    validate(a);
    const ParameterLayout layout(a);
    EXPECT_EQ(layout.free_count(), c.parameters);
    EXPECT_EQ(layout.size(), c.parameters);
  }
}

TEST(Architecture, LayerInputsFollowTheSkip) {
  Architecture a = stacked({.context = 4, .values = 1, .classes = 2}, {3, 5, 2});
  const auto sizes = [&](Skip skip) {
    a.skip = skip;
    return std::array{layer_input_size(a, 0), layer_input_size(a, 1), layer_input_size(a, 2)};
  };
  EXPECT_EQ(sizes(Skip::none), (std::array<Index, 3>{7, 3, 5}));
  EXPECT_EQ(sizes(Skip::input), (std::array<Index, 3>{7, 10, 12}));
  EXPECT_EQ(sizes(Skip::dense), (std::array<Index, 3>{7, 10, 15}));
  EXPECT_EQ(sizes(Skip::residual), (std::array<Index, 3>{7, 3, 5}));
}

TEST(Architecture, TheIdentifiableVariant) {
  const Architecture a = identifiable(stacked({.context = 2, .values = 0, .classes = 3}, {2}));
  EXPECT_EQ(a.activations, (std::array{Activation::tanh, Activation::softplus, Activation::square}));
  EXPECT_FALSE(a.readout.bias);
  EXPECT_TRUE(a.basis.response_only);
  EXPECT_FALSE(ParameterLayout(a).contains("layers/0/U/bias"))
      << "the constant has no factor of the response";
  validate(a);
}

TEST(Architecture, AScalarReadoutIsNonNegativeByDefaultAVectorOneFree) {
  const InputShape input{.context = 2, .values = 1, .classes = 0};
  EXPECT_EQ(stacked(input, {2}).readout.sign, Sign::non_negative);
  EXPECT_EQ(stacked_vector({.context = 2, .values = 0, .classes = 0}, {2}, 3).readout.sign, Sign::free);
  EXPECT_FALSE(single_block(input, {2}, {2}, {2}).readout.present);
}

TEST(Architecture, WhatCannotBeIsRefusedWithItsReason) {
  const Architecture good = stacked({.context = 2, .values = 0, .classes = 3}, {2, 2});
  const auto refusal = [](Architecture a, const std::function<void(Architecture&)>& spoil) -> std::string {
    spoil(a);
    try {
      validate(a);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(good, [](Architecture&) {}), "accepted");
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.layers.clear(); }), HasSubstr("at least one layer"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.layers[1].blocks = 0; }),
              HasSubstr("layer 2 has no blocks"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.layers[0].degrees = {}; }),
              HasSubstr("blocks of layer 1 have no heads"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.layers[0].degrees[1] = {0}; }), HasSubstr("degree 0"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.activations[0] = Activation::relu; }),
              HasSubstr("U heads cannot use the activation 'relu'; choose one of: tanh, identity, clip"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.activations[1] = Activation::abs; }),
              HasSubstr("relu, softplus"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.activations[2] = Activation::tanh; }),
              HasSubstr("abs, square, huber"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.readout.present = false; }), HasSubstr("single block"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.outputs = 2; }), HasSubstr("one output"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.input.classes = 0; }), HasSubstr("needs a response"));
  EXPECT_THAT(refusal(good, [](Architecture& a) { a.input.context = -1; }), HasSubstr("negative"));
  const Architecture vector = stacked_vector({.context = 2, .values = 0, .classes = 0}, {2}, 3);
  EXPECT_EQ(refusal(vector, [](Architecture&) {}), "accepted");
  EXPECT_THAT(refusal(vector, [](Architecture& a) { a.outputs = 1; }), HasSubstr("two classes"));
  EXPECT_THAT(refusal(vector, [](Architecture& a) { a.input.classes = 3; }), HasSubstr("no one-hot class"));
  EXPECT_THAT(refusal(vector, [](Architecture& a) { a.basis.response_only = true; }),
              HasSubstr("scalar form"));
  EXPECT_THAT(refusal(vector, [](Architecture& a) { a.readout.present = false; }), HasSubstr("readout"));
  EXPECT_THAT(refusal(vector, [](Architecture& a) { a.input.context = 0; }), HasSubstr("empty"));
}

}  // namespace
}  // namespace bl

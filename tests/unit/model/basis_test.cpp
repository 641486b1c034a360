#include "model/basis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "bl/errors.hpp"
#include "model/architecture.hpp"

namespace bl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr BasisSpec kMonomials{.kind = BasisKind::monomials, .extra = {}, .response_only = false};

// C(n, k) by Pascal's triangle.
Index binomial(Index n, Index k) {
  std::vector<Index> row(static_cast<std::size_t>(k) + 1, 0);
  row[0] = 1;
  for (Index i = 0; i < n; ++i)
    for (std::size_t j = row.size() - 1; j > 0; --j) row[j] += row[j - 1];
  return row.back();
}

TEST(Basis, MonomialsAreCountedInClosedForm) {
  for (Index n = 1; n <= 9; ++n) {
    for (int degree = 1; degree <= 5; ++degree) {
      const InputShape shape{.context = n - 1, .values = 1, .classes = 0};
      EXPECT_EQ(basis_size(kMonomials, shape, degree), binomial(n + degree, degree) - 1);
      EXPECT_EQ(basis_terms(kMonomials, shape, degree).size(),
                static_cast<std::size_t>(basis_size(kMonomials, shape, degree)));
    }
  }
}

TEST(Basis, GradedLexicographicOrder) {
  const InputShape shape{.context = 2, .values = 1, .classes = 0};
  EXPECT_THAT(basis_terms(kMonomials, shape, 2),
              ElementsAre(Term{0}, Term{1}, Term{2}, Term{0, 0}, Term{0, 1}, Term{0, 2}, Term{1, 1},
                          Term{1, 2}, Term{2, 2}));
  const auto terms = basis_terms(kMonomials, shape, 4);
  const auto graded = [](const Term& a, const Term& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  EXPECT_TRUE(std::is_sorted(terms.begin(), terms.end(), graded));
  EXPECT_EQ(std::adjacent_find(terms.begin(), terms.end()), terms.end()) << "a term twice";
}

TEST(Basis, ResponseOnlyDropsWhatHasNoFactorOfTheResponse) {
  const InputShape shape{.context = 2, .values = 1, .classes = 2};
  const BasisSpec affine{.kind = BasisKind::affine, .extra = {}, .response_only = true};
  EXPECT_EQ(basis_size(affine, shape, 1), 3);
  EXPECT_THAT(basis_terms(affine, shape, 1), ElementsAre(Term{2}, Term{3}, Term{4}));
  BasisSpec monomials = kMonomials;
  monomials.response_only = true;
  for (int degree = 1; degree <= 4; ++degree) {
    EXPECT_EQ(basis_size(monomials, shape, degree),
              binomial(5 + degree, degree) - binomial(2 + degree, degree));
    const auto terms = basis_terms(monomials, shape, degree);
    EXPECT_EQ(terms.size(), static_cast<std::size_t>(basis_size(monomials, shape, degree)));
    for (const Term& term : terms) EXPECT_GE(*std::max_element(term.begin(), term.end()), 2);
  }
  const BasisSpec plus{.kind = BasisKind::affine_plus, .extra = {{0, 1}, {3, 0}}, .response_only = true};
  EXPECT_EQ(basis_size(plus, shape, 1), 4);
  EXPECT_THAT(basis_terms(plus, shape, 1), ElementsAre(Term{2}, Term{3}, Term{4}, Term{0, 3}));
}

TEST(Basis, AffinePlusChosenTerms) {
  const InputShape shape{.context = 2, .values = 1, .classes = 0};
  const BasisSpec spec{.kind = BasisKind::affine_plus, .extra = {{2, 0}, {1, 1, 1}}, .response_only = false};
  EXPECT_EQ(basis_size(spec, shape, 1), 5);
  EXPECT_THAT(basis_terms(spec, shape, 1), ElementsAre(Term{0}, Term{1}, Term{2}, Term{0, 2}, Term{1, 1, 1}));
  const BasisSpec listed{.kind = BasisKind::listed, .extra = {{2, 0}, {1}}, .response_only = false};
  EXPECT_EQ(basis_size(listed, shape, 1), 2);
  EXPECT_THAT(basis_terms(listed, shape, 1), ElementsAre(Term{0, 2}, Term{1}));
}

TEST(Basis, BadTermsAreRefused) {
  const InputShape shape{.context = 2, .values = 1, .classes = 0};
  const auto message = [&](std::vector<Term> extra) -> std::string {
    try {
      basis_terms({.kind = BasisKind::affine_plus, .extra = std::move(extra), .response_only = false}, shape,
                  1);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({{}}), HasSubstr("bias"));
  EXPECT_THAT(message({{0, 3}}), HasSubstr("names input 3, but there are 3 inputs"));
  EXPECT_THAT(message({{-1}}), HasSubstr("names input -1"));
  EXPECT_THAT(message({{0, 1}, {1, 0}}), HasSubstr("twice"));
  EXPECT_THAT(message({{1}}), HasSubstr("twice")) << "already in the affine part";
}

// Sizes beyond any memory are counted without being built, and do not wrap around.
TEST(Basis, HugeSizesSaturate) {
  const InputShape shape{.context = 100000, .values = 1, .classes = 0};
  EXPECT_EQ(basis_size(kMonomials, shape, 3), binomial(100004, 3) - 1);
  EXPECT_EQ(basis_size(kMonomials, shape, 12), std::numeric_limits<Index>::max());
}

TEST(Basis, TooLargeABasisIsRefusedBeforeAnythingIsAllocated) {
  const auto refusal = [](const Architecture& a, double limit) -> std::string {
    try {
      validate(a, limit);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const InputShape wide{.context = 783, .values = 0, .classes = 1};
  // C(787, 3) - 1 terms; only the count is ever formed.
  const std::string text = refusal(single_block(wide, {3}, {3}, {3}), 1e9);
  EXPECT_THAT(text, HasSubstr("80931144 terms"));
  EXPECT_THAT(text, HasSubstr("degree 3"));
  EXPECT_THAT(text, HasSubstr("`degree`"));
  EXPECT_THAT(text, HasSubstr("784 inputs"));
  EXPECT_THAT(refusal(single_block(wide, {40}, {1}, {1}), 0), HasSubstr("more than 9e18"));
  EXPECT_EQ(refusal(single_block(wide, {2}, {1}, {1}), 1e9), "");
}

}  // namespace
}  // namespace bl

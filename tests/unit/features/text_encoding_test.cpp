#include "features/text_encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/encoder.hpp"
#include "features/truncated_svd.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> terms_of(std::string_view text, int ngrams) {
  std::vector<std::string> out;
  for_each_term(text, ngrams, [&](std::string_view term) { out.emplace_back(term); });
  return out;
}

TEST(TextEncoding, TermsAreWordsOfTwoLettersAndMoreInLowerCase) {
  EXPECT_THAT(terms_of("A dog's life: 42, I say", 1), ElementsAre("dog", "life", "42", "say"));
  EXPECT_THAT(terms_of("Red dog runs", 3),
              ElementsAre("red", "dog", "red dog", "runs", "dog runs", "red dog runs"));
  EXPECT_THAT(terms_of("größe_2 ÄÄ", 1), ElementsAre("größe_2", "ÄÄ"));
  EXPECT_THAT(terms_of(" ,. ", 2), ElementsAre());
}

// Sentences from a small vocabulary, two topics.
std::vector<std::string> sentences(std::size_t count) {
  const std::vector<std::vector<std::string>> topics = {
      {"goal", "match", "season", "team", "coach", "league"},
      {"oil", "price", "market", "stocks", "bank", "rate"}};
  const std::vector<std::string> common = {"the", "and", "today", "new", "first"};
  const RandomStream random(3, Purpose::test);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (std::uint64_t k = 0; k < 8; ++k) {
      const auto& words = random.below(3, i, 2 * k) == 0 ? common : topics[i % 2];
      text += (k > 0 ? " " : "") + words[random.below(words.size(), i, 2 * k + 1)];
    }
    out.push_back(text);
  }
  return out;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

TEST(TextEncoding, WeightsAreThoseOfTheUsualFormula) {
  const std::vector<std::string_view> texts = {"red dog", "red cat", "blue dog", "blue dog dog", "green"};
  const TextEncoding text = TextEncoding::fit(texts, {.ngrams = 1, .components = 2}, Context(1));
  EXPECT_THAT(text.terms(), ElementsAre("blue", "dog", "red"));  // cat and green stand in one text
  EXPECT_DOUBLE_EQ(text.idf()[0], std::log(6.0 / 3.0) + 1);
  EXPECT_DOUBLE_EQ(text.idf()[1], std::log(6.0 / 4.0) + 1);
  const TextEncoding two =
      TextEncoding::fit(texts, {.ngrams = 2, .vocabulary = 2, .components = 2}, Context(1));
  EXPECT_THAT(two.terms(), ElementsAre("blue", "dog"));  // 4 dogs, 2 blue, 2 blue dog, 2 red
}

// Against a dense decomposition of the same matrix.
TEST(TruncatedSvd, FindsTheLeadingSingularVectors) {
  const RandomStream random(5, Purpose::test);
  SparseRows sparse(60, 40);
  for (Eigen::Index i = 0; i < 60; ++i) {
    sparse.startVec(i);
    for (Eigen::Index j = 0; j < 40; ++j)
      if (random.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) < 0.2)
        sparse.insertBack(i, j) =
            random.normal(static_cast<std::uint64_t>(i), 100 + static_cast<std::uint64_t>(j)) /
            (1.0 + static_cast<double>(j));
  }
  sparse.finalize();
  const Eigen::MatrixXd dense = Eigen::MatrixXd(sparse);
  const Eigen::JacobiSVD<Eigen::MatrixXd> truth(dense, Eigen::ComputeThinV);
  const Context one(1), two(2);
  const DenseRows found = right_singular_vectors(sparse, 5, one);
  ASSERT_EQ(found.cols(), 5);
  for (Eigen::Index c = 0; c < 5; ++c)
    EXPECT_NEAR(std::abs(found.col(c).dot(truth.matrixV().col(c))), 1, 1e-9) << c;
  EXPECT_NEAR((found.transpose() * found - Eigen::MatrixXd::Identity(5, 5)).norm(), 0, 1e-9);
  EXPECT_EQ(right_singular_vectors(sparse, 5, two), found);
}

TEST(TruncatedSvd, ALowerRankGivesFewerVectors) {
  SparseRows sparse(30, 20);
  for (Eigen::Index i = 0; i < 30; ++i) {
    sparse.startVec(i);
    sparse.insertBack(i, i % 2) = 1.0 + static_cast<double>(i);
  }
  sparse.finalize();
  const Context job(1);
  EXPECT_EQ(right_singular_vectors(sparse, 8, job).cols(), 2);
}

TEST(TextEncoding, RowsHaveUnitLengthAndTopicsDiffer) {
  const auto texts = sentences(200);
  const TextEncoding text = TextEncoding::fit(views(texts), {.components = 8}, Context(1));
  ASSERT_EQ(text.components(), 8);
  std::vector<std::vector<double>> rows;
  for (const std::string& one : texts) {
    rows.emplace_back(8);
    text.encode(one, rows.back().data());
    double square = 0;
    for (const double value : rows.back()) square += value * value;
    EXPECT_NEAR(square, 1, 1e-12);
  }
  double apart = 0;  // some component tells the topics apart
  for (std::size_t c = 0; c < 8; ++c) {
    double difference = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) difference += (i % 2 == 0 ? 1 : -1) * rows[i][c];
    apart = std::max(apart, std::abs(difference) / static_cast<double>(rows.size()));
  }
  EXPECT_GT(apart, 0.3);
  EXPECT_EQ(text, TextEncoding::fit(views(texts), {.components = 8}, Context(2)));
}

Table news(std::size_t rows) {
  std::string csv = "story,topic\n";
  const auto texts = sentences(rows);
  for (std::size_t i = 0; i < texts.size(); ++i) csv += texts[i] + (i % 2 == 0 ? ",sport\n" : ",money\n");
  return read_table_from_memory(csv, "news.csv");
}

TEST(TextEncoding, ColumnsOfSentencesAreRecognised) {
  const Table table = news(60);
  const Schema schema = infer_schema(table, {.targets = {"topic"}});
  EXPECT_EQ(schema.find("story")->type, ColumnType::text);
  EXPECT_EQ(schema.find("topic")->type, ColumnType::nominal);
  const Schema names = infer_schema(read_table_from_memory("name,y\nAnn Lee,1\nBo Ray,2\n", "t.csv"), {});
  EXPECT_EQ(names.find("name")->type, ColumnType::nominal);
  EXPECT_THAT(test::message_of<UsageError>([&] {
                infer_schema(table,
                             {.targets = {"story"},
                              .columns = {{"story", {.role = {}, .type = ColumnType::text, .levels = {}}}}});
              }),
              HasSubstr("cannot be running text"));
}

TEST(TextEncoding, AnEncoderNamesComponentsByTheirWords) {
  const Table table = news(60);
  EncodeOptions options;
  options.text.components = 4;
  const Encoder encoder = Encoder::fit(table, infer_schema(table, {.targets = {"topic"}}), options,
                                       all_rows(table.rows), Context(1));
  ASSERT_EQ(encoder.columns().size(), 4U);
  EXPECT_THAT(encoder.columns()[1].name, StartsWith("story component 2 ("));
  EXPECT_EQ(encoder.columns()[1].kind, EncodedColumn::Kind::component);
  const auto encoded = encoder.encode_features<double>(table, all_rows(table.rows));
  Encoder again = Encoder::from_json(encoder.to_json());
  again.set_loadings(0, encoder.features()[0].text->loadings());
  EXPECT_EQ(again.features(), encoder.features());
  EXPECT_THAT(again.encode_features<double>(table, all_rows(table.rows)).flat(),
              ::testing::ElementsAreArray(encoded.flat()));
}

TEST(TextEncoding, TextWithoutARepeatedWordIsAnError) {
  const Table table = read_table_from_memory("t,y\none two,1\nthree four,2\n", "t.csv");
  const Schema schema = infer_schema(
      table, {.targets = {"y"}, .columns = {{"t", {.role = {}, .type = ColumnType::text, .levels = {}}}}});
  EXPECT_THAT(test::message_of<DataError>([&] { Encoder::fit(table, schema, {}, all_rows(2), Context(1)); }),
              HasSubstr("no word stands in two"));
}

}  // namespace
}  // namespace bl

// What ranks learn of columns of which each has a share of the rows is what one process learns of the whole
// columns.
#include "features/shared_encoder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "data/read_table.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

TEST(SharedEncoder, IsThatOfTheWholeTable) {
  const auto path =
      std::filesystem::temp_directory_path() / ("bl_shared_encoder_" + std::to_string(::getpid()) + ".csv");
  {
    std::ofstream file(path);
    file << "a,gaps,copy,constant,town,size,y\n";
    const RandomStream random(1, Purpose::test);
    for (std::uint64_t i = 0; i < 400; ++i) {
      const double a = std::exp(2 * random.normal(i, 0));
      file << a << ',' << (i % 9 == 0 ? "" : std::to_string(random.normal(i, 2))) << ',' << a << ",1,"
           << (i > 350      ? "late"
               : i % 2 == 0 ? "north"
                            : "south")
           << ',' << i % 3 << ',' << (a > 1 ? "yes" : "no") << '\n';
    }
  }
  const Table whole = read_table(path);
  RoleOptions roles{.targets = {"y"}};
  roles.columns["size"].levels = {"0", "1", "2"};
  const Schema schema = infer_schema(whole, roles);
  EncodeOptions options{.missing = MissingPolicy::impute, .outliers = Outliers::robust};
  options.curves.columns = {"a", "size"};
  options.curves.products = {{"a", "gaps"}, {"gaps", "size"}};
  std::vector<Index> rows;
  for (Index row = 0; row < whole.rows; ++row)
    if (row % 4 != 1) rows.push_back(row);
  const Encoder expected = Encoder::fit(whole, schema, options, rows, Context(1));
  const Encoded<double> encoded = expected.encode<double>(whole, rows);
  for (const std::size_t size : {2U, 3U, 8U})
    test::run_ranks(size, [&](std::size_t) {
      const auto shared = read_shared_table({path}, {}, current_ranks());
      ASSERT_TRUE(shared);
      Table known = shared->head();
      EXPECT_EQ(infer_schema(known, roles, shared->whole_columns()), schema);
      known.columns.back() = shared->whole("y");
      const Encoder encoder = fit_encoder(*shared, known, schema, options, rows, Context(1));
      EXPECT_EQ(encoder.to_json(), expected.to_json());
      EXPECT_EQ(encoder.features(), expected.features());
      const Matrix<double> features = gathered_features<double>(encoder, *shared, rows);
      ASSERT_EQ(features.flat().size(), encoded.features.flat().size());
      EXPECT_TRUE(
          std::equal(features.flat().begin(), features.flat().end(), encoded.features.flat().begin()));
      const Encoded<double> responses = without_features(encoder).encode<double>(known, rows);
      EXPECT_TRUE(std::equal(responses.classes.flat().begin(), responses.classes.flat().end(),
                             encoded.classes.flat().begin()));
    });
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace bl

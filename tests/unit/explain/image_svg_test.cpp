#include "explain/image_svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "data/png.hpp"
#include "explain/picture.hpp"
#include "fitted/fitted_model.hpp"
#include "model/parameters.hpp"
#include "unit/explain/xml_check.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;

std::string decoded(std::string_view text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6) | static_cast<unsigned>(letters.find(c));
    count += 6;
    if (count >= 8) out += static_cast<char>((bits >> (count -= 8)) & 255U);
  }
  return out;
}

// What is written is read back by the reader of PNG files.
TEST(ImageSvg, PicturesAreImages) {
  const std::string uri =
      explain::png_uri({255, 255, 255, 0, 0, 0, 9, 9, 9, 200, 200, 200, 1, 1, 1, 77, 77, 77}, {2, 3});
  constexpr std::string_view kStart = "data:image/png;base64,";
  ASSERT_TRUE(uri.starts_with(kStart));
  const GreyImage image = read_png(decoded(std::string_view(uri).substr(kStart.size())), "uri");
  EXPECT_EQ(image.shape, (ImageShape{2, 3}));
  EXPECT_THAT(image.pixels, ::testing::ElementsAre(255, 0, 9, 200, 1, 77));
}

Data squares(std::size_t rows) {
  std::vector<Data::Column> columns;
  std::vector<double> label;
  for (std::size_t i = 0; i < rows; ++i) label.push_back(static_cast<double>(i % 2));
  for (std::size_t p = 0; p < 6; ++p) {
    std::vector<double> pixel;
    for (std::size_t i = 0; i < rows; ++i)
      pixel.push_back(p == 0 ? 0
                             : static_cast<double>((i * (p + 3) * 37) % 100) + (p == 4 && i % 2 ? 200 : 0));
    columns.push_back({"pixel_" + std::to_string(p), pixel});
  }
  columns.push_back({"label", label});
  return Data::from_columns(columns, "memory");
}

TEST(ImageSvg, HeadsAreDrawnByPixel) {
  Settings settings;
  settings.target = "label";
  settings.nominal = "label";
  settings.layers = "2";
  settings.form = "vector";
  settings.epochs = 5;
  const FitSummary fitted = fit(squares(200), settings);
  StoredModel stored = fitted.model.impl().stored;
  stored.information["data"]["image"] = {2, 3};
  const std::vector<double> image = explain::head_image(stored, {2, 3}, HeadKind::inequality, 1);
  const TensorInfo weights = ParameterLayout(stored.architecture).tensor("layers/0/C/weight");
  ASSERT_EQ(weights.cols, 5);
  EXPECT_EQ(image[0], 0);  // constant in training
  for (std::size_t p = 1; p < 6; ++p)
    EXPECT_EQ(image[p], stored.parameters[static_cast<std::size_t>(weights.offset + weights.cols) + p - 1]);
  const std::string svg = explain_model(model_of(stored), ExplainFormat::svg, {});
  EXPECT_THAT(svg, HasSubstr("wants to see"));
  EXPECT_EQ(test::XmlCheck::problem_with(svg), "");
  EXPECT_THAT(explain_model(fitted.model, ExplainFormat::svg, {}), ::testing::Not(HasSubstr("wants to see")));
}

}  // namespace
}  // namespace bl

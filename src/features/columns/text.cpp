// Running text: components of its words (features/text_encoding.hpp). A missing one is a text without words.
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/columns/kinds.hpp"
#include "features/json_fields.hpp"

namespace bl::columns {

namespace {

template <class T>
bool write_components(const FeatureSource& source, Index row, T* out) {
  const bool missing = source.missing(row);
  if (source.feature->has_value)
    source.feature->text->encode(missing ? std::string_view() : source.column->text(row), out);
  return missing;
}

class Text final : public ColumnKind {
 public:
  Text() : ColumnKind({.name = "text", .raw = RawType::text}) {}

  void fit(const TrainingRows& training, const SchemaColumn&, const Column& data,
           FeatureEncoding& out) const override {
    std::vector<std::string_view> texts;
    for (const Index row : training.rows)
      texts.push_back(data.missing(row) ? std::string_view() : data.text(row));
    auto text =
        std::make_shared<const TextEncoding>(TextEncoding::fit(texts, training.options.text, training.job));
    if (text->components() == 0)
      throw DataError(training.table.source + ": column " + in_quotes(data.name) +
                      " is running text, but no word stands in two of its training rows; make it nominal or "
                      "ignore it");
    out.text = TextHandle(std::move(text));
  }

  void list(const FeatureEncoding& feature, std::size_t index,
            std::vector<EncodedColumn>& out) const override {
    for (Index c = 0; c < feature.text->components(); ++c)
      out.push_back({feature.name + " component " + std::to_string(c + 1) + " (" +
                         feature.text->words()[static_cast<std::size_t>(c)] + ")",
                     index, EncodedColumn::Kind::component, 0, 1, static_cast<std::int32_t>(c)});
  }

  void write(const FeatureSource& source, std::span<const Index> rows, MatrixView<float> out) const override {
    write_cells(source, rows, out, write_components<float>);
  }
  void write(const FeatureSource& source, std::span<const Index> rows,
             MatrixView<double> out) const override {
    write_cells(source, rows, out, write_components<double>);
  }

  void store(const FeatureEncoding& feature, nlohmann::json& out) const override {
    if (!feature.text) return;
    const TextEncoding& text = *feature.text;
    out["text"] = {{"ngrams", text.ngrams()}, {"terms", text.terms()}, {"idf", text.idf()},
                   {"mean", text.mean()},     {"scale", text.scale()}, {"words", text.words()}};
  }

  void read(const JsonField& of_feature, FeatureEncoding& out) const override {
    if (!out.has_value) return;
    constexpr std::int64_t kMostWords = 5;
    const JsonField field = of_feature["text"];
    const auto ngrams = static_cast<int>(field["ngrams"].integer(1, kMostWords));
    std::vector<std::string> terms = field["terms"].distinct_texts(), words = field["words"].texts();
    std::vector<double> idf = field["idf"].numbers(), mean = field["mean"].numbers(), scale;
    for (const JsonField& one : field["scale"].elements()) scale.push_back(one.positive());
    if (terms.empty() || idf.size() != terms.size()) field["idf"].fail("should be one number for each term");
    if (mean.empty() || scale.size() != mean.size() || words.size() != mean.size())
      field["scale"].fail("should be one number for each component, like mean and words");
    out.text = TextHandle(std::make_shared<const TextEncoding>(
        ngrams, std::move(terms), std::move(idf), std::move(mean), std::move(scale), std::move(words)));
  }
};

}  // namespace

const ColumnKind& text() {
  static const Text kind;
  return kind;
}

}  // namespace bl::columns

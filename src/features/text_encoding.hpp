// A column of sentences as numbers: TF-IDF of words and runs of words, reduced by a truncated singular value
// decomposition, standardised and brought to unit length. Fitted once on training rows, kept with the model.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/context.hpp"
#include "base/matrix.hpp"

namespace bl {

struct TextOptions {
  int ngrams = 2;             // a term is a word, or a run of up to so many
  Index vocabulary = 200000;  // at most so many terms, the most frequent
  Index components = 128;     // fewer where there are fewer rows or terms
};

// The words of a text in order, in lower case: runs of two or more letters, digits and underscores. Bytes
// outside ASCII count as letters and stay as they are.
void for_each_word(std::string_view text, const std::function<void(std::string_view)>& visit);
// Its terms: words, and runs of up to `ngrams` of them, with a space between.
void for_each_term(std::string_view text, int ngrams, const std::function<void(std::string_view)>& visit);

class TextEncoding {
 public:
  // Terms that at least two texts hold. Empty texts count. An encoding without components where no term is
  // left.
  static TextEncoding fit(std::span<const std::string_view> texts, const TextOptions& options,
                          const Context& job);
  // As read from a file. Sizes must match: a weight for each term, a mean, scale and words for each
  // component.
  TextEncoding(int ngrams, std::vector<std::string> terms, std::vector<double> idf, std::vector<double> mean,
               std::vector<double> scale, std::vector<std::string> words);

  int ngrams() const { return ngrams_; }
  const std::vector<std::string>& terms() const { return terms_; }
  const std::vector<double>& idf() const { return idf_; }  // log((1 + texts) / (1 + texts with the term)) + 1
  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& scale() const { return scale_; }
  // The terms with the largest loadings of each component, a minus before those that lower it.
  const std::vector<std::string>& words() const { return words_; }
  Index components() const { return static_cast<Index>(mean_.size()); }
  // Loadings: terms x components.
  const Matrix<float>& loadings() const { return loadings_; }
  void set_loadings(Matrix<float> loadings) { loadings_ = std::move(loadings); }

  // The encoded text: components() numbers of unit length.
  template <class T>
  void encode(std::string_view text, T* out) const;

  bool operator==(const TextEncoding& other) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  TextEncoding() = default;
  void index_terms();
  // Term numbers with their TF-IDF weights, of unit length.
  std::vector<std::pair<Index, double>> weights(std::string_view text) const;
  // The loadings' sum over a text's terms.
  std::vector<double> projection(std::string_view text) const;
  void name_components();

  int ngrams_ = 2;
  std::vector<std::string> terms_;  // ascending
  std::vector<double> idf_, mean_, scale_;
  std::vector<std::string> words_;
  Matrix<float> loadings_;
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> place_;
};

// Shared by copies of an encoder, equal where the contents are.
struct TextHandle : std::shared_ptr<const TextEncoding> {
  TextHandle() = default;
  explicit TextHandle(std::shared_ptr<const TextEncoding> text)
      : std::shared_ptr<const TextEncoding>(std::move(text)) {}
  bool operator==(const TextHandle& other) const {
    return get() == other.get() || (*this && other && **this == *other);
  }
};

}  // namespace bl

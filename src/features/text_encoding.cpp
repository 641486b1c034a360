#include "features/text_encoding.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <set>

#include "base/joined.hpp"
#include "features/truncated_svd.hpp"

namespace bl {

namespace {

bool of_a_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

// Terms of training texts, numbered as they appear.
struct Counts {
  std::unordered_map<std::string, Index> number;
  std::vector<Index> texts, total;               // by number: texts that hold it, occurrences
  std::vector<std::vector<std::int32_t>> terms;  // of each text, one for each occurrence

  Counts(std::span<const std::string_view> all, int ngrams) : terms(all.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for_each_term(all[i], ngrams, [&](std::string_view term) {
        const auto [at, is_new] = number.try_emplace(std::string(term), static_cast<Index>(total.size()));
        if (is_new) total.push_back(0);
        ++total[static_cast<std::size_t>(at->second)];
        terms[i].push_back(static_cast<std::int32_t>(at->second));
      });
    }
    texts.assign(total.size(), 0);
    for (auto& one : terms) {
      std::sort(one.begin(), one.end());
      for (std::size_t k = 0; k < one.size(); ++k)
        if (k == 0 || one[k] != one[k - 1]) ++texts[static_cast<std::size_t>(one[k])];
    }
  }
};

// Those that two texts hold, the most frequent, in alphabetical order; with their numbers among all.
std::vector<std::pair<std::string, Index>> kept_terms(const Counts& counts, Index most) {
  constexpr Index kLeastTexts = 2;
  std::vector<std::pair<std::string, Index>> kept;
  for (const auto& [term, number] : counts.number)
    if (counts.texts[static_cast<std::size_t>(number)] >= kLeastTexts) kept.emplace_back(term, number);
  if (static_cast<Index>(kept.size()) > most) {
    std::sort(kept.begin(), kept.end(), [&](const auto& a, const auto& b) {
      const Index more = counts.total[static_cast<std::size_t>(a.second)];
      const Index less = counts.total[static_cast<std::size_t>(b.second)];
      return more != less ? more > less : a.first < b.first;
    });
    kept.resize(static_cast<std::size_t>(most));
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

void to_unit_length(std::span<double> values) {
  const double square = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  if (!(square > 0)) return;
  for (double& value : values) value /= std::sqrt(square);
}

}  // namespace

void for_each_word(std::string_view text, const std::function<void(std::string_view)>& visit) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && of_a_word(text[i])) {
      const char c = text[i];
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    if (word.size() > 1) visit(word);
    word.clear();
  }
}

void for_each_term(std::string_view text, int ngrams, const std::function<void(std::string_view)>& visit) {
  std::string words;               // all of them, with spaces between
  std::vector<std::size_t> begin;  // of each
  for_each_word(text, [&](std::string_view word) {
    if (!words.empty()) words += ' ';
    begin.push_back(words.size());
    words += word;
    const std::string_view all(words);
    for (std::size_t n = 1; n <= std::min(begin.size(), static_cast<std::size_t>(ngrams)); ++n)
      visit(all.substr(begin[begin.size() - n]));
  });
}

TextEncoding::TextEncoding(int ngrams, std::vector<std::string> terms, std::vector<double> idf,
                           std::vector<double> mean, std::vector<double> scale,
                           std::vector<std::string> words)
    : ngrams_(ngrams),
      terms_(std::move(terms)),
      idf_(std::move(idf)),
      mean_(std::move(mean)),
      scale_(std::move(scale)),
      words_(std::move(words)) {
  index_terms();
}

void TextEncoding::index_terms() {
  place_.reserve(terms_.size());
  for (std::size_t i = 0; i < terms_.size(); ++i) place_.emplace(terms_[i], static_cast<Index>(i));
}

std::vector<std::pair<Index, double>> TextEncoding::weights(std::string_view text) const {
  std::vector<std::pair<Index, double>> found;
  for_each_term(text, ngrams_, [&](std::string_view term) {
    if (const auto at = place_.find(term); at != place_.end()) found.emplace_back(at->second, 1);
  });
  std::sort(found.begin(), found.end());
  std::size_t last = 0;
  double square = 0;
  std::vector<std::pair<Index, double>> out;
  for (std::size_t i = 0; i < found.size(); i = last) {
    while (last < found.size() && found[last].first == found[i].first) ++last;
    const double weight = static_cast<double>(last - i) * idf_[static_cast<std::size_t>(found[i].first)];
    out.emplace_back(found[i].first, weight);
    square += weight * weight;
  }
  for (auto& one : out) one.second /= std::sqrt(square);
  return out;
}

std::vector<double> TextEncoding::projection(std::string_view text) const {
  std::vector<double> sum(static_cast<std::size_t>(loadings_.cols()), 0);
  for (const auto& [term, weight] : weights(text)) {
    const float* row = loadings_.row(term);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weight * static_cast<double>(row[c]);
  }
  return sum;
}

template <class T>
void TextEncoding::encode(std::string_view text, T* out) const {
  std::vector<double> values = projection(text);
  for (std::size_t c = 0; c < values.size(); ++c) values[c] = (values[c] - mean_[c]) / scale_[c];
  to_unit_length(values);
  for (std::size_t c = 0; c < values.size(); ++c) out[c] = static_cast<T>(values[c]);
}
template void TextEncoding::encode(std::string_view, float*) const;
template void TextEncoding::encode(std::string_view, double*) const;

TextEncoding TextEncoding::fit(std::span<const std::string_view> texts, const TextOptions& options,
                               const Context& job) {
  TextEncoding out;
  out.ngrams_ = options.ngrams;
  {
    const Counts counts(texts, options.ngrams);
    for (auto& [term, number] : kept_terms(counts, options.vocabulary)) {
      const auto holding = static_cast<double>(counts.texts[static_cast<std::size_t>(number)]);
      out.idf_.push_back(std::log((1 + static_cast<double>(texts.size())) / (1 + holding)) + 1);
      out.terms_.push_back(std::move(term));
    }
  }
  if (out.terms_.empty()) return out;
  out.index_terms();
  SparseRows matrix(static_cast<Index>(texts.size()), static_cast<Index>(out.terms_.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    matrix.startVec(static_cast<Index>(i));
    for (const auto& [term, weight] : out.weights(texts[i]))
      matrix.insertBack(static_cast<Index>(i), term) = weight;
  }
  matrix.finalize();
  const DenseRows vectors = right_singular_vectors(matrix, options.components, job);
  out.loadings_.resize(vectors.rows(), vectors.cols());
  std::transform(vectors.data(), vectors.data() + vectors.size(), out.loadings_.data(),
                 [](double v) { return static_cast<float>(v); });
  const DenseRows projected = product(matrix, vectors, job);
  for (Index c = 0; c < vectors.cols(); ++c) {
    const double mean = projected.col(c).mean();
    const double scale = std::sqrt((projected.col(c).array() - mean).square().mean());
    out.mean_.push_back(mean);
    out.scale_.push_back(scale > 0 ? scale : 1);
  }
  out.name_components();
  return out;
}

void TextEncoding::name_components() {
  constexpr std::size_t kWords = 3;
  for (Index c = 0; c < loadings_.cols(); ++c) {
    std::vector<Index> order(terms_.size());
    std::iota(order.begin(), order.end(), Index{0});
    const std::size_t shown = std::min(kWords, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](Index a, Index b) {
                        const float x = std::abs(loadings_(a, c)), y = std::abs(loadings_(b, c));
                        return x != y ? x > y : a < b;
                      });
    words_.push_back(joined(std::span(order).first(shown), ", ", [&](Index term) {
      return (loadings_(term, c) < 0 ? "-" : "") + terms_[static_cast<std::size_t>(term)];
    }));
  }
}

bool TextEncoding::operator==(const TextEncoding& other) const {
  return ngrams_ == other.ngrams_ && terms_ == other.terms_ && idf_ == other.idf_ && mean_ == other.mean_ &&
         scale_ == other.scale_ && words_ == other.words_ &&
         std::equal(loadings_.flat().begin(), loadings_.flat().end(), other.loadings_.flat().begin(),
                    other.loadings_.flat().end());
}

}  // namespace bl

#include "choice/undetermined.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/joined.hpp"

namespace bl {

namespace {

// Share of a term's variation within sets that must not be explained by the terms before it.
constexpr double kCollinear = 1e-9;

// The design of the situations that count, entry by entry, without entries that a separated term rules out.
class Design {
 public:
  Design(const std::vector<LinearTerm>& terms, const ChoiceData& data)
      : terms_(terms), data_(data), active_(data.classes.size(), true) {}

  // Products of the terms, centred within sets; and of the terms as they are, on the diagonal.
  void products(Eigen::MatrixXd& within, Eigen::VectorXd& raw) const {
    const auto size = static_cast<Index>(terms_.size());
    within = Eigen::MatrixXd::Zero(size, size);
    raw = Eigen::VectorXd::Zero(size);
    Eigen::MatrixXd rows;
    for (std::size_t i = 0; i < data_.chosen.size(); ++i) {
      const std::vector<std::size_t> entries = entries_of(i);
      if (entries.size() < 2) continue;
      rows.resize(static_cast<Index>(entries.size()), size);
      for (std::size_t j = 0; j < entries.size(); ++j)
        for (Index k = 0; k < size; ++k)
          rows(static_cast<Index>(j), k) = terms_[static_cast<std::size_t>(k)].value(data_, entries[j]);
      raw += rows.colwise().squaredNorm().transpose();
      rows.rowwise() -= rows.colwise().mean().eval();
      within += rows.transpose() * rows;
    }
  }

  // 1 or -1 where the term only ever favours the chosen alternative when it grows or falls, else 0.
  int separated(std::size_t term) const {
    bool above = false, below = false;
    for_each_difference(term, [&](std::size_t, double difference) {
      above = above || difference > 0;
      below = below || difference < 0;
    });
    const int sign = terms_[term].sign;
    if (above == below) return 0;
    return above ? (sign >= 0 ? 1 : 0) : (sign <= 0 ? -1 : 0);
  }

  // Alternatives over which the chosen one wins for certain once the term has run away.
  void rule_out(std::size_t term) {
    std::vector<std::size_t> out;
    for_each_difference(term, [&](std::size_t entry, double difference) {
      if (difference != 0) out.push_back(entry);
    });
    for (const std::size_t entry : out) active_[entry] = false;
  }

  // Alternatives over which the chosen one wins for certain at these coefficients.
  void rule_out_decided(const std::vector<double>& coefficients) {
    constexpr double kCertain = 14;  // a difference of utility: odds of a million
    for (std::size_t i = 0; i < data_.chosen.size(); ++i) {
      const std::size_t chosen =
          static_cast<std::size_t>(data_.begin[i]) + static_cast<std::size_t>(data_.chosen[i]);
      const double own = utility(coefficients, chosen);
      for (const std::size_t j : entries_of(i))
        if (own - utility(coefficients, j) > kCertain) active_[j] = false;
    }
  }

 private:
  double utility(const std::vector<double>& coefficients, std::size_t entry) const {
    double sum = 0;
    for (std::size_t k = 0; k < terms_.size(); ++k)
      if (coefficients[k] != 0) sum += coefficients[k] * terms_[k].value(data_, entry);
    return sum;
  }

  std::vector<std::size_t> entries_of(std::size_t situation) const {
    std::vector<std::size_t> out;
    if (data_.weight(situation) == 0) return out;
    for (auto j = static_cast<std::size_t>(data_.begin[situation]);
         j < static_cast<std::size_t>(data_.begin[situation + 1]); ++j)
      if (active_[j]) out.push_back(j);
    return out;
  }

  template <class Action>
  void for_each_difference(std::size_t term, const Action& action) const {
    for (std::size_t i = 0; i < data_.chosen.size(); ++i) {
      const std::size_t chosen =
          static_cast<std::size_t>(data_.begin[i]) + static_cast<std::size_t>(data_.chosen[i]);
      const double own = terms_[term].value(data_, chosen);
      for (const std::size_t j : entries_of(i))
        if (j != chosen) action(j, own - terms_[term].value(data_, j));
    }
  }

  const std::vector<LinearTerm>& terms_;
  const ChoiceData& data_;
  std::vector<bool> active_;
};

std::string few(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 2;
  if (names.size() <= kShown) return joined(names, " and ");
  return fmt::format("{}, {} and {} more", names[0], names[1], names.size() - kShown);
}

// Terms of an unflagged design that do not vary, or that those before them explain: name and reason.
std::vector<Undetermined> dependent(const std::vector<LinearTerm>& terms, const Design& design,
                                    const std::vector<bool>& flagged) {
  Eigen::MatrixXd within;
  Eigen::VectorXd raw;
  design.products(within, raw);
  std::vector<Undetermined> out;
  std::vector<Index> kept;
  for (Index k = 0; k < within.rows(); ++k) {
    if (flagged[static_cast<std::size_t>(k)]) continue;
    if (!(within(k, k) > 1e-20 * raw(k))) {
      out.push_back({static_cast<std::size_t>(k), "constant within sets", false});
      continue;
    }
    const auto size = static_cast<Index>(kept.size());
    Eigen::MatrixXd unit(size, size);
    Eigen::VectorXd with(size);
    for (Index a = 0; a < size; ++a) {
      with(a) = within(kept[static_cast<std::size_t>(a)], k) /
                std::sqrt(within(kept[static_cast<std::size_t>(a)], kept[static_cast<std::size_t>(a)]) *
                          within(k, k));
      for (Index b = 0; b < size; ++b)
        unit(a, b) = within(kept[static_cast<std::size_t>(a)], kept[static_cast<std::size_t>(b)]) /
                     std::sqrt(within(kept[static_cast<std::size_t>(a)], kept[static_cast<std::size_t>(a)]) *
                               within(kept[static_cast<std::size_t>(b)], kept[static_cast<std::size_t>(b)]));
    }
    const Eigen::VectorXd weights = size > 0 ? Eigen::VectorXd(unit.ldlt().solve(with)) : with;
    if (size == 0 || 1 - with.dot(weights) > kCollinear) {
      kept.push_back(k);
      continue;
    }
    std::vector<std::string> names;
    for (Index a = 0; a < size; ++a)
      if (std::abs(weights(a)) > 1e-4)
        names.push_back(terms[static_cast<std::size_t>(kept[static_cast<std::size_t>(a)])].name);
    out.push_back({static_cast<std::size_t>(k), "collinear with " + few(names), false});
  }
  return out;
}

std::string separation_words(const LinearTerm& term, int direction) {
  if (term.attribute < 0) return direction < 0 ? "separated: never chosen" : "separated: always chosen";
  return fmt::format("separated: runs to {}infinity", direction < 0 ? "-" : "+");
}

}  // namespace

std::vector<Undetermined> undetermined_terms(const std::vector<LinearTerm>& terms, const ChoiceData& data) {
  Design design(terms, data);
  std::vector<bool> flagged(terms.size(), false);
  std::vector<Undetermined> out;
  std::string behind;  // the first separated term
  for (;;) {
    for (Undetermined& one : dependent(terms, design, flagged)) {
      // Once a term has run away, what only told apart what it decides runs with it.
      if (!behind.empty()) one = {one.term, "separated together with " + behind, true};
      flagged[one.term] = true;
      out.push_back(std::move(one));
    }
    std::vector<std::size_t> running;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const int direction = flagged[k] ? 0 : design.separated(k);
      if (direction == 0) continue;
      out.push_back({k, separation_words(terms[k], direction), true});
      flagged[k] = true;
      if (behind.empty()) behind = terms[k].name;
      running.push_back(k);
    }
    if (running.empty()) break;
    for (const std::size_t k : running) design.rule_out(k);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.term < b.term; });
  return out;
}

bool separates(const std::vector<LinearTerm>& terms, const ChoiceData& data,
               const std::vector<double>& direction) {
  constexpr double kRounding = 1e-6;  // of the largest difference
  double least = 0, most = 0;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    if (data.weight(i) == 0) continue;
    const auto utility = [&](std::size_t entry) {
      double sum = 0;
      for (std::size_t k = 0; k < terms.size(); ++k)
        if (direction[k] != 0) sum += direction[k] * terms[k].value(data, entry);
      return sum;
    };
    const std::size_t chosen =
        static_cast<std::size_t>(data.begin[i]) + static_cast<std::size_t>(data.chosen[i]);
    const double own = utility(chosen);
    for (auto j = static_cast<std::size_t>(data.begin[i]); j < static_cast<std::size_t>(data.begin[i + 1]);
         ++j) {
      if (j == chosen) continue;
      least = std::min(least, own - utility(j));
      most = std::max(most, own - utility(j));
    }
  }
  return most > 0 && least >= -kRounding * most;
}

std::vector<Undetermined> separated_at(const std::vector<LinearTerm>& terms, const ChoiceData& data,
                                       const std::vector<double>& coefficients,
                                       const std::vector<Undetermined>& known) {
  Design design(terms, data);
  design.rule_out_decided(coefficients);
  std::vector<bool> flagged(terms.size(), false);
  for (const Undetermined& one : known) flagged[one.term] = true;
  std::vector<Undetermined> out = dependent(terms, design, flagged);
  std::vector<double> direction(terms.size(), 0);
  for (const Undetermined& one : out) direction[one.term] = coefficients[one.term];
  if (out.size() < 2 || !separates(terms, data, direction)) return {};
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = {out[k].term, "separated together with " + terms[out[k == 0 ? 1 : 0].term].name, true};
  return out;
}

std::string undetermined_words(const std::vector<LinearTerm>& terms, const std::vector<Undetermined>& found) {
  std::vector<std::string> words;
  for (const Undetermined& one : found) words.push_back(terms[one.term].name + " (" + one.reason + ")");
  const bool away = std::any_of(found.begin(), found.end(), [](const auto& one) { return one.runs_away; });
  const bool out = std::any_of(found.begin(), found.end(), [](const auto& one) { return !one.runs_away; });
  return fmt::format("not determined by these choices: {}; {}the other estimates and errors hold without {}",
                     joined(words, ", "),
                     away && out ? "separated ones are held where the fit stopped, the others at 0; "
                     : away      ? "held where the fit stopped, since the likelihood keeps rising; "
                                 : "held at 0; ",
                     found.size() == 1 ? "it" : "them");
}

}  // namespace bl

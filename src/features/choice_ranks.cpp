#include "features/choice_ranks.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace bl {

namespace {

std::vector<std::string> codes_in(const std::string& cell) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= cell.size();) {
    const std::size_t end = std::min(cell.find('>', from), cell.size());
    const std::size_t first = cell.find_first_not_of(' ', from), last = cell.find_last_not_of(' ', end - 1);
    out.push_back(first >= end || first == std::string::npos ? "" : cell.substr(first, last + 1 - first));
    from = end + 1;
  }
  return out;
}

// The ranks that a situation has, lowest first.
std::vector<double> sorted_ranks(const ChoiceData& data, std::size_t situation) {
  std::vector<double> out;
  for (auto j = static_cast<std::size_t>(data.begin[situation]);
       j < static_cast<std::size_t>(data.begin[situation + 1]); ++j)
    if (data.ranks[j] > 0) out.push_back(data.ranks[j]);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

void append_ranking(const ChoiceSource& source, Index row, std::size_t from, ChoiceData& data) {
  const ChoiceSchema& schema = *source.schema;
  const std::string cell = source.column(schema.choice).cell_text(row);
  if (cell.empty()) source.fail(row, "the ranking is missing; leave such rows out by a filter");
  data.ranks.resize(data.classes.size(), 0);
  double place = 0;
  for (const std::string& code : codes_in(cell)) {
    const auto found = std::find_if(schema.alternatives.begin(), schema.alternatives.end(),
                                    [&](const ChoiceAlternative& one) { return one.code == code; });
    if (found == schema.alternatives.end())
      source.fail(row,
                  in_quotes(code) + " in the ranking " + in_quotes(cell) +
                      " is none of the alternatives' codes; expected codes from best to worst, such as " +
                      in_quotes(schema.alternatives[0].code + " > " + schema.alternatives[1].code));
    const auto alternative = static_cast<std::int32_t>(found - schema.alternatives.begin());
    const auto entry =
        std::find(data.classes.begin() + static_cast<std::ptrdiff_t>(from), data.classes.end(), alternative);
    if (entry == data.classes.end())
      source.fail(row, "the ranked alternative " + in_quotes(found->name) + " is not available");
    double& rank = data.ranks[static_cast<std::size_t>(entry - data.classes.begin())];
    if (rank > 0) source.fail(row, in_quotes(code) + " stands twice in the ranking " + in_quotes(cell));
    rank = ++place;
  }
}

std::int32_t best_ranked(const ChoiceSource& source, Index row, std::size_t from, ChoiceData& data) {
  std::int32_t best = kUnknownChoice;
  for (std::size_t j = from; j < data.ranks.size(); ++j) {
    double& rank = data.ranks[j];
    const auto name = [&](std::size_t entry) {
      return in_quotes(data.alternatives[static_cast<std::size_t>(data.classes[entry])]);
    };
    if (std::isnan(rank)) rank = 0;
    if (rank < 0)
      source.fail(row, "the rank of " + name(j) +
                           " is negative; 1 is the best, and 0 stands below all that have a rank");
    for (std::size_t other = from; rank > 0 && other < j; ++other)
      if (data.ranks[other] == rank)
        source.fail(row, name(other) + " and " + name(j) + " have the same rank " + format_number(rank) +
                             "; a ranking has no ties, give both 0 where neither has a rank");
    if (rank > 0 && (best < 0 || rank < data.ranks[from + static_cast<std::size_t>(best)]))
      best = static_cast<std::int32_t>(j - from);
  }
  if (best < 0) source.fail(row, "no alternative has a rank; leave such rows out by a filter");
  return best;
}

ChoiceData exploded(const ChoiceData& data) {
  if (data.ranks.empty()) return data;
  std::vector<Index> situations;
  std::vector<double> lowest;  // rank of the one that is chosen
  for (Index i = 0; i < data.situations(); ++i) {
    std::vector<double> ranks = sorted_ranks(data, static_cast<std::size_t>(i));
    const auto choices = static_cast<std::size_t>(std::max<std::int64_t>(data.size(i) - 1, 1));
    if (ranks.size() > choices) ranks.resize(choices);
    situations.insert(situations.end(), ranks.size(), i);
    lowest.insert(lowest.end(), ranks.begin(), ranks.end());
  }
  ChoiceData whole = select_situations(data, situations);
  if (whole.persons.empty()) whole.persons.assign(situations.begin(), situations.end());
  ChoiceData out = whole;
  out.classes.clear();
  out.ranks.clear();
  out.begin = {0};
  std::vector<Index> kept;
  for (std::size_t t = 0; t < situations.size(); ++t) {
    for (auto j = static_cast<std::size_t>(whole.begin[t]); j < static_cast<std::size_t>(whole.begin[t + 1]);
         ++j) {
      if (whole.ranks[j] > 0 && whole.ranks[j] < lowest[t]) continue;
      if (whole.ranks[j] == lowest[t])
        out.chosen[t] = static_cast<std::int32_t>(static_cast<std::int64_t>(kept.size()) - out.begin.back());
      kept.push_back(static_cast<Index>(j));
      out.classes.push_back(whole.classes[j]);
    }
    out.begin.push_back(static_cast<std::int64_t>(kept.size()));
  }
  out.attributes.resize(static_cast<Index>(kept.size()), whole.attributes.cols());
  for (std::size_t j = 0; j < kept.size(); ++j)
    std::copy_n(whole.attributes.row(kept[j]), whole.attributes.cols(),
                out.attributes.row(static_cast<Index>(j)));
  return out;
}

}  // namespace bl

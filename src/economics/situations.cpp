#include "economics/situations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bl/errors.hpp"
#include "choice/prepared.hpp"
#include "choice/reading.hpp"
#include "explain/gradient.hpp"
#include "explain/hierarchy.hpp"
#include "explain/row_text.hpp"
#include "predict/row_distribution.hpp"

namespace bl {

Situations::Situations(const FittedModel& model, const Table& table, Part part, bool need_choice,
                       const Context& job)
    : Situations(model, read_part(model, table, part, need_choice), part, job) {}

Situations::Situations(const FittedModel& model, ChoiceData situations, Part part, const Context& job)
    : data(std::move(situations)) {
  PreparedChoices choices(data, unseen_levels(part));
  scores = choices.scores(model, job);
  const EncodedChoices<double>& encoded = choices.encoded(model);
  context = encoded.context;
  attributes = encoded.attributes;
}

explain::Response Situations::response(std::size_t entry) const {
  const double* row = attributes.row(static_cast<Index>(entry));
  return {{row, row + attributes.cols()}, data.classes[entry]};
}

std::size_t Situations::chosen(std::size_t situation) const {
  return static_cast<std::size_t>(data.begin[situation]) + static_cast<std::size_t>(data.chosen[situation]);
}

std::size_t Situations::likeliest(std::size_t situation) const {
  const auto from = scores.probability.begin();
  return static_cast<std::size_t>(
      std::max_element(from + static_cast<std::ptrdiff_t>(data.begin[situation]),
                       from + static_cast<std::ptrdiff_t>(data.begin[situation + 1])) -
      from);
}

namespace {

std::string alternatives_text(const FittedModel& model, const Situations& all, std::size_t situation,
                              const Context& job) {
  const ChoiceSchema& schema = model.choice().schema;
  const ChoiceData one = select_situations(all.data, {static_cast<Index>(situation)});
  const Matrix<double> slopes = PreparedChoices(one).marginal_utilities(model, job);
  const auto begin = static_cast<std::size_t>(all.data.begin[situation]),
             end = static_cast<std::size_t>(all.data.begin[situation + 1]);
  std::string out = fmt::format("\n{:<24}{:>14}{:>14}\n", "alternative", "utility", "probability");
  for (std::size_t j = begin; j < end; ++j)
    out += fmt::format("{:<24.23}{:>14.6g}{:>14.4f}\n",
                       all.data.alternatives[static_cast<std::size_t>(all.data.classes[j])],
                       all.scores.utility[j], all.scores.probability[j]);
  out += fmt::format("\n{:<24}{:<24}{:>10}{:>20}\n", "attribute", "alternative", "value", "utility per unit");
  for (std::size_t k = 0; k < schema.attributes.size(); ++k)
    for (std::size_t j = begin; j < end; ++j)
      out += fmt::format("{:<24.23}{:<24.23}{:>10.4g}{:>20}\n", schema.attributes[k],
                         all.data.alternatives[static_cast<std::size_t>(all.data.classes[j])],
                         all.data.attributes(static_cast<Index>(j), static_cast<Index>(k)),
                         k < schema.declared ? fmt::format("{:+.4g}", slopes(static_cast<Index>(j - begin),
                                                                             static_cast<Index>(k)))
                                             : "a term");
  return out;
}

}  // namespace

std::string explain_situation(const FittedModel& model, const Table& table, std::size_t situation,
                              const std::string& block, const Context& job) {
  const Situations all(model, table, Part::all, false, job);
  if (situation < 1 || situation > all.count())
    throw UsageError(fmt::format("`row` = {}: there are situations 1 to {}", situation, all.count()));
  const std::size_t i = situation - 1;
  const explain::Problem problem = problem_of(model, explain::Units::standardised);
  const auto case_of = [&](std::size_t entry, const char* title) {
    Solution at = solution(problem, all.context.row(static_cast<Index>(i)), all.response(entry));
    return explain::RowCase{
        .title = title,
        .response = all.data.alternatives[static_cast<std::size_t>(all.data.classes[entry])],
        .output = at.output,
        .evaluation = std::move(at.evaluation)};
  };
  const std::size_t best = all.likeliest(i);
  const bool known = all.data.choices_known();
  std::vector<explain::RowCase> cases;
  if (known)
    cases.push_back(case_of(all.chosen(i), all.chosen(i) == best ? "chosen and likeliest" : "chosen"));
  if (!known || all.chosen(i) != best) cases.push_back(case_of(best, "likeliest"));
  const explain::RenderOptions render{.terms = 0, .threshold = 0, .block = block};
  return fmt::format("Situation {} ({})\n\n", situation, all.data.context.place(static_cast<Index>(i))) +
         explain::render_row(problem, explain::leading_blocks(problem, render), cases) +
         alternatives_text(model, all, i, job);
}

}  // namespace bl

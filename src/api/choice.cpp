#include "bl/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/choice_impl.hpp"
#include "api/choice_reading.hpp"
#include "api/impl.hpp"
#include "api/stored_settings.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

std::size_t index_of(const std::string& name, const std::vector<std::string>& names, const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("the model has no {} {} among {}{}", what, in_quotes(name),
                                 quoted_list(names), did_you_mean(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

std::string error_text(double value) {
  return std::isnan(value) ? fmt::format("{:>12}", "-") : fmt::format("{:>12.6f}", value);
}

}  // namespace

ChoiceModel::Impl::Impl(StoredChoice model)
    : stored(std::move(model)),
      schema(read_choice_schema(stored.schema_text, stored.schema_name)),
      network(stored.architecture) {
  network.prepare(stored.parameters, prepared);
}

std::size_t ChoiceModel::Impl::attribute(const std::string& name) const {
  return index_of(name, schema.attributes, "attribute");
}
std::size_t ChoiceModel::Impl::alternative(const std::string& name) const {
  return index_of(name, stored.alternatives, "alternative");
}

void align_alternatives(ChoiceData& data, const std::vector<std::string>& alternatives) {
  std::vector<std::int32_t> places;
  for (const std::string& name : data.alternatives) {
    const auto found = std::find(alternatives.begin(), alternatives.end(), name);
    if (found == alternatives.end())
      throw DataError(fmt::format("{}: the model knows no alternative {}; it knows {}{}", data.context.source,
                                  in_quotes(name), quoted_list(alternatives),
                                  did_you_mean(name, alternatives)));
    places.push_back(static_cast<std::int32_t>(found - alternatives.begin()));
  }
  for (std::int32_t& one : data.classes) one = places[static_cast<std::size_t>(one)];
  data.alternatives = alternatives;
}

Settings choice_settings(const ChoiceModel::Impl& model) {
  return stored_settings(model.stored.information);
}

namespace {

ChoiceData read_all(const ChoiceModel::Impl& model, const Table& table, bool need_choice) {
  ChoiceData all = read_choices(table, model.schema, need_choice);
  align_alternatives(all, model.stored.alternatives);
  return all;
}

bool is_fit_data(const ChoiceModel::Impl& model, const Table& table) {
  return model.stored.information.value("digest", "") == table_digest(table);
}

}  // namespace

std::vector<Index> fit_situations(const ChoiceModel::Impl& model, const Data& data) {
  const Table& table = data.impl().table;
  const Part part = is_fit_data(model, table) ? Part::train : Part::all;
  return choice_part(read_all(model, table, false), choice_settings(model), part);
}

ChoiceData read_part(const ChoiceModel::Impl& model, const Data& data, Part part, bool need_choice) {
  const Table& table = data.impl().table;
  ChoiceData all = read_all(model, table, need_choice || part != Part::all);
  if (part == Part::all) return all;
  if (!is_fit_data(model, table))
    throw DataError(table.source +
                    ": not the file this model was fitted on, so its parts are not known; leave out `part`");
  const auto rows = choice_part(all, choice_settings(model), part);
  if (rows.empty())
    throw UsageError(
        "this model was fitted without such a part; leave out `part`, or fit with `fractions` 7:1:2");
  return select_situations(all, rows);
}

ChoiceModel ChoiceModel::load(const std::string& path) {
  return ChoiceModel(std::make_shared<const Impl>(choice_from_file(artifact::load(path))));
}

void ChoiceModel::save(const std::string& path) const {
  artifact::save(path, choice_to_file(impl_->stored));
}

std::string ChoiceModel::to_bytes() const {
  return artifact::serialize(choice_to_file(impl_->stored));
}

ChoiceModel ChoiceModel::from_bytes(std::string_view bytes, const std::string& name) {
  return ChoiceModel(std::make_shared<const Impl>(choice_from_file(artifact::parse(bytes, name))));
}

const std::vector<std::string>& ChoiceModel::alternatives() const {
  return impl_->stored.alternatives;
}

std::string ChoiceModel::information_json() const {
  return choice_document(impl_->stored).dump(2);
}

const std::vector<ChoiceCoefficient>& ChoiceModel::coefficients() const {
  return impl_->stored.coefficients;
}

const std::vector<std::string>& ChoiceModel::attributes() const {
  return impl_->schema.attributes;
}

std::string ChoiceModel::describe() const {
  const StoredChoice& m = impl_->stored;
  std::string names, attributes, out;
  for (const std::string& name : m.alternatives) names += (names.empty() ? "" : ", ") + name;
  for (const std::string& name : impl_->schema.attributes)
    attributes += (attributes.empty() ? "" : ", ") + name;
  out += fmt::format("choice      among {}\nattributes  {}\n", names, attributes);
  for (const auto& [sign, what] : {std::pair(-1, "please"), std::pair(1, "displease")}) {
    std::string kept;
    for (std::size_t k = 0; k < impl_->schema.signs.size(); ++k)
      if (impl_->schema.signs[k] == sign) kept += (kept.empty() ? "" : ", ") + impl_->schema.attributes[k];
    if (!kept.empty()) out += fmt::format("signs       {} never {}\n", kept, what);
  }
  if (m.coefficients.empty()) {
    std::string layers;
    for (const LayerSpec& layer : m.architecture.layers)
      layers += (layers.empty() ? "" : ",") + std::to_string(layer.blocks);
    return out +
           fmt::format(
               "context     {} columns, encoded as {}\nmodel       network, layers [{}], {} parameters\n",
               impl_->schema.context.size(), m.encoder.columns().size(), layers,
               impl_->network.layout().free_count());
  }
  const bool clustered = std::any_of(m.coefficients.begin(), m.coefficients.end(),
                                     [](const auto& one) { return !std::isnan(one.clustered_error); });
  out += fmt::format("\n{:<24}{:>12}{:>12}{:>12}{}\n", "linear utility", "estimate", "s.e.", "robust s.e.",
                     clustered ? "  by person" : "");
  for (const ChoiceCoefficient& one : m.coefficients)
    out +=
        fmt::format("{:<24}{:>12.6f}{}{}{}\n", one.name, one.estimate, error_text(one.standard_error),
                    error_text(one.robust_error), clustered ? error_text(one.clustered_error).substr(1) : "");
  return out;
}

OutputTable ChoiceModel::predict(const Data& data, Part part, std::size_t threads) const {
  const ChoiceData choices = read_part(*impl_, data, part, false);
  ThreadPool pool(threads);
  const ChoiceScores scores = score_choices(*impl_, choices, pool, part);
  const auto situations = static_cast<std::size_t>(choices.situations());
  OutputTable out;
  out.rows = situations;
  out.columns.push_back({impl_->schema.wide ? "line" : impl_->schema.situation, {}, choices.labels});
  for (const std::string& name : choices.alternatives)
    out.columns.push_back({"p(" + name + ")", std::vector<double>(situations, 0), {}});
  OutputColumn likeliest{"likeliest", {}, {}};
  for (std::size_t i = 0; i < situations; ++i) {
    const auto begin = static_cast<std::size_t>(choices.begin[i]),
               end = static_cast<std::size_t>(choices.begin[i + 1]);
    std::size_t best = begin;
    for (std::size_t j = begin; j < end; ++j) {
      out.columns[1 + static_cast<std::size_t>(choices.classes[j])].numbers[i] = scores.probability[j];
      if (scores.probability[j] > scores.probability[best]) best = j;
    }
    likeliest.texts.push_back(choices.alternatives[static_cast<std::size_t>(choices.classes[best])]);
  }
  out.columns.push_back(std::move(likeliest));
  return out;
}

OutputTable ChoiceModel::utilities(const Data& data, Part part, std::size_t threads) const {
  const ChoiceData choices = read_part(*impl_, data, part, false);
  ThreadPool pool(threads);
  const ChoiceScores scores = score_choices(*impl_, choices, pool, part);
  OutputTable out;
  out.rows = static_cast<std::size_t>(choices.situations());
  out.columns.push_back({impl_->schema.wide ? "line" : impl_->schema.situation, {}, choices.labels});
  for (const std::string& name : choices.alternatives)
    out.columns.push_back({"utility(" + name + ")", std::vector<double>(out.rows, std::nan("")), {}});
  for (std::size_t i = 0; i < out.rows; ++i)
    for (auto j = static_cast<std::size_t>(choices.begin[i]);
         j < static_cast<std::size_t>(choices.begin[i + 1]); ++j)
      out.columns[1 + static_cast<std::size_t>(choices.classes[j])].numbers[i] = scores.utility[j];
  return out;
}

std::vector<double> predicted_shares(const ChoiceData& data, const std::vector<std::int32_t>& names,
                                     const std::vector<double>& probability) {
  std::vector<double> shares(data.alternatives.size(), 0);
  double total = 0;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const double w = data.weights.empty() ? 1 : data.weights[i];
    total += w;
    for (auto j = static_cast<std::size_t>(data.begin[i]); j < static_cast<std::size_t>(data.begin[i + 1]);
         ++j)
      shares[static_cast<std::size_t>(names[j])] += w * probability[j];
  }
  for (double& share : shares) share /= total;
  return shares;
}

OutputTable ChoiceModel::market_shares(const Data& data, Part part, std::size_t threads) const {
  const ChoiceData choices = read_part(*impl_, data, part, false);
  ThreadPool pool(threads);
  OutputTable out;
  out.rows = choices.alternatives.size();
  out.columns.push_back({"alternative", {}, choices.alternatives});
  const ChoiceScores scores = score_choices(*impl_, choices, pool, part);
  out.columns.push_back({"predicted", predicted_shares(choices, choices.classes, scores.probability), {}});
  if (choices.choices_known()) {
    std::vector<double> picked(choices.classes.size(), 0);
    for (std::size_t i = 0; i < choices.chosen.size(); ++i)
      picked[static_cast<std::size_t>(choices.begin[i]) + static_cast<std::size_t>(choices.chosen[i])] = 1;
    out.columns.push_back({"observed", predicted_shares(choices, choices.classes, picked), {}});
  }
  return out;
}

std::vector<Metric> ChoiceModel::evaluate(const Data& data, Part part, std::size_t threads) const {
  const ChoiceData choices = read_part(*impl_, data, part, true);
  ThreadPool pool(threads);
  return choice_metrics(choices, score_choices(*impl_, choices, pool, part));
}

}  // namespace bl

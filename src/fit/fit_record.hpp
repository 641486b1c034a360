// What is told of a fit and what a model file keeps of it, whatever its response.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "artifact/model_file.hpp"
#include "bl/model.hpp"
#include "data/table.hpp"
#include "fit/trained.hpp"
#include "plan/unused_settings.hpp"

namespace bl {

// What was learned from, and with which settings. Parts are counted in rows, or in situations.
struct FitSource {
  const Settings& settings;
  const Table& table;         // of which this process holds the cells
  const std::string& digest;  // of all
  Index rows;
  std::size_t train, validation, test;
};
FitSource source_of(const Prepared& p);

// Of the rows that were held out.
nlohmann::json held_out_metrics(const FitSummary& summary);

// What the model file says about where it comes from: settings, data, parts, training.
nlohmann::json information_of(const FitSource& from, const TrainedMembers& learned);

// How learning ended, what it took and what it was about.
void describe_fit(const FitSource& from, const Trained& trained, FitSummary& summary);

// What was decided where the settings left the choice; the architecture is still that of one member.
nlohmann::json used_settings(const Prepared& p, const Trained& trained, const FitUse& use, int starts);

// The model of a table as it is stored; `p` takes the architecture of all members.
StoredModel stored_model(Prepared& p, Trained& trained, bool to_minimum, const FitOptions& options);

}  // namespace bl

// From data to a model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bl/choice_declaration.hpp"
#include "bl/model.hpp"

namespace bl {

// Where a fit stands: at an epoch of a network, or somewhere else, in a line of text.
struct FitProgress {
  // Empty at an epoch. Else what is being done, with the time left, and of the rest only `seconds` is known.
  std::string text = {};
  std::int64_t member = 1, members = 1;  // of the networks that are joined in the end
  std::int64_t epoch = 0;
  double epoch_share = 0;      // of the next epoch that is done, too
  std::int64_t epochs = 0;     // at most
  double train_loss = 0;       // NaN before the first epoch is over
  double validation_loss = 0;  // NaN without validation rows
  double best = 0;             // best validation loss so far
  std::int64_t best_epoch = 0;
  double seconds = 0;  // since the fit was begun
  // Of all networks, and of learning on from all rows where that follows. NaN: not known.
  double seconds_left = 0;
  bool left_at_most = false;  // as if all epochs were run; no network has ended yet
  bool trial = false;         // of short fits that choose a setting before the networks are learned
};

struct FitOptions {
  // After every epoch; within an epoch, and in trials, once a second; in other work with a text.
  std::function<void(const FitProgress&)> on_progress;
  std::function<bool()> should_stop;  // true ends training with the best model so far
  std::string checkpoint;  // file to save the state in, every few seconds at the end of an epoch; empty: none
  bool resume = false;     // go on from that file if it is there
  // Called once with the trained model, before held-out rows are judged: to keep it whatever comes after.
  std::function<void(const Model&)> on_trained = {};
  // What each row is for (`all`: for nothing), instead of a split by the settings; empty: by the settings.
  std::vector<Part> parts = {};
  // The caller keeps test rows elsewhere: where the settings leave split and fractions at their defaults
  // there is no test part and every class keeps a training row (stratified, 7:1:0).
  bool training_rows_only = false;
  // Go on from this model's parameters and encoding, with the same architecture; a checkpoint wins over it.
  std::optional<Model> start = {};
  // A setting that was given and has no effect on this fit is listed in FitSummary::unused instead of being
  // refused: for searches over grids of settings.
  bool list_unused = false;
};

struct FitSummary {
  Model model;
  std::string plan = {};                 // what was decided about data and model, in lines
  std::vector<std::string> notes = {};   // constant columns, duplicates, filled-in values
  std::vector<std::string> unused = {};  // settings without effect, each in a sentence
  std::string stop_reason = {};
  std::string stop_cause = {};
  bool interrupted = false;
  std::int64_t epochs = 0;
  std::int64_t best_epoch = 0;
  std::int64_t parameters = 0;
  double seconds = 0;
  double peak_megabytes = 0;                       // of the process, up to the end of the fit
  double table_megabytes = 0;                      // of that: the data as read
  double encoded_megabytes = 0;                    // and as trained on
  std::vector<Metric> validation = {}, test = {};  // empty where the part is
  std::vector<Metric> train = {};                  // of choices
  std::size_t train_rows = 0, validation_rows = 0, test_rows = 0;
};

// UsageError, DataError; NumericError where training diverged before one usable epoch.
FitSummary fit(const Data& data, const Settings& settings, const FitOptions& options = {});

// Choices among alternatives. The declaration's settings count, and above them those that are given in
// `settings`; its draws and latent classes take seed and starts from there where they have none of their own.
// A linear utility takes all situations for training unless fractions are given. UsageError for
// FitOptions::parts and FitOptions::start.
FitSummary fit(const Data& data, const ChoiceDeclaration& declaration, const Settings& settings,
               const FitOptions& options = {});

}  // namespace bl

// What a table and settings make before anything is learned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bl/fit.hpp"
#include "data/shared_table.hpp"
#include "data/split.hpp"
#include "features/encoder.hpp"
#include "features/response_space.hpp"
#include "fit/table_fit.hpp"
#include "model/architecture.hpp"
#include "training/trainer.hpp"

namespace bl {

// Views the table and the settings it was made of.
struct Prepared {
  const Table* table;  // without the features where `shared` has them
  const Settings* settings;
  std::string digest;  // of the table
  Split split;
  Encoder encoder;
  ResponseSpace space;
  Architecture architecture;  // of one member
  Index members;
  bool wide;                                // by the rules for wide inputs
  bool shifts;                              // images are learned shifted, too
  bool refits;                              // a second part, that learns from all rows, is to follow
  double readout_unit;                      // while it is learned
  std::vector<std::vector<double>> starts;  // of each member; empty: from the seed
  std::vector<Bound> bounds;                // that curves ask for, per parameter; empty: none
  bool warm = false;                        // the starts are those of a learned model
  // Of a second part, that learns on from all rows: what the first was.
  struct First {
    std::int64_t epochs = 0;
    double seconds = 0;
    std::optional<double> smoothness = {};
    std::optional<double> decay = {};  // that was chosen
  };
  std::optional<First> first = {};
  const SharedTable* shared = nullptr;  // the features, where they lie with several ranks
  Index knots = 0;                      // that a curve was allowed
  std::size_t rows_later = 0;           // of a first part: those that the second learns from
  const Guidance* guidance = nullptr;
};

// asked: the settings as they were given, which say whether a second part follows. Where `shared` is not null
// it has the features, and `table` the rest.
Prepared prepare(const Table& table, const Schema& schema, const Settings& settings, const Settings& asked,
                 const FitOptions& options, const Context& job, const SharedTable* shared = nullptr);

// A row that cannot be judged after training is an error before it. Validation rows are encoded first anyway.
void check_held_out(const Prepared& p);

// How the parameters are trained: by the settings, the shapes, and what came before.
TrainSpec training_spec(const Prepared& p);

}  // namespace bl

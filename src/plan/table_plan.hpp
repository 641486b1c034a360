// From settings to how a table is read, what its columns mean and how its rows are cut.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bl/model.hpp"
#include "bl/settings.hpp"
#include "data/read_options.hpp"
#include "data/split.hpp"
#include "data/table.hpp"
#include "data/whole_column.hpp"
#include "features/encoding.hpp"
#include "features/schema.hpp"

namespace bl {

// "7:1:2" -> 7, 1, 2. UsageError.
std::array<double, 3> split_fractions(const std::string& text);

ReadOptions read_options(const Settings& settings);
// What settings and the schema file say about columns.
ColumnSettings column_settings(const Settings& settings);
EncodeOptions encode_options(const Settings& settings, const Schema& schema);
// Of the columns of a choice, whose far values are left as they are unless asked.
EncodeOptions choice_encode_options(const Settings& settings, const Schema& schema);

// Without a target the labels of images are the response. Where there are none every feature becomes one
// (numbers continuous): the joint distribution of all columns.
Schema plan_schema(const Table& table, const Settings& settings, const WholeColumn& whole = {});

// Of these rows, those in which no response is missing. All of them where the table lacks a response
// altogether. DataError where none is left.
std::vector<Index> rows_with_responses(const Table& table, const Schema& schema, std::vector<Index> rows);

// The split that a fit with these settings makes of this table; the same for the same settings and table.
// Rows without a response are in no part, unless missing values are refused.
Split plan_split(const Table& table, const Schema& schema, const Settings& settings);

// The same of situations: persons, where there are any, are the groups. `source` stands for the data in
// messages.
Split plan_split(Index situations, const std::vector<std::int32_t>& persons, const Settings& settings,
                 const std::string& source);

// Rows of a part in `count` folds of nearly equal size, in ascending order each: groups stay together, rows
// that are split by their order are neighbours. None where there are fewer rows (or groups) than folds.
std::vector<std::vector<Index>> plan_folds(const Table& table, const Schema& schema, const Settings& settings,
                                           std::span<const Index> rows, Index count);

// The rows of all parts, in ascending order.
std::vector<Index> rows_of_all_parts(const Split& split);

// The rows of one part; not of all.
const std::vector<Index>& rows_of(const Split& split, Part part);

// Of rows whose caller keeps test rows elsewhere: split and fractions that are at their defaults cut no test
// part and leave every class a training row.
Settings without_test_part(const Settings& settings, const Schema& schema);

// Rows by what the caller says each is for; `all` is for nothing. UsageError unless there is one part per row
// and a training row.
Split given_split(const std::vector<Part>& parts, Index rows);

}  // namespace bl

// What is learned of a table whose rows lie with several ranks. All ranks make these calls at the same time;
// what they learn is that of the whole table, to the bit.
#pragma once

#include <span>

#include "data/shared_table.hpp"
#include "features/encoder.hpp"

namespace bl {

// Every rank learns some of the features. `known` has all rows of the responses and none of the features.
Encoder fit_encoder(const SharedTable& shared, const Table& known, const Schema& schema,
                    const EncodeOptions& options, std::span<const Index> rows, const Context& job);

// Responses, weights and groups of all rows into their columns of the head.
void gather_known(const SharedTable& shared, const Schema& schema, Table& head);

// The same encoder of responses and weights alone.
Encoder without_features(const Encoder& encoder);

// The features of these rows, in ascending order, for all ranks.
template <class T>
Matrix<T> gathered_features(const Encoder& encoder, const SharedTable& shared, std::span<const Index> rows);

// By the rules of infer_schema(table, options). The table has names and types of columns.
Schema infer_schema(const Table& table, const RoleOptions& options, const WholeColumn& whole);

}  // namespace bl

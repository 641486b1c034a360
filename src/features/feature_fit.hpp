// What is learned of single columns, for who puts an encoder together.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "data/table.hpp"
#include "features/encoding.hpp"
#include "features/schema.hpp"

namespace bl {

// Of the column `data`, which has all rows of the table; the table stands for the others in messages. What is
// noticed is added to the report. Errors are those of Encoder::fit.
FeatureEncoding fit_feature(const Table& table, const Column& data, const SchemaColumn& column,
                            const EncodeOptions& options, std::span<const Index> rows, EncodingReport& report,
                            const Context& job);
ResponseEncoding fit_response(const Table& table, const Column& data, const SchemaColumn& column,
                              const EncodeOptions& options, std::span<const Index> rows, const Context& job);

// Equal values have equal hashes.
std::size_t value_hash(const Column& column, std::span<const Index> rows);
bool equal_values(const Column& a, const Column& b, std::span<const Index> rows);
// Of columns with these names and hashes: each that equals an earlier one, and that one.
std::vector<std::pair<std::string, std::string>> find_duplicates(
    std::span<const std::string> names, std::span<const std::size_t> hashes,
    const std::function<bool(const std::string&, const std::string&)>& equal);

// As in the file of an encoder.
nlohmann::json feature_json(const FeatureEncoding& feature);
nlohmann::json response_json(const ResponseEncoding& response);
nlohmann::json report_json(const EncodingReport& report);

}  // namespace bl

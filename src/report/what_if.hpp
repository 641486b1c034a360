// What can be changed in the page: the row it begins at, its prediction for those without scripts, and the
// document that the script reads.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/choice_subject.hpp"
#include "report/matters.hpp"
#include "report/subject.hpp"

namespace bl::report {

// Models of more bytes are left out of the page.
inline constexpr std::size_t kLargestModel = 2'200'000;

// Of many columns only those that matter most have controls.
nlohmann::json table_document(const TableSubject& subject, const Importance& importance);
nlohmann::json choice_document(const ChoiceSubject& subject, const Scenarios& scenarios);

// Where the script puts its controls, after the values and the prediction of the start as a table.
std::string table_what_if(const TableSubject& subject);
std::string choice_what_if(const ChoiceSubject& subject);

}  // namespace bl::report

// Help with misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bl {

// "; did you mean 'income'?", or nothing when no valid name is close.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> valid);

}  // namespace bl

// Color for terminals, put into finished plain text: without its escapes it is that text again.
#pragma once

#include <string>
#include <vector>

namespace bl::explain {

// Names of blocks and heads in bold, positive terms blue and negative ones red as in the pictures,
// `responses` in yellow, slack, met and binding, violated, off in green, yellow and red; R[n] faint.
std::string colored(const std::string& text, const std::vector<std::string>& responses);

}  // namespace bl::explain

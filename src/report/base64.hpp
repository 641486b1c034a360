// Bytes as text that a page can carry.
#pragma once

#include <span>
#include <string>

namespace bl::report {

std::string base64(std::span<const unsigned char> bytes);

}  // namespace bl::report

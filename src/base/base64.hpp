// Bytes as text that a page can carry.
#pragma once

#include <string>
#include <string_view>

namespace bl {

std::string base64(std::string_view bytes);

}  // namespace bl

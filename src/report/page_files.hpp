// The script and the style of the page: src/report/page, embedded by CMake.
#pragma once

#include <string_view>

namespace bl::report {

std::string_view page_script();
std::string_view page_style();

}  // namespace bl::report

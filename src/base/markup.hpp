// Names of users inside LaTeX and Markdown.
#pragma once

#include <string>

namespace bl {

std::string latex_escaped(const std::string& text);
std::string markdown_escaped(const std::string& text);

}  // namespace bl

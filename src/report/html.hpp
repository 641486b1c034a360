// Small parts of the page: text that is safe in HTML, numbers for people, tables, sections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bl::report {

std::string escaped(const std::string& text);

// Four significant digits, a dash for what is not a number.
std::string number(double value);
// "12.3%".
std::string percent(double share);
// "0.853 ± 0.004" with as many digits as the error warrants; without an error the value alone.
std::string with_error(double value, double error);

// Cells are HTML. The first column is a heading of its row; the others are aligned as numbers.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
std::string table(const HtmlTable& table);

// A section with a heading, and under it one sentence that says how to read it.
std::string section(const std::string& id, const std::string& title, const std::string& help,
                    const std::string& body);
// Closed until it is opened; works without scripts.
std::string details(const std::string& summary, const std::string& body, const std::string& id = "");
// A picture with its caption, both HTML.
std::string figure(const std::string& caption, const std::string& picture);
std::string paragraph(const std::string& html, const char* kind = nullptr);

}  // namespace bl::report

#include "report/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/html.hpp"
#include "report/page_files.hpp"

namespace bl::report {

namespace {

// As text inside a script element: nothing in it can end the element.
std::string embedded(const nlohmann::json& document) {
  std::string out;
  for (const char c : document.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string render_page(const Page& page, const nlohmann::json& document) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out += "<link rel=\"icon\" href=\"data:,\">\n";
  out += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", escaped(page.title),
                     page_style());
  out += "<a class=\"skip\" href=\"#main\">To the content</a>\n";
  out += fmt::format("<header>\n<h1>{}</h1>\n{}</header>\n<nav aria-label=\"Sections\"><ul>\n",
                     escaped(page.title), page.lead);
  for (const Section& one : page.sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", one.id, one.nav);
  out += "</ul></nav>\n<main id=\"main\">\n";
  for (const Section& one : page.sections) out += section(one.id, one.title, one.help, one.body);
  out +=
      "</main>\n<script type=\"application/json\" id=\"report-data\">" + embedded(document) + "</script>\n";
  out += fmt::format("<script>\n{}</script>\n</body>\n</html>\n", page_script());
  return out;
}

}  // namespace bl::report

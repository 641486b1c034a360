// The page itself: head, navigation, sections, script.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bl::report {

struct Section {
  std::string id;
  std::string nav;  // in the list of sections
  std::string title;
  std::string help;  // one sentence: how to read it
  std::string body;
};

struct Page {
  std::string title;
  std::string lead;  // HTML: what was learned, in a few sentences
  std::vector<Section> sections;
};

// `document` is what the script reads; an empty object where nothing can be changed in the page.
std::string render_page(const Page& page, const nlohmann::json& document);

}  // namespace bl::report

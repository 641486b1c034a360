#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/joined.hpp"
#include "base/wrapped_text.hpp"
#include "explain/hierarchy.hpp"
#include "explain/svg.hpp"
#include "explain/svg_parts.hpp"

namespace bl::explain {

namespace {

constexpr double kBoxWidth = 216, kBoxGap = 26, kPad = 9, kDrawnLine = 1.25 * kFont;
constexpr double kLayerGap = 92;  // between layers, for the lines
constexpr double kChipHeight = 24, kDrawnMargin = 30, kDrawnTop = 52, kDrawnFoot = 62;
constexpr double kDrawnWidest = 9;
constexpr std::size_t kMostBlocks = 7;    // of a layer
constexpr std::size_t kMostOutputs = 10;  // classes of the vector form
constexpr std::size_t kColumnsPerBlock = 4, kDrawnMostColumns = 16, kDrawnProfileTerms = 2,
                      kDrawnLongestName = 18, kLongestWord = 26;
constexpr double kLeastShare = 0.06;  // of what a block reads; less is not drawn

struct Place {
  Point middle;
  double width = 0, height = 0;
  Point top() const { return {middle.x, middle.y - height / 2}; }
  Point bottom() const { return {middle.x, middle.y + height / 2}; }
};

struct Line {
  std::string from, to;
  double share = 0;
  bool positive = true;
  std::string label;  // beside its upper end
};

// A block's profile set in the lines of its box.
struct Box {
  const BlockProfile* profile = nullptr;
  std::vector<std::string> lines;
};

std::vector<std::string> lines_within(const std::string& text, double width) {
  std::vector<std::string> all = words(text);
  for (std::string& word : all) word = svg_shortened(word, kLongestWord);
  return set_in_lines("", all, "\u2003",
                      [&](const std::string& line) { return svg_text_width(line) <= width; });
}

class NetworkDrawing {
 public:
  explicit NetworkDrawing(const Problem& problem)
      : problem_(problem), layers_(hierarchy(problem, kDrawnProfileTerms)) {
    choose_boxes();
    choose_columns();
    set_places();
    find_lines();
    mark_path();
  }

  std::string draw() const {
    std::string out = svg_start(width_, height_);
    out += svg_text({12, 22}, fmt::format("From the data to the utility of {}", problem_.response),
                    "font-weight='bold' font-size='14'");
    for (const bool strong : {false, true})
      for (const Line& line : lines_)
        if (on_path(line) == strong) out += draw_line(line, strong);
    for (const std::string& name : columns_) out += draw_chip(name, is_response(name));
    for (const std::string& name : outputs_) out += draw_chip(name, false);
    for (const auto& boxes : boxes_)
      for (const Box& box : boxes) out += draw_box(box);
    for (const Line& line : lines_) out += draw_label(line);
    return out + draw_rest() + legend() + "</svg>\n";
  }

 private:
  void choose_boxes() {
    for (const auto& layer : layers_) {
      std::vector<const BlockProfile*> all;
      for (const BlockProfile& profile : layer) all.push_back(&profile);
      std::stable_sort(all.begin(), all.end(), [](const BlockProfile* a, const BlockProfile* b) {
        return a->influence > b->influence;
      });
      all.resize(std::min(all.size(), kMostBlocks));
      std::sort(all.begin(), all.end(), [](const BlockProfile* a, const BlockProfile* b) {
        return a->block->variable < b->block->variable;
      });
      boxes_.emplace_back();
      for (const BlockProfile* profile : all) boxes_.back().push_back(box_of(*profile));
    }
  }

  Box box_of(const BlockProfile& profile) const {
    Box box{.profile = &profile, .lines = {}};
    for (const Head& head : profile.block->heads) {
      const std::string text = head.name.substr(profile.block->name.size() + 1) + "\u00a0 " +
                               head_words(problem_, head, kDrawnProfileTerms);
      for (std::string& line : lines_within(text, kBoxWidth - 2 * kPad)) box.lines.push_back(std::move(line));
    }
    if (!profile.reads.empty() && !profile.columns.empty()) {
      std::string columns = "reads of the data:";
      for (std::size_t i = 0; i < std::min<std::size_t>(3, profile.columns.size()); ++i)
        columns += " " + profile.columns[i].column;
      for (std::string& line : lines_within(columns, kBoxWidth - 2 * kPad))
        box.lines.push_back(std::move(line));
    }
    return box;
  }

  // Columns with a share worth drawing, near the blocks that read them.
  void choose_columns() {
    std::map<std::string, double> total, position;
    for (std::size_t b = 0; b < boxes_[0].size(); ++b) {
      const BlockProfile& profile = *boxes_[0][b].profile;
      for (std::size_t i = 0; i < std::min(kColumnsPerBlock, profile.columns.size()); ++i) {
        const ColumnShare& one = profile.columns[i];
        if (one.share < kLeastShare && i > 0) break;
        const double weight = one.share * (profile.influence + 0.01);
        total[one.column] += weight;
        position[one.column] += weight * static_cast<double>(b);
      }
    }
    for (const auto& [name, weight] : total) columns_.push_back(name);
    std::stable_sort(columns_.begin(), columns_.end(),
                     [&](const auto& a, const auto& b) { return total[a] > total[b]; });
    columns_.resize(std::min(columns_.size(), kDrawnMostColumns));
    std::stable_sort(columns_.begin(), columns_.end(), [&](const auto& a, const auto& b) {
      return position[a] / total[a] < position[b] / total[b];
    });
    for (const Output& output : problem_.outputs)
      if (outputs_.size() < kMostOutputs) outputs_.push_back(output.name);
  }

  static double chip_width(const std::string& name) {
    return svg_text_width(svg_shortened(name, kDrawnLongestName)) + 18;
  }

  double chips_width(const std::vector<std::string>& names) const {
    double sum = 0;
    for (const std::string& name : names) sum += chip_width(name) + 12;
    return sum;
  }

  void place_chips(const std::vector<std::string>& names, double y) {
    const double spread =
        (width_ - 2 * kDrawnMargin - chips_width(names)) / static_cast<double>(names.size());
    double x = kDrawnMargin;
    for (const std::string& name : names) {
      const double w = chip_width(name);
      x += (spread + 12) / 2;
      places_[name] = {{x + w / 2, y}, w, kChipHeight};
      x += w + (spread + 12) / 2;
    }
  }

  void set_places() {
    std::size_t widest = 1;
    for (const auto& boxes : boxes_) widest = std::max(widest, boxes.size());
    width_ =
        std::max({2 * kDrawnMargin + static_cast<double>(widest) * (kBoxWidth + kBoxGap) - kBoxGap,
                  2 * kDrawnMargin + chips_width(columns_), 2 * kDrawnMargin + chips_width(outputs_), 760.0});
    double y = kDrawnTop + kChipHeight / 2;
    place_chips(outputs_, y);
    y += kChipHeight / 2;
    for (std::size_t l = boxes_.size(); l-- > 0;) {
      std::size_t lines = 0;
      for (const Box& box : boxes_[l]) lines = std::max(lines, box.lines.size());
      const double height = kDrawnLine * static_cast<double>(lines + 1) + 2 * kPad + 2;
      y += kLayerGap;
      const double step = (width_ - 2 * kDrawnMargin) / static_cast<double>(boxes_[l].size());
      for (std::size_t b = 0; b < boxes_[l].size(); ++b)
        places_[boxes_[l][b].profile->block->name] = {
            {kDrawnMargin + step * (static_cast<double>(b) + 0.5), y + height / 2}, kBoxWidth, height};
      layer_top_.push_back(y);
      y += height;
    }
    y += kLayerGap;
    place_chips(columns_, y + kChipHeight / 2);
    height_ = y + kChipHeight + kDrawnFoot;
  }

  void find_lines() {
    for (const Box& box : boxes_[0])
      for (const ColumnShare& one : box.profile->columns)
        if (one.share >= kLeastShare && places_.contains(one.column))
          lines_.push_back({one.column, box.profile->block->name, one.share, one.positive, ""});
    for (const auto& boxes : boxes_)
      for (const Box& box : boxes)
        for (const Aggregation& one : box.profile->reads) add_aggregation(*box.profile, one);
    for (const Output& output : problem_.outputs) {
      double sum = 0;
      for (const BlockWeight& one : output.blocks) sum += std::abs(one.weight);
      for (const BlockWeight& one : output.blocks)
        add_line({problem_.variables[one.variable].name, output.name,
                  sum > 0 ? std::abs(one.weight) / sum : 0, one.weight >= 0,
                  problem_.outputs.size() == 1 ? fmt::format("{:+.3g}", one.weight) : ""});
    }
  }

  // Its color and label are those of the head in which it weighs most.
  void add_aggregation(const BlockProfile& profile, const Aggregation& one) {
    double most = std::abs(one.carried);
    Line line{problem_.variables[one.variable].name, profile.block->name, one.share, one.carried >= 0,
              one.carried == 0 ? "" : fmt::format("carried {:+.2g}", one.carried)};
    for (std::size_t h = 0; h < one.head_weights.size(); ++h) {
      const Head& head = profile.block->heads[h];
      if (std::abs(head.lambda * one.head_weights[h]) <= most) continue;
      most = std::abs(head.lambda * one.head_weights[h]);
      line.positive = one.head_weights[h] >= 0;
      line.label =
          fmt::format("{} {:+.2g}", head.name.substr(profile.block->name.size() + 1), one.head_weights[h]);
    }
    add_line(std::move(line));
  }

  void add_line(Line line) {
    if (line.share >= kLeastShare && places_.contains(line.from) && places_.contains(line.to))
      lines_.push_back(std::move(line));
  }

  void mark_path() {
    const std::vector<std::string> path = strongest_path(problem_, layers_);
    for (std::size_t i = 1; i + 1 < path.size(); ++i) path_.insert({path[i], path[i + 1]});
    if (problem_.outputs.size() > 1) path_.erase({path[path.size() - 2], path.back()});
    const auto& first = layers_[0];
    for (const BlockProfile& profile : first)
      if (profile.block->name == path[1])
        for (std::size_t i = 0; i < std::min<std::size_t>(3, profile.columns.size()); ++i)
          path_.insert({profile.columns[i].column, path[1]});
    path_text_ = joined(path, " \u2192 ");
  }

  bool on_path(const Line& line) const { return path_.contains({line.from, line.to}); }
  bool is_response(const std::string& column) const {
    return std::any_of(problem_.variables.begin(), problem_.variables.end(),
                       [&](const Variable& v) { return v.response && v.column == column; });
  }

  // Lines that end at one box arrive side by side, in the order of where they come from.
  std::size_t order_at_end(const Line& line) const {
    return static_cast<std::size_t>(std::count_if(lines_.begin(), lines_.end(), [&](const Line& other) {
      return other.to == line.to && places_.at(other.from).middle.x < places_.at(line.from).middle.x;
    }));
  }
  Point arrival(const Line& line) const {
    const Place& to = places_.at(line.to);
    const auto count = static_cast<double>(
        std::count_if(lines_.begin(), lines_.end(), [&](const Line& other) { return other.to == line.to; }));
    const double share = (static_cast<double>(order_at_end(line)) + 0.5) / count;
    return {to.middle.x + 0.92 * to.width * (share - 0.5), to.bottom().y};
  }

  std::string draw_line(const Line& line, bool strong) const {
    const Point a = places_.at(line.from).top(), b = arrival(line);
    const double bend = 0.5 * (a.y - b.y);
    return fmt::format(
        "<path d='M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}' fill='none' stroke='{}' "
        "stroke-width='{:.1f}' stroke-opacity='{}'><title>{} in {}: {:.0f}%{}</title></path>\n",
        a.x, a.y, a.x, a.y - bend, b.x, b.y + bend, b.x, b.y, sign_color(line.positive),
        1 + (kDrawnWidest - 1) * line.share, strong ? "0.95" : "0.35", svg_escaped(line.from),
        svg_escaped(line.to), 100 * line.share,
        line.label.empty() ? "" : ", most in " + svg_escaped(line.label));
  }

  std::string draw_label(const Line& line) const {
    if (line.label.empty()) return {};
    Point at = arrival(line);
    at.y += order_at_end(line) % 2 == 0 ? 14 : 27;  // neighbors would touch
    return svg_text(at, line.label,
                    fmt::format("fill='{}' font-size='10.5' text-anchor='middle' paint-order='stroke' "
                                "stroke='white' stroke-width='3'",
                                sign_color(line.positive)));
  }

  std::string draw_chip(const std::string& name, bool response) const {
    const Place& place = places_.at(name);
    return fmt::format(
               "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{}' rx='12' fill='{}' "
               "stroke='#666'><title>{}</title></rect>\n",
               place.middle.x - place.width / 2, place.top().y, place.width, kChipHeight,
               response ? kResponseFill : "#f0f0f0", svg_escaped(name)) +
           svg_text({place.middle.x, place.middle.y + 4}, svg_shortened(name, kDrawnLongestName),
                    "text-anchor='middle'");
  }

  std::string draw_box(const Box& box) const {
    const std::string& name = box.profile->block->name;
    const Place& place = places_.at(name);
    const bool strong =
        std::any_of(path_.begin(), path_.end(), [&](const auto& pair) { return pair.first == name; });
    const double left = place.middle.x - place.width / 2;
    std::string out = fmt::format(
        "<g data-block='{}'><rect x='{:.1f}' y='{:.1f}' width='{}' height='{:.1f}' rx='6' fill='#fcfcfd' "
        "stroke='{}' stroke-width='{}'/>\n",
        name, left, place.top().y, kBoxWidth, place.height, strong ? "#222" : "#999", strong ? 2 : 1);
    double y = place.top().y + kPad + 10;
    out += svg_text({left + kPad, y}, name, "font-weight='bold'");
    out += svg_text({left + kBoxWidth - kPad, y}, fmt::format("{:.0f}%", 100 * box.profile->influence),
                    "text-anchor='end' fill='#555'");
    y += 2;
    for (const std::string& line : box.lines) out += svg_text({left + kPad, y += kDrawnLine}, line);
    return out + "</g>\n";
  }

  // How many blocks of each layer are not drawn.
  std::string draw_rest() const {
    std::string out;
    for (std::size_t l = 0; l < boxes_.size(); ++l) {
      const std::size_t hidden = layers_[l].size() - boxes_[l].size();
      const Point at{12, layer_top_[boxes_.size() - 1 - l] - 8};
      out += svg_text(
          at,
          fmt::format("Layer {}{}", l + 1,
                      hidden > 0 ? fmt::format(", {} blocks of less influence left out", hidden) : ""),
          "fill='#777' paint-order='stroke' stroke='white' stroke-width='3'");
    }
    return out;
  }

  std::string legend() const {
    std::string out = svg_text({12, height_ - 42}, "Strongest way up: " + path_text_);
    out += fmt::format(
        "<text x='12' y='{:.0f}'>width: share of what a block reads; <tspan fill='{}'>blue</tspan> and "
        "<tspan "
        "fill='{}'>red</tspan>: sign of the largest term; percent: influence on the utility</text>\n",
        height_ - 25, kPositive, kNegative);
    return out +
           svg_text({12, height_ - 8}, fmt::format("shares under {:.0f}% are not drawn; orange: the response",
                                                   100 * kLeastShare));
  }

  const Problem& problem_;
  std::vector<std::vector<BlockProfile>> layers_;
  std::vector<std::vector<Box>> boxes_;  // of each layer, in the order of the model
  std::vector<std::string> columns_, outputs_;
  std::map<std::string, Place> places_;  // by name of column, block or output
  std::vector<double> layer_top_;        // from the last layer down
  std::vector<Line> lines_;
  std::set<std::pair<std::string, std::string>> path_;
  std::string path_text_;
  double width_ = 0, height_ = 0;
};

}  // namespace

std::string network_svg(const Problem& problem) {
  return NetworkDrawing(problem).draw();
}

}  // namespace bl::explain

#include <memory>

#include "bl/choice.hpp"
#include "features/choice_segments.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

std::vector<Segment> segments(const Model& model, const Data& data, const std::string& column) {
  std::vector<Segment> out;
  for (auto& [level, rows, situations] : by_level(data.impl().table, model.impl().choice().schema, column))
    out.push_back({level, Data(std::make_shared<Data::Impl>(Data::Impl{std::move(rows)})), situations});
  return out;
}

}  // namespace bl

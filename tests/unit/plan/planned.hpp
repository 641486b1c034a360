// A small table with settings, and what is planned for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/read_table.hpp"
#include "model/parameters.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl::test {

// Features x, c=a, c=b: a context of 3. y has 3 classes, s has 2; v, u and t are numbers.
inline const char* const kText =
    "x,c,y,s,v,u,t\n0.1,a,red,on,1.5,1,0\n0.2,b,blue,off,2.5,3.5,4\n0.7,a,green,on,3.5,2,9\n0.4,b,red,off,6."
    "5,7,3\n";

struct Planned {
  Settings settings;
  Table table = read_table_from_memory(kText, "t.csv");
  Encoder encoder;
  ResponseSpace space;

  explicit Planned(const std::string& target,
                   const std::vector<std::pair<std::string, std::string>>& chosen = {})
      : settings(with(target, chosen)),
        encoder(Encoder::fit(table, plan_schema(table, settings),
                             encode_options(settings, plan_schema(table, settings)), all_rows(table.rows),
                             Context(1))),
        space(encoder) {}

  static Settings with(const std::string& target,
                       const std::vector<std::pair<std::string, std::string>>& chosen) {
    Settings s;
    s.target = target;
    s.continuous = "v,u,t";
    for (const char* name : {"y", "s", "v", "u", "t"})
      if (target.find(name) == std::string::npos)
        s.ignore = s.ignore.value() + (s.ignore.empty() ? "" : ",") + name;
    for (const auto& [name, value] : chosen) set(s, name, value);
    return s;
  }

  Architecture architecture() const { return plan_architecture(settings, utility_inputs(encoder, space), 4); }
  Index parameters() const { return ParameterLayout(architecture()).free_count(); }
  ObjectiveSpec objective() const { return plan_objective(settings, space, support()); }
  Support support() const {
    return plan_support(settings, encoder, space,
                        encoder.encode<double>(table, all_rows(table.rows)).continuous);
  }
  std::string refusal() const {
    return test::message_of<UsageError>(
        [&] { plan_architecture(settings, utility_inputs(encoder, space), 4); });
  }
};

}  // namespace bl::test

#include "bl/devices.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "options.hpp"

namespace bl::cli {

void add_devices(CLI::App& app) {
  CLI::App* command = app.add_subcommand("devices", "List what training can run on (the setting `device`)");
  command->footer("Example:\n  bl devices\n  bl fit data.csv --target y --device cuda -o model.bl");
  command->callback([] {
    std::string out;
    for (const ComputeDevice& one : compute_devices())
      out += fmt::format("--device {:<6}{}\n               {}\n", one.setting, one.name, one.details);
    const std::string none = why_no_gpu();
    if (!none.empty()) out += fmt::format("no GPU: {}\n", none);
    write_text("-", out);
  });
}

}  // namespace bl::cli

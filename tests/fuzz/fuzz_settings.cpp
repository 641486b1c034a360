// Any text is either a settings file or refused with a UsageError; what was read can be written and read
// again.
#include "bl/errors.hpp"
#include "bl/settings.hpp"
#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

FuzzSeeds fuzz_seeds() {
  return {
      {bl::write_settings_file(bl::Settings{}), "learning_rate = 0.01\nlayers = \"5,3,1\"\nsingle = true\n"},
      {"learning_rate", "layers", "single", "true", "false", " = ", "\"", "1e308", "-1", "[", "]", "\n",
       "# "}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bl::Settings settings;
  try {
    bl::read_settings_text(settings, {reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  } catch (const bl::UsageError&) {
    return 0;
  }
  bl::Settings again;
  bl::read_settings_text(again, bl::write_settings_file(settings), "again.toml");
  for (const bl::SettingInfo& info : bl::setting_list())
    bl::fuzz::require(bl::get(again, info.name) == bl::get(settings, info.name),
                      "a written setting reads differently");
  return 0;
}

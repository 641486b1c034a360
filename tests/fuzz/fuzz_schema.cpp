#include "features/schema_toml.hpp"
#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

FuzzSeeds fuzz_seeds() {
  return {{"[columns]\nx = { role = \"feature\", type = \"continuous\" }  # 1 to 2\ny = { role = "
           "\"response\" }\n",
           "[columns]\ns = { type = \"ordinal\", levels = [\"low\", \"high\"] }\n\"odd name\" = { levels = "
           "[1, 2.5] }\n",
           "[columns.x]\nrole = \"weight\"\n[columns.g]\nrole = 'group'\n"},
          {"[columns]", "role", "type", "levels", "nominal", "ordinal", "response", " = ", "{", "}", "[", "]",
           "\"", "\n", "s", "y"}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bl::Table table =
      bl::read_table_from_memory("x,s,y,g,odd name\n1,low,a,u,1\n2,high,b,v,2.5\n", "t.csv");
  try {
    bl::RoleOptions options;
    options.columns = bl::read_schema_toml({reinterpret_cast<const char*>(data), size}, "f.toml");
    const bl::Schema schema = bl::infer_schema(table, options);
    bl::RoleOptions again;
    again.columns = bl::read_schema_toml(bl::write_schema_toml(schema, table), "again.toml");
    bl::fuzz::require(bl::infer_schema(table, again) == schema, "a written schema reads differently");
  } catch (const bl::Error&) {
  }
  return 0;
}

#include "features/choice_schema.hpp"
#include "fuzz/table_checks.hpp"
#include "fuzz/target.hpp"

FuzzSeeds fuzz_seeds() {
  return {
      {"[data]\nchoice = \"CHOICE\"\nfilter = \"P in (1, 3)\"\nperson = \"ID\"\n[[alternatives]]\nname = "
       "\"train\"\n"
       "code = 1\navailable = \"AV\"\nattributes = { time = \"TT / 100\" }\n[[alternatives]]\nname = "
       "\"car\"\n"
       "code = 2\nattributes = { time = \"CT / 100\" }\n[utility]\nreference = \"train\"\n",
       "[data]\nsituation = \"s\"\nalternative = \"a\"\nchosen = \"c == 1\"\n[attributes]\ncost = \"price\"\n"
       "[utility]\nreference = \"a\"\n[settings]\nseed = 3\n"},
      {"[data]", "[utility]", "[settings]", "[[alternatives]]", "[attributes]", "choice", "situation",
       "person", "attributes", "name", "code", " = ", "\"", "{", "}", "\n", "1"}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const bl::ChoiceSchema schema = bl::choice_schema(
        bl::ChoiceDeclaration::parse({reinterpret_cast<const char*>(data), size}, "f.toml"));
    bl::fuzz::require(schema.wide != schema.choice.empty(), "wide files name the column of the choice");
    for (const bl::ChoiceAlternative& alternative : schema.alternatives)
      bl::fuzz::require(!schema.wide || alternative.attributes.size() == schema.attributes.size(),
                        "every alternative has every attribute");
  } catch (const bl::Error&) {
  }
  return 0;
}

// Learns who buys from a small table made here, and predicts two people.
#include <bl/errors.hpp>
#include <bl/fit.hpp>
#include <cstdio>

int main() {
  try {
    std::vector<double> price, income;
    std::vector<std::optional<std::string>> buys;
    for (int i = 0; i < 400; ++i) {
      price.push_back(i % 20);
      income.push_back(i / 20);
      buys.emplace_back(price.back() < income.back() ? "yes" : "no");
    }
    const bl::Data data = bl::Data::from_columns({{.name = "price", .numbers = price},
                                                  {.name = "income", .numbers = income},
                                                  {.name = "buys", .texts = buys}},
                                                 "purchases");
    bl::Settings settings;
    settings.target = "buys";
    settings.layers = "2,1";
    const bl::Model model = bl::fit(data, settings).model;

    const bl::Data people = bl::Data::from_columns(
        {{.name = "price", .numbers = {3, 15}}, {.name = "income", .numbers = {12, 6}}}, "people");
    const bl::OutputTable answer = model.predict(people, bl::Part::all, {});
    for (const bl::OutputColumn& column : answer.columns)
      if (!column.numbers.empty())
        std::printf("%-8s %.3f %.3f\n", column.name.c_str(), column.numbers[0], column.numbers[1]);
  } catch (const bl::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// Columns of arrays and data frames on their way in, tables of numbers on their way out.
#include "bl/data.hpp"

#include "bindings.hpp"
#include "bl/errors.hpp"

namespace bl::python {

namespace {

using GivenNumbers = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using GivenCodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;

template <class Array>
auto copy_of(const Array& array) {
  std::vector<std::remove_const_t<typename Array::Scalar>> out(array.shape(0));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = array.data()[static_cast<std::int64_t>(i) * array.stride(0)];
  return out;
}

// Contiguous numbers stay where they are; the array object is held until the data are gone. Others are copied
// once, into memory that all copies of the column share.
Data::Column number_column(const std::string& name, GivenNumbers numbers) {
  Data::Column column{.name = name};
  if (numbers.shape(0) > 1 && numbers.stride(0) != 1) {
    const auto own = std::make_shared<const std::vector<double>>(copy_of(numbers));
    column.borrowed = *own;
    column.owner = own;
    return column;
  }
  column.borrowed = {numbers.data(), numbers.shape(0)};
  column.owner = std::shared_ptr<const void>(new GivenNumbers(std::move(numbers)), [](const void* held) {
    const nb::gil_scoped_acquire lock;
    delete static_cast<const GivenNumbers*>(held);
  });
  return column;
}

Data::Column text_column(const std::string& name, std::vector<std::optional<std::string>> texts) {
  return {.name = name, .texts = std::move(texts)};
}

Data::Column category_column(const std::string& name, const GivenCodes& codes,
                             std::vector<std::string> levels, bool ordered) {
  return {.name = name, .codes = copy_of(codes), .levels = std::move(levels), .ordered = ordered};
}

std::size_t rows_of(const Data::Column& c) {
  return c.numbers.size() + c.texts.size() + c.codes.size() + c.borrowed.size();
}

std::vector<double> numbers_of(const Data::Column& c) {
  return c.owner ? std::vector<double>(c.borrowed.begin(), c.borrowed.end()) : c.numbers;
}

std::vector<std::optional<std::string>> texts_of(const Data::Column& c) {
  if (c.codes.empty()) return c.texts;
  std::vector<std::optional<std::string>> out;
  for (const std::int32_t code : c.codes)
    out.push_back(code < 0 ? std::nullopt : std::optional(c.levels.at(static_cast<std::size_t>(code))));
  return out;
}

// The rows of both, one after the other. Texts and categories mix; an order of levels has to be the same.
Data::Column joined_column(const Data::Column& first, const Data::Column& second) {
  Data::Column out{.name = first.name};
  const auto is_text = [](const Data::Column& c) { return !c.texts.empty() || !c.codes.empty(); };
  if (is_text(first) != is_text(second))
    throw DataError("column '" + first.name + "' holds numbers in one table and texts in the other");
  if (!is_text(first)) {
    out.numbers = numbers_of(first);
    const std::vector<double> more = numbers_of(second);
    out.numbers.insert(out.numbers.end(), more.begin(), more.end());
  } else if (first.ordered) {
    if (!second.ordered || first.levels != second.levels)
      throw DataError("column '" + first.name + "' has another order of levels in the second table");
    out = first;
    out.codes.insert(out.codes.end(), second.codes.begin(), second.codes.end());
  } else {
    out.texts = texts_of(first);
    const auto more = texts_of(second);
    out.texts.insert(out.texts.end(), more.begin(), more.end());
  }
  return out;
}

using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::device::cpu>;

// The rows for which the flag is set.
Data::Column kept_column(const Data::Column& column, const Flags& flags) {
  if (flags.shape(0) != rows_of(column))
    throw UsageError("there are " + std::to_string(flags.shape(0)) + " flags for the " +
                     std::to_string(rows_of(column)) + " rows of column '" + column.name + "'");
  Data::Column out{.name = column.name, .levels = column.levels, .ordered = column.ordered};
  const std::vector<double> numbers = numbers_of(column);
  for (std::size_t i = 0; i < flags.shape(0); ++i) {
    if (!flags.data()[static_cast<std::int64_t>(i) * flags.stride(0)]) continue;
    if (!column.codes.empty())
      out.codes.push_back(column.codes[i]);
    else if (!column.texts.empty())
      out.texts.push_back(column.texts[i]);
    else
      out.numbers.push_back(numbers[i]);
  }
  return out;
}

}  // namespace

Part part_of(const std::string& name) {
  if (name == "all") return Part::all;
  if (name == "train") return Part::train;
  if (name == "validation") return Part::validation;
  if (name == "test") return Part::test;
  throw UsageError("part '" + name + "': expected all, train, validation or test");
}

Numbers to_array(std::vector<double> numbers) {
  auto* kept = new std::vector<double>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Numbers(kept->data(), {kept->size()}, owner);
}

nb::list to_list(OutputTable table) {
  nb::list out;
  for (OutputColumn& column : table.columns) {
    nb::object values = column.texts.empty() ? nb::cast(to_array(std::move(column.numbers)))
                                             : nb::cast(std::move(column.texts));
    out.append(nb::make_tuple(column.name, values));
  }
  return out;
}

void warn_of(const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  const nb::object tell = nb::module_::import_("behavior_learning._notes").attr("tell");
  for (const std::string& note : notes) tell(spelled(note));
}

nb::dict to_dict(const std::vector<Metric>& metrics) {
  nb::dict out;
  for (const Metric& metric : metrics) out[metric.name.c_str()] = metric.value;
  return out;
}

void bind_data(nb::module_& module) {
  nb::class_<Data::Column>(module, "Column")
      .def_ro("name", &Data::Column::name)
      .def_prop_ro("rows", &rows_of)
      .def_prop_ro(
          "address",
          [](const Data::Column& c) { return reinterpret_cast<std::uintptr_t>(c.borrowed.data()); },
          "Where the numbers lie.");
  module.def("number_column", &number_column, nb::arg("name"), nb::arg("numbers"));
  module.def("text_column", &text_column, nb::arg("name"), nb::arg("texts"));
  module.def("category_column", &category_column, nb::arg("name"), nb::arg("codes"), nb::arg("levels"),
             nb::arg("ordered"));
  module.def("kept_column", &kept_column, nb::arg("column"), nb::arg("flags"));
  module.def("joined_column", &joined_column, nb::arg("first"), nb::arg("second"));

  nb::class_<Data>(module, "Data")
      .def_static("from_columns", &Data::from_columns, nb::arg("columns"), nb::arg("name"),
                  nb::call_guard<nb::gil_scoped_release>())
      .def_static(
          "read",
          [](const std::string& path, const SettingTexts& settings) {
            return Data::read(path, settings_of(settings));
          },
          nb::arg("path"), nb::arg("settings"), nb::call_guard<nb::gil_scoped_release>())
      .def("rows", &Data::rows)
      .def("digest", &Data::digest);
}

}  // namespace bl::python

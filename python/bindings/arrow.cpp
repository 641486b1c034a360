// Tables that speak Arrow's PyCapsule interface (polars, pyarrow, duckdb) as columns.
#include "arrow.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "bindings.hpp"
#include "bl/errors.hpp"

namespace bl::python {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

using Texts = std::vector<std::optional<std::string>>;

// A batch of rows of the whole table; gone when the last column that looks into it is.
std::shared_ptr<ArrowArray> owned(const ArrowArray& array) {
  return {new ArrowArray(array), [](ArrowArray* held) {
            if (held->release != nullptr) held->release(held);
            delete held;
          }};
}

// One column of one batch (or the values of a dictionary).
struct Chunk {
  const ArrowArray* array;
  std::int64_t offset, length;

  bool valid(std::int64_t row) const {
    const auto* bits = array->n_buffers > 0 ? static_cast<const std::uint8_t*>(array->buffers[0]) : nullptr;
    return bits == nullptr || bit(bits, row);
  }
  bool all_valid() const {
    return array->n_buffers > 0 && (array->buffers[0] == nullptr || array->null_count == 0);
  }
  template <class T>
  const T* values() const {
    return static_cast<const T*>(array->buffers[1]) + offset;
  }
  bool bit(const std::uint8_t* bits, std::int64_t row) const {
    const std::int64_t at = offset + row;
    return (bits[at / 8] >> (at % 8) & 1) != 0;
  }
};

template <class T>
void append_numbers(const Chunk& chunk, std::vector<double>& out) {
  const T* values = chunk.values<T>();
  for (std::int64_t i = 0; i < chunk.length; ++i)
    out.push_back(chunk.valid(i) ? static_cast<double>(values[i]) : kMissing);
}

// False where the format is none of numbers.
bool append_any_numbers(std::string_view format, const Chunk& chunk, std::vector<double>& out) {
  if (format.size() != 1) return false;
  switch (format[0]) {
    case 'g':
      append_numbers<double>(chunk, out);
      return true;
    case 'f':
      append_numbers<float>(chunk, out);
      return true;
    case 'c':
      append_numbers<std::int8_t>(chunk, out);
      return true;
    case 'C':
      append_numbers<std::uint8_t>(chunk, out);
      return true;
    case 's':
      append_numbers<std::int16_t>(chunk, out);
      return true;
    case 'S':
      append_numbers<std::uint16_t>(chunk, out);
      return true;
    case 'i':
      append_numbers<std::int32_t>(chunk, out);
      return true;
    case 'I':
      append_numbers<std::uint32_t>(chunk, out);
      return true;
    case 'l':
      append_numbers<std::int64_t>(chunk, out);
      return true;
    case 'L':
      append_numbers<std::uint64_t>(chunk, out);
      return true;
    case 'n':
      out.insert(out.end(), static_cast<std::size_t>(chunk.length), kMissing);
      return true;
    default:
      return false;
  }
}

template <class Offset>
void append_texts(const Chunk& chunk, Texts& out) {
  const auto* offsets = chunk.values<Offset>();
  const auto* bytes = static_cast<const char*>(chunk.array->buffers[2]);
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    if (chunk.valid(i))
      out.emplace_back(std::string(bytes + offsets[i], bytes + offsets[i + 1]));
    else
      out.emplace_back(std::nullopt);
  }
}

// A view has 16 bytes: the length, then up to 12 bytes in place, or 4 of prefix, a buffer and a place in it.
void append_text_views(const Chunk& chunk, Texts& out) {
  const auto* views = static_cast<const char*>(chunk.array->buffers[1]) + 16 * chunk.offset;
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    if (!chunk.valid(i)) {
      out.emplace_back(std::nullopt);
      continue;
    }
    std::int32_t parts[4];
    std::memcpy(parts, views + 16 * i, sizeof parts);
    const auto size = static_cast<std::size_t>(parts[0]);
    const char* from = views + 16 * i + 4;
    if (size > 12) from = static_cast<const char*>(chunk.array->buffers[2 + parts[2]]) + parts[3];
    out.emplace_back(std::string(from, size));
  }
}

bool append_any_texts(std::string_view format, const Chunk& chunk, Texts& out) {
  if (format == "u")
    append_texts<std::int32_t>(chunk, out);
  else if (format == "U")
    append_texts<std::int64_t>(chunk, out);
  else if (format == "vu")
    append_text_views(chunk, out);
  else
    return false;
  return true;
}

void append_flag_numbers(const Chunk& chunk, std::vector<double>& out) {
  const auto* bits = static_cast<const std::uint8_t*>(chunk.array->buffers[1]);
  for (std::int64_t i = 0; i < chunk.length; ++i)
    out.push_back(!chunk.valid(i) ? kMissing : chunk.bit(bits, i) ? 1 : 0);
}

void append_flags(const Chunk& chunk, Texts& out) {
  const auto* bits = static_cast<const std::uint8_t*>(chunk.array->buffers[1]);
  for (std::int64_t i = 0; i < chunk.length; ++i)
    out.push_back(chunk.valid(i) ? std::optional<std::string>(chunk.bit(bits, i) ? "True" : "False")
                                 : std::nullopt);
}

// Codes of a dictionary that may differ from batch to batch, as codes of the first one's levels and what the
// others add.
void append_categories(const ArrowSchema& schema, const Chunk& chunk, Data::Column& column) {
  std::vector<double> codes;
  Texts levels;
  const ArrowArray& dictionary = *chunk.array->dictionary;
  const Chunk values{&dictionary, dictionary.offset, dictionary.length};
  if (!append_any_numbers(schema.format, chunk, codes) ||
      !append_any_texts(schema.dictionary->format, values, levels))
    throw DataError("column '" + column.name + "' has categories that are not texts; make them texts");
  std::vector<std::int32_t> place;
  for (const auto& level : levels) {
    const auto found = std::find(column.levels.begin(), column.levels.end(), level.value_or(""));
    place.push_back(static_cast<std::int32_t>(found - column.levels.begin()));
    if (found == column.levels.end()) column.levels.push_back(level.value_or(""));
  }
  for (const double code : codes)
    column.codes.push_back(std::isnan(code) ? -1 : place[static_cast<std::size_t>(code)]);
  column.ordered = (schema.flags & kArrowDictionaryOrdered) != 0;
}

void append_chunk(const ArrowSchema& schema, const Chunk& chunk, bool flags_as_numbers,
                  Data::Column& column) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) return append_categories(schema, chunk, column);
  if (format == "b" && flags_as_numbers) return append_flag_numbers(chunk, column.numbers);
  if (format == "b") return append_flags(chunk, column.texts);
  if (append_any_numbers(format, chunk, column.numbers) || append_any_texts(format, chunk, column.texts))
    return;
  throw DataError("column '" + column.name + "' has the Arrow type '" + std::string(format) +
                  "'; give numbers, texts, booleans or categories");
}

struct Table {
  ArrowSchema schema{};
  std::vector<std::shared_ptr<ArrowArray>> batches;

  explicit Table(ArrowArrayStream& stream) {
    check(stream, stream.get_schema(&stream, &schema));
    while (true) {
      ArrowArray batch{};
      check(stream, stream.get_next(&stream, &batch));
      if (batch.release == nullptr) break;
      batches.push_back(owned(batch));
    }
    if (std::string_view(schema.format) != "+s")
      throw DataError("the Arrow stream is not a table of columns");
  }
  ~Table() {
    if (schema.release != nullptr) schema.release(&schema);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  static void check(ArrowArrayStream& stream, int code) {
    if (code == 0) return;
    const char* text = stream.get_last_error(&stream);
    throw DataError(std::string("the Arrow stream cannot be read: ") + (text ? text : "no reason given"));
  }
};

Data::Column column_of(const Table& table, std::size_t at, const std::string& name, bool flags_as_numbers) {
  Data::Column column{.name = name};
  const ArrowSchema& schema = *table.schema.children[at];
  for (const auto& batch : table.batches) {
    const ArrowArray* array = batch->children[at];
    const Chunk chunk{array, array->offset + batch->offset, batch->length};
    const bool plain = std::string_view(schema.format) == "g" && schema.dictionary == nullptr;
    if (plain && table.batches.size() == 1 && chunk.all_valid()) {
      column.borrowed = {chunk.values<double>(), static_cast<std::size_t>(chunk.length)};
      column.owner = batch;
      return column;
    }
    append_chunk(schema, chunk, flags_as_numbers, column);
  }
  return column;
}

std::vector<Data::Column> arrow_columns(const nb::capsule& capsule, const std::vector<std::string>& names,
                                        bool flags_as_numbers) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  const Table table(*stream);
  if (static_cast<std::size_t>(table.schema.n_children) != names.size())
    throw DataError("the table has " + std::to_string(table.schema.n_children) + " columns, not " +
                    std::to_string(names.size()));
  std::vector<Data::Column> columns;
  for (std::size_t k = 0; k < names.size(); ++k)
    columns.push_back(column_of(table, k, names[k], flags_as_numbers));
  return columns;
}

}  // namespace

void bind_arrow(nb::module_& module) {
  module.def("arrow_columns", &arrow_columns, nb::arg("stream"), nb::arg("names"),
             nb::arg("flags_as_numbers"),
             "Columns of what `__arrow_c_stream__()` returns, under these names.");
}

}  // namespace bl::python

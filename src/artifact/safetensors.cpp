#include "artifact/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl::artifact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;  // as in the safetensors library
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 33;
constexpr std::size_t kAlignment = 8;
constexpr std::size_t kShownText = 20;
constexpr int kMaxDepth = 3;  // header, tensor, shape
constexpr const char* kMetadata = "__metadata__";

struct DtypeInfo {
  const char* name;
  std::size_t bytes;
};
constexpr std::array<DtypeInfo, 6> kDtypes{
    {{"U8", 1}, {"I32", 4}, {"F32", 4}, {"F64", 8}, {"I64", 8}, {"U64", 8}}};  // in the order of Dtype

const DtypeInfo& info(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)];
}

// A value as messages show it: as JSON in ASCII, control characters escaped, not too long.
std::string shown(const json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

// Bytes of a tensor, or nothing where the product leaves 64 bits.
std::optional<std::size_t> byte_count(Dtype dtype, const Shape& shape) {
  std::size_t bytes = info(dtype).bytes;
  for (const std::int64_t n : shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(n), &bytes)) return std::nullopt;
  return bytes;
}

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  TensorFile run() {
    const std::string_view header = header_text();
    data_ = bytes_.substr(kLengthBytes + header.size());
    TensorFile file;
    file.source = name_;
    const json entries = parse_header(header);
    for (const auto& [key, value] : entries.items()) {
      if (key == kMetadata)
        file.metadata = metadata(value);
      else
        file.tensors.emplace(key, tensor(key, value));
    }
    check_coverage();
    return file;
  }

 private:
  struct Place {
    std::size_t begin;
    std::size_t end;
    std::string tensor;
    auto operator<=>(const Place&) const = default;
  };

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw ModelFileError(name_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  // A table, most likely: somebody gave the data where the model belongs.
  bool begins_with_text() const {
    const std::string_view start = bytes_.substr(0, kShownText);
    return std::all_of(start.begin(), start.end(),
                       [](char c) { return (c >= ' ' && c < 127) || c == '\t' || c == '\n' || c == '\r'; });
  }

  std::string_view header_text() const {
    if (bytes_.size() < kLengthBytes)
      fail("not a model file: {} bytes long, shorter than the {} bytes of a header length", bytes_.size(),
           kLengthBytes);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), kLengthBytes);
    if (length > kMaxHeaderBytes && begins_with_text())
      fail("not a model file: it begins with {}; give a file that a fit wrote",
           in_quotes(bytes_.substr(0, kShownText)));
    if (length > kMaxHeaderBytes)
      fail("not a model file: it declares a header of {} bytes, at most {} are allowed", length,
           kMaxHeaderBytes);
    if (length > bytes_.size() - kLengthBytes)
      fail("truncated: it declares a header of {} bytes, {} follow", length, bytes_.size() - kLengthBytes);
    const std::string_view header = bytes_.substr(kLengthBytes, length);
    if (!header.starts_with('{')) fail("not a model file: its header does not begin with '{{'");
    // The JSON reader would take a zero byte for the end and leave the rest unread.
    if (const auto zero = header.find('\0'); zero != header.npos)
      fail("zero byte in the header at byte {}", zero);
    return header;
  }

  json parse_header(std::string_view header) const {
    std::array<std::set<std::string>, kMaxDepth + 1> seen;  // keys of the object open at each depth
    const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
      using Event = json::parse_event_t;
      if (event == Event::object_start || event == Event::array_start) {
        if (depth >= kMaxDepth) fail("header nested deeper than {} levels", kMaxDepth);
        seen[static_cast<std::size_t>(depth) + 1].clear();
      } else if (event == Event::key) {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!seen[static_cast<std::size_t>(depth)].insert(key).second)
          fail("{} appears twice in the header", shown(key));
      }
      return true;
    };
    try {
      return json::parse(header, check);
    } catch (const json::parse_error& e) {
      fail("header is not valid JSON at byte {}", e.byte);
    } catch (const json::out_of_range&) {
      fail("number out of range in the header");
    }
  }

  std::map<std::string, std::string> metadata(const json& value) const {
    if (!value.is_object()) fail("{} must be an object, found {}", kMetadata, shown(value));
    std::map<std::string, std::string> result;
    for (const auto& [key, entry] : value.items()) {
      if (!entry.is_string()) fail("{} {} must be a string, found {}", kMetadata, shown(key), shown(entry));
      result.emplace(key, entry.get<std::string>());
    }
    return result;
  }

  Tensor tensor(const std::string& name, const json& value) {
    const std::string where = "tensor " + shown(name);
    if (!value.is_object()) fail("{} must be an object, found {}", where, shown(value));
    for (const char* field : {"dtype", "shape", "data_offsets"})
      if (!value.contains(field)) fail("{} has no {}", where, field);
    if (value.size() != 3) fail("{} has fields other than dtype, shape and data_offsets", where);

    Tensor result;
    result.dtype = dtype(where, value["dtype"]);
    result.shape = counts(where + ", shape", value["shape"]);
    const Shape offsets = counts(where + ", data_offsets", value["data_offsets"]);
    if (offsets.size() != 2) fail("{}, data_offsets must be two numbers, found {}", where, shown(offsets));
    const auto begin = static_cast<std::size_t>(offsets[0]);
    const auto end = static_cast<std::size_t>(offsets[1]);
    if (begin > end || end > data_.size())
      fail("{}, data_offsets {} do not lie in order within the {} bytes of data", where, shown(offsets),
           data_.size());
    const std::optional<std::size_t> needed = byte_count(result.dtype, result.shape);
    if (!needed) fail("{}, shape {} is too large", where, shown(result.shape));
    if (*needed != end - begin)
      fail("{}, data_offsets {} hold {} bytes, {} of shape {} needs {}", where, shown(offsets), end - begin,
           info(result.dtype).name, shown(result.shape), *needed);
    result.bytes = data_.substr(begin, end - begin);
    places_.push_back({begin, end, where});
    return result;
  }

  Dtype dtype(const std::string& where, const json& value) const {
    for (std::size_t i = 0; i < kDtypes.size(); ++i)
      if (value == kDtypes[i].name) return static_cast<Dtype>(i);
    fail("{}, dtype must be U8, I32, I64, U64, F32 or F64, found {}", where, shown(value));
  }

  // An array of integers from 0 to 2^63 - 1.
  Shape counts(const std::string& where, const json& value) const {
    if (!value.is_array()) fail("{} must be an array, found {}", where, shown(value));
    Shape result;
    result.reserve(value.size());
    for (const json& entry : value) {
      if (!entry.is_number_unsigned() ||
          entry.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        fail("{} must hold non-negative integers, found {}", where, shown(entry));
      result.push_back(entry.get<std::int64_t>());
    }
    return result;
  }

  // Every byte of the data belongs to one tensor.
  void check_coverage() {
    std::sort(places_.begin(), places_.end());
    std::size_t covered = 0;
    for (const Place& place : places_) {
      if (place.begin != covered)
        fail("{} begins at byte {} of the data, expected {}: {}", place.tensor, place.begin, covered,
             place.begin < covered ? "it overlaps the one before" : "a hole before it");
      covered = place.end;
    }
    if (covered != data_.size())
      fail("the tensors cover {} bytes of data, the file has {}", covered, data_.size());
  }

  std::string_view bytes_;
  const std::string& name_;
  std::string_view data_;
  std::vector<Place> places_;
};

}  // namespace

Tensor Tensor::checked(Tensor tensor) {
  const bool negative = std::any_of(tensor.shape.begin(), tensor.shape.end(), [](auto n) { return n < 0; });
  if (negative || byte_count(tensor.dtype, tensor.shape) != tensor.bytes.size())
    throw UsageError(fmt::format("a tensor of shape {} cannot hold {} values", shown(tensor.shape),
                                 tensor.bytes.size() / info(tensor.dtype).bytes));
  return tensor;
}

void Tensor::expect_dtype(Dtype wanted) const {
  if (dtype != wanted)
    throw ModelFileError(fmt::format("dtype is {}, expected {}", info(dtype).name, info(wanted).name));
}

void Tensor::expect_shape(const Shape& wanted) const {
  if (shape != wanted)
    throw ModelFileError(fmt::format("shape is {}, expected {}", shown(shape), shown(wanted)));
}

const std::string& TensorFile::metadata_value(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end())
    throw ModelFileError(fmt::format("{}: {} has no {}", source, kMetadata, shown(key)));
  return found->second;
}

const Tensor& TensorFile::tensor(const std::string& name, Dtype dtype, const Shape& shape) const {
  const auto found = tensors.find(name);
  if (found == tensors.end())
    throw ModelFileError(fmt::format("{}: there is no tensor {}", source, shown(name)));
  try {
    found->second.expect_dtype(dtype);
    found->second.expect_shape(shape);
  } catch (const ModelFileError& e) {
    throw ModelFileError(fmt::format("{}: tensor {}: {}", source, shown(name), e.what()));
  }
  return found->second;
}

std::string serialize(const TensorFile& file) {
  using Entry = std::pair<const std::string, Tensor>;
  std::vector<const Entry*> order;
  for (const Entry& entry : file.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return a->second.dtype > b->second.dtype; });

  ordered_json header = ordered_json::object();
  if (!file.metadata.empty()) header[kMetadata] = file.metadata;
  std::size_t end = 0;
  for (const Entry* entry : order) {
    const auto& [name, tensor] = *entry;
    assert(name != kMetadata && byte_count(tensor.dtype, tensor.shape) == tensor.bytes.size());
    const std::size_t begin = std::exchange(end, end + tensor.bytes.size());
    header[name] = {
        {"dtype", info(tensor.dtype).name}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }

  std::string json_text;
  try {
    json_text = header.dump();
  } catch (const json::type_error&) {
    throw DataError("a name or text to be saved in the model file is not valid UTF-8");
  }
  json_text.resize((json_text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  if (json_text.size() > kMaxHeaderBytes)
    throw DataError(fmt::format("the model file's header would be {} bytes long, at most {} are allowed",
                                json_text.size(), kMaxHeaderBytes));
  std::string bytes(kLengthBytes, '\0');
  const std::uint64_t length = json_text.size();
  std::memcpy(bytes.data(), &length, kLengthBytes);
  bytes.reserve(kLengthBytes + json_text.size() + end);
  bytes += json_text;
  for (const Entry* entry : order) bytes += entry->second.bytes;
  return bytes;
}

TensorFile parse(std::string_view bytes, const std::string& name_for_errors) {
  return Parser(bytes, name_for_errors).run();
}

void save(const std::string& path, const TensorFile& file) {
  write_file_atomically(path, serialize(file));
}

TensorFile load(const std::string& path) {
  std::string bytes;
  try {
    bytes = read_whole_file(path, kMaxFileBytes);
  } catch (const DataError& e) {
    throw ModelFileError(e.what());
  }
  return parse(bytes, path);
}

}  // namespace bl::artifact

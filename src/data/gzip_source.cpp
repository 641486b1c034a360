#include <zlib.h>

#include <string>
#include <vector>

#include "bl/errors.hpp"
#include "data/byte_source.hpp"

namespace bl {

namespace {

constexpr std::size_t kPackedBlock = std::size_t{1} << 16;
constexpr int kGzipOnly = 15 + 16;  // zlib: largest window, gzip header and checksum required

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(Input packed) : packed_(std::move(packed)), block_(kPackedBlock) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw DataError(packed_.name() + ": zlib cannot start");
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> out) override {
    if (out.empty()) return 0;
    const auto room = static_cast<uInt>(std::min<std::size_t>(out.size(), 1U << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0) refill();
      if (between_members_ && !start_member()) break;
      step();
    }
    return room - stream_.avail_out;
  }

  void rewind() override {
    packed_.rewind();
    inflateReset(&stream_);
    stream_.avail_in = 0;
    between_members_ = false;
  }

 private:
  void refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_in = static_cast<uInt>(packed_.read(block_));
  }

  // False at the end of the file. Something other than a further member is inferred by zlib.
  bool start_member() {
    if (stream_.avail_in == 0) return false;
    inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  void step() {
    const uInt packed_before = stream_.avail_in;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      between_members_ = true;
    } else if (result == Z_BUF_ERROR && packed_before == 0) {
      throw DataError(packed_.name() + ": the gzip file ends too early; copy or download it again");
    } else if (result != Z_OK) {
      const std::string why = stream_.msg != nullptr ? stream_.msg : "unknown cause";
      throw DataError(packed_.name() + ": the gzip file is damaged (" + why + "); copy or download it again");
    }
  }

  Input packed_;
  std::vector<char> block_;
  z_stream stream_{};
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> gunzip(Input packed) {
  return std::make_unique<GzipSource>(std::move(packed));
}

}  // namespace bl

#include "mpi_ranks.hpp"

#ifdef BL_WITH_MPI

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bl/ranks.hpp"

namespace bl::cli {

namespace {

Traffic& counted() {
  static Traffic all;
  return all;
}

// Counts a call as long as it lives.
class Counted {
 public:
  explicit Counted(std::size_t bytes) {
    ++counted().calls;
    counted().bytes += static_cast<double>(bytes);
  }
  ~Counted() { counted().seconds += MPI_Wtime() - began_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  double began_ = MPI_Wtime();
};

constexpr unsigned kSecondsForTheFirst = 2;  // rank 0 says the same, sooner, where all fail alike

std::string& last_failure() {
  static std::string message;
  return message;
}

// A count of MPI is an int: longer messages go in pieces.
constexpr std::size_t kLongest = std::size_t{1} << 30;

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    rank_ = static_cast<std::size_t>(value);
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    size_ = static_cast<std::size_t>(value);
    counts_.resize(size_);
    offsets_.resize(size_);
  }
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  void all_gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override {
    const Counted counts(all.size() - sizes[rank_]);
    if (all.size() > kLongest) return gather_in_pieces(all, sizes);
    int offset = 0;
    for (std::size_t r = 0; r < size_; ++r) {
      counts_[r] = static_cast<int>(sizes[r]);
      offsets_[r] = offset;
      offset += counts_[r];
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all.data(), counts_.data(), offsets_.data(), MPI_BYTE,
                   MPI_COMM_WORLD);
  }
  void broadcast(std::span<std::byte> bytes) override {
    const Counted counts(rank_ == 0 ? 0 : bytes.size());
    send_from(0, bytes);
  }

 private:
  static void send_from(std::size_t rank, std::span<std::byte> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kLongest, bytes.size())))
      MPI_Bcast(bytes.data(), static_cast<int>(std::min(kLongest, bytes.size())), MPI_BYTE,
                static_cast<int>(rank), MPI_COMM_WORLD);
  }
  void gather_in_pieces(std::span<std::byte> all, std::span<const std::size_t> sizes) const {
    for (std::size_t r = 0, at = 0; r < size_; at += sizes[r++]) send_from(r, all.subspan(at, sizes[r]));
  }

  std::size_t rank_ = 0, size_ = 1;
  std::vector<int> counts_, offsets_;
};

// Open MPI asks the receiver before it sends a longer message over TCP, and then the two ways of a link take
// turns: what ranks exchange takes twice as long as it has to (experiments/ranks.py network). Buffers of that
// size are made a few at a time.
void send_without_asking() {
  for (const auto& [name, value] : {std::pair("OMPI_MCA_btl_tcp_eager_limit", "4194304"),
                                    {"OMPI_MCA_btl_tcp_rndv_eager_limit", "4194304"},
                                    {"OMPI_MCA_btl_tcp_free_list_num", "4"},
                                    {"OMPI_MCA_btl_tcp_free_list_inc", "4"}})
    ::setenv(name, value, 0);
}

bool started_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

}  // namespace

struct MpiSession::State {
  std::shared_ptr<Ranks> ranks;
  int standard_error = -1;  // of a rank whose streams lead nowhere
};

MpiSession::MpiSession(int& argc, char**& argv) {
  if (!started_by_mpirun()) return;
  send_without_asking();
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  state_ = std::make_unique<State>();
  state_->ranks = std::make_shared<MpiRanks>();
  use_ranks(state_->ranks);
  if (state_->ranks->rank() == 0) return;
  state_->standard_error = ::dup(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

MpiSession::~MpiSession() {
  if (state_) use_ranks(nullptr);
}

int MpiSession::end(int code) {
  if (!state_) return code;
  if (code == 0 || last_failure().empty()) {  // an interrupt that kept its model is no failure
    MPI_Finalize();
    return code;
  }
  if (state_->ranks->rank() != 0) {
    ::sleep(kSecondsForTheFirst);
    const std::string text = fmt::format("bl: rank {}: {}\n", state_->ranks->rank(), last_failure());
    if (::write(state_->standard_error, text.data(), text.size()) == -1) code = 1;
  }
  MPI_Abort(MPI_COMM_WORLD, code);
  return code;
}

void remember_failure(const std::string& message) {
  last_failure() = message;
}

const Traffic& traffic() {
  return counted();
}

}  // namespace bl::cli

#else

namespace bl::cli {

struct MpiSession::State {};

MpiSession::MpiSession(int&, char**&) {}
MpiSession::~MpiSession() = default;
int MpiSession::end(int code) {
  return code;
}
void remember_failure(const std::string&) {}
const Traffic& traffic() {
  static const Traffic none;
  return none;
}

}  // namespace bl::cli

#endif

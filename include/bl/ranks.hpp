// Several processes that work on one fit together: ranks. Every rank holds the whole data and makes the same
// calls in the same order; of each batch it computes its share, and the shares are put together in an order
// that does not depend on the number of ranks. So the result is bit-identical for any number of them. Only
// rank 0 writes files.
//
// The library knows this interface alone; `bl` implements it by MPI (cli/mpi_ranks.cpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace bl {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;

  // `all` is cut into one part per rank, of these sizes in bytes, in the order of the ranks. On entry the
  // caller's own part is filled in, on return all are.
  virtual void all_gather(std::span<std::byte> all, std::span<const std::size_t> sizes) = 0;
  // Everybody gets the bytes of rank 0.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
};

// The ranks that the calling thread works with from now on; null: it works alone, as at the start.
void use_ranks(std::shared_ptr<Ranks> ranks);
// Null where it works alone.
std::shared_ptr<Ranks> current_ranks();

}  // namespace bl

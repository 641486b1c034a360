// Memory for data that may be larger than the machine's: while a SpillScope is open, large blocks are parts
// of temporary files mapped into memory, which the system writes out and drops when it needs the room.
// Programs see no difference but in speed.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bl {

// Blocks allocated by this thread while it is open may lie in files; they are freed as usual, later too.
class SpillScope {
 public:
  explicit SpillScope(bool open);
  ~SpillScope();
  SpillScope(const SpillScope&) = delete;
  SpillScope& operator=(const SpillScope&) = delete;

 private:
  bool open_;
};

inline constexpr std::size_t kSpilledBytes = 1U << 20;  // smaller blocks stay in memory

// A block of at least kSpilledBytes, aligned to a page, in a file where a scope is open; null where none is.
// DataError where the folder of temporary files ($TMPDIR, else /var/tmp) has no room.
void* spilled_block(std::size_t bytes);
// Whether `block` came from spilled_block; it is freed if so.
bool free_spilled_block(void* block);

// These values are read soon: what of them lies in files is fetched from now on, many pages at a time. Pages
// that are waited for one after the other would take longer than all else.
void will_read(const void* first, std::size_t bytes);
template <class Values>
void will_read(const Values& values) {
  will_read(values.data(), values.size() * sizeof(*values.data()));
}

// Storage aligned to a cache line, so that vector code sees the same alignment in every run.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) {
    if (n * sizeof(T) >= kSpilledBytes)
      if (void* block = spilled_block(n * sizeof(T))) return static_cast<T*>(block);
    return static_cast<T*>(::operator new(n * sizeof(T), kAlignment));
  }
  void deallocate(T* p, std::size_t n) {
    if (n * sizeof(T) >= kSpilledBytes && free_spilled_block(p)) return;
    ::operator delete(p, kAlignment);
  }
  bool operator==(const CacheLineAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace bl

// Ranks whose collectives a Python object makes: the module needs no MPI of its own.
#include "bl/ranks.hpp"

#include "ranks.hpp"

namespace bl::python {

namespace {

class PythonRanks : public Ranks {
 public:
  // `collectives` has rank, size, all_gather(bytes, sizes) and broadcast(bytes), which fill in the bytes.
  explicit PythonRanks(nb::object collectives)
      : collectives_(std::move(collectives)),
        rank_(nb::cast<std::size_t>(collectives_.attr("rank"))),
        size_(nb::cast<std::size_t>(collectives_.attr("size"))) {}
  ~PythonRanks() override {
    const nb::gil_scoped_acquire lock;
    collectives_.reset();
  }
  PythonRanks(const PythonRanks&) = delete;
  PythonRanks& operator=(const PythonRanks&) = delete;

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  void all_gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override {
    const nb::gil_scoped_acquire lock;
    nb::list each;
    for (const std::size_t size : sizes) each.append(size);
    collectives_.attr("all_gather")(view_of(all), each);
  }
  void broadcast(std::span<std::byte> bytes) override {
    const nb::gil_scoped_acquire lock;
    collectives_.attr("broadcast")(view_of(bytes));
  }

 private:
  static nb::object view_of(std::span<std::byte> bytes) {
    static char nothing = 0;  // no view may look at null
    auto* at = bytes.empty() ? &nothing : reinterpret_cast<char*>(bytes.data());
    PyObject* view = PyMemoryView_FromMemory(at, static_cast<Py_ssize_t>(bytes.size()), PyBUF_WRITE);
    if (view == nullptr) throw nb::python_error();
    return nb::steal(view);
  }

  nb::object collectives_;
  std::size_t rank_, size_;
};

}  // namespace

WithRanks::WithRanks(const nb::object& collectives) {
  if (!collectives.is_none()) use_ranks(std::make_shared<PythonRanks>(collectives));
}

WithRanks::~WithRanks() {
  use_ranks(nullptr);
}

}  // namespace bl::python

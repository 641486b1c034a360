#include "engine/engine.hpp"

#include <algorithm>

#include "engine/cpu/cpu_engine.hpp"
#include "engine/cuda/cuda.hpp"

namespace bl {

template <class T>
RowSet Engine<T>::load(const Objective<T>& objective) {
  const auto known = std::find(loaded_.begin(), loaded_.end(), &objective);
  if (known != loaded_.end()) return static_cast<RowSet>(known - loaded_.begin());
  loaded_.push_back(&objective);
  place(objective);
  return loaded_.size() - 1;
}

template <class T>
StepsReport Engine<T>::steps(const StepPlan& plan, const std::function<bool()>& should_stop) {
  StepsReport report;
  for (const Batch& batch : plan.batches) {
    report.last = step(plan.from, batch, plan.noise, plan.rate);
    if (!report.last.taken) return report;
    if (report.taken == 0) report.first_loss = report.last.loss.mean();
    report.loss.add(report.last.loss);
    ++report.taken;
    report.stopped = should_stop && should_stop();
    if (report.stopped) return report;
  }
  return report;
}

template <class T>
void Engine<T>::together(std::size_t count, double numbers_per_step, const Fit& fit) {
  const bool small = at_once(count, numbers_per_step) > 1;
  context_.side_by_side(count, small, [&](std::size_t i, const Context& own) {
    const std::unique_ptr<Engine<T>> engine = another(own);
    for (const Objective<T>* objective : loaded_) engine->load(*objective);
    fit(i, *engine);
  });
}

template <class T>
std::unique_ptr<Engine<T>> make_engine(const Context& context) {
  if (context.device().kind == Device::Kind::cuda) return cuda::make_cuda_engine<T>(context);
  return std::make_unique<CpuEngine<T>>(context);
}

template class Engine<float>;
template class Engine<double>;
template std::unique_ptr<Engine<float>> make_engine(const Context&);
template std::unique_ptr<Engine<double>> make_engine(const Context&);

}  // namespace bl

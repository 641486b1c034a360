// Loops over all parameters that every training step ends with. Compiled for several instruction sets, chosen
// at run time.
#pragma once

#include "base/matrix.hpp"

namespace bl {

// One step of Adam:  g = gradient + added_decay decay p,  m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,
//   p -= shrink decay p + step m / (sqrt(v) correction + epsilon).
template <class T>
struct AdamStep {
  T beta1, beta2, epsilon;
  T step;         // rate / (1 - beta1^t)
  T correction;   // 1 / sqrt(1 - beta2^t)
  T added_decay;  // 1: decay is part of the gradient
  T shrink;       // the rate: decay is apart from it
};

template <class T>
struct UpdateKernels {
  // decay may be null: none.
  void (*adam)(const AdamStep<T>& step, Index n, const T* gradient, const T* decay, T* parameters, T* first,
               T* second);
  double (*sum_of_squares)(const T* values, Index n);
  // to = sum over parts of part[i], in the order of the parts.
  void (*sum_parts)(const T* const* parts, Index count, Index n, T* to);
  // mean = past mean + (1 - past) values.
  void (*running_mean)(T past, const T* values, Index n, T* mean);
};

// The fastest set this processor runs.
template <class T>
const UpdateKernels<T>& update_kernels();

}  // namespace bl

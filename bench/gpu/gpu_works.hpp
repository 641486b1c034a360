// The workloads of the GPU benchmark: the table of docs/gpu.md.
#pragma once

#include "training_works.hpp"

namespace bl::bench {

inline std::vector<Work> gpu_works() {
  const InputShape image{.context = 784, .values = 0, .classes = 0};
  const InputShape image_scalar{.context = 784, .values = 0, .classes = 10};
  return {
      class_work("vector_88", "ten classes, vector, [88], 784 features", stacked_vector(image, {88}, 10),
                 61440, 64, 3),
      class_work("vector_88_42_20", "ten classes, vector, [88,42,20], 784 features",
                 stacked_vector(image, {88, 42, 20}, 10), 61440, 64, 2),
      class_work("scalar_88", "ten classes, scalar, [88], 784 features", stacked(image_scalar, {88}), 15360,
                 64, 3),
      class_work("two_classes", "two classes, scalar, [36,6], 105 features",
                 stacked({.context = 105, .values = 0, .classes = 2}, {36, 6}), 65536, 256, 4),
      score_work("score_1", {36, 6}, 1, 65536, 256, 4),
      score_work("score_8", {36, 6}, 8, 65536, 256, 4),
      class_work("vector_512", "four classes, vector, [512,128], 128 features",
                 stacked_vector({.context = 128, .values = 0, .classes = 0}, {512, 128}, 4), 65536, 256, 3),
      class_work("vector_88_large", "ten classes, vector, [88], batch 4096", stacked_vector(image, {88}, 10),
                 61440, 4096, 4),
      class_work("wide", "four classes, vector, [4096,1024], 1024 features",
                 stacked_vector({.context = 1024, .values = 0, .classes = 0}, {4096, 1024}, 4), 32768, 8192,
                 3),
  };
}

inline Work find_gpu_work(const std::string& name) {
  for (Work& work : gpu_works())
    if (work.name == name) return work;
  throw std::runtime_error("no work '" + name + "'");
}

}  // namespace bl::bench

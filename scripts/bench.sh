#!/usr/bin/env bash
# Runs what `./run bench` built and prints its tables. Extra arguments go to the micro benchmarks.
# BL_BENCH_PYTHON: an interpreter with torch, numpy and blnetwork, for the comparison with the published package
# and with plain PyTorch. BL_BENCH_THREADS: threads of the comparison (default: all processors).
set -euo pipefail
cd "$(dirname "$0")/.."

bin=build/release/bench
[[ -x $bin/bench_micro && -x $bin/bench_training && -x $bin/bench_langevin ]] ||
  { echo "bench.sh: nothing built in $bin; use ./run bench" >&2; exit 1; }

"$bin/bench_micro" --benchmark_min_time=0.2 "$@"
echo
# Threads that wait may sleep: on a busy machine PyTorch's would otherwise starve each other.
OMP_WAIT_POLICY=PASSIVE "${BL_BENCH_PYTHON:-python3}" bench/end_to_end/compare.py "$bin" \
  --threads "${BL_BENCH_THREADS:-$(nproc)}"

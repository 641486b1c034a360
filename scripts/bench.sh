#!/usr/bin/env bash
# Runs what `./run bench` built and prints its tables. Extra arguments go to the micro benchmarks.
# BENCH_PYTHON: an interpreter with torch and blnetwork, for the comparison with the published package.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=build/release/bench
[[ -x $bin/bench_micro && -x $bin/bench_langevin ]] || { echo "bench.sh: nothing built in $bin; use ./run bench" >&2; exit 1; }

"$bin/bench_micro" --benchmark_min_time=0.2 "$@"
echo
"${BENCH_PYTHON:-python3}" bench/end_to_end/langevin_torch.py "$bin/bench_langevin"

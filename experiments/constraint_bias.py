#!/usr/bin/env python3
"""Is the sampler of the constraint test biased, or is its error estimate? Its errors in standard errors, over many seeds.

    experiments/constraint_bias.py [--bl build/release/bl] [--seeds 30] [--first 1] [--draws 400] [--chains 64]

The sixteen settings of one seed share their random numbers, so their errors lean the same way: one seed is one observation, the
mean over its settings, not sixteen. An unbiased sampler has a mean over seeds within about two of the standard errors printed
beside it. A standard deviation of single settings near 1 says that the stated errors have the right size.
"""
import argparse
import json
import math
import statistics
import subprocess


def errors(arguments, seed):
    answer = subprocess.run([arguments.bl, "reproduce", "constraint", "--json", "-q", "--draws", str(arguments.draws),
                             "--chains", str(arguments.chains), "--seed", str(seed)], check=True, capture_output=True, text=True)
    return [(row["mean"] - row["exact_mean"]) / row["standard_error"] for row in json.loads(answer.stdout) if row["proper"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--chains", type=int, default=64)
    arguments = parser.parse_args()
    by_seed, single = [], []
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        these = errors(arguments, seed)
        single += these
        by_seed.append(statistics.mean(these))
        print(f"seed {seed}: {by_seed[-1]:+.2f}", flush=True)
    error = statistics.stdev(by_seed) / math.sqrt(len(by_seed))
    spread = math.sqrt(statistics.mean(z * z for z in single))
    print(f"mean over {len(by_seed)} seeds: {statistics.mean(by_seed):+.3f} standard errors, +-{error:.3f}; "
          f"one setting: root mean square {spread:.2f}")


if __name__ == "__main__":
    main()

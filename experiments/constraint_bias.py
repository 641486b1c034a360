#!/usr/bin/env python3
"""Is the sampler of the constraint test biased, or is its error estimate? Its errors in standard errors, over many seeds.

    experiments/constraint_bias.py [--bl build/release/bl] [--seeds 30] [--first 1] [--draws 400] [--chains 64]

Every setting of every seed has random numbers of its own, so each is an observation. An unbiased sampler has a mean within about
two of the standard errors printed beside it. A root mean square near 1 says that the stated errors have the right size.
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
    single = []
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        these = errors(arguments, seed)
        single += these
        print(f"seed {seed}: {statistics.mean(these):+.2f}", flush=True)
    error = statistics.stdev(single) / math.sqrt(len(single))
    spread = math.sqrt(statistics.mean(z * z for z in single))
    print(f"mean over {len(single)} settings: {statistics.mean(single):+.3f} standard errors, +-{error:.3f}; "
          f"root mean square {spread:.2f}")


if __name__ == "__main__":
    main()

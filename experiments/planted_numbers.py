#!/usr/bin/env python3
"""Numbers with a known distribution: fit each with the defaults, print held-out figures beside the truth's.

    experiments/planted_numbers.py [--bl build/release/bl] [--rows 2000] [--seeds 2] [--options "--members 1"] [--only cauchy,...]

Every case has y given one column x, uniform on (-1, 1), and a second column without effect. Figures are those of
2,000 fresh rows: mean log-likelihood, the truth's on the same rows, their difference, the share of rows inside the
90% interval, CRPS, and the seconds of the fit. A point mass counts with the log of its probability.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time


def normal(z, mean=0.0, standard_deviation=1.0):
    return -0.5 * ((z - mean) / standard_deviation) ** 2 - math.log(standard_deviation) - 0.5 * math.log(2 * math.pi)


def log_normal(sigma):
    return (lambda r, x: math.exp(x + sigma * r.gauss(0, 1)),
            lambda x, y: normal(math.log(y), x, sigma) - math.log(y))


def zero_share(x):
    return 1 / (1 + math.exp(1 - x))


def zero_inflated_draw(r, x):
    return 0.0 if r.random() < zero_share(x) else math.exp(x + 0.5 * r.gauss(0, 1))


def zero_inflated_log(x, y):
    if y == 0:
        return math.log(zero_share(x))
    return math.log1p(-zero_share(x)) + normal(math.log(y), x, 0.5) - math.log(y)


CAP = 0.8


def capped_log(x, y):
    return math.log(0.5 * math.erfc((CAP - x) / math.sqrt(2))) if y == CAP else normal(y, x, 1)


def poisson_draw(r, x):
    limit, count, product = math.exp(-math.exp(1 + x)), 0, r.random()
    while product > limit:
        count += 1
        product *= r.random()
    return count


def bimodal_log(x, y):
    a, b = normal(y, 1.5 + 0.5 * x, 0.4), normal(y, -1.5, 0.4)
    top = max(a, b)
    return top + math.log(0.5 * math.exp(a - top) + 0.5 * math.exp(b - top))


CASES = {  # name: (draw(random, x), log-density(x, y))
    "gaussian": (lambda r, x: x + (0.5 + 0.4 * x) * r.gauss(0, 1), lambda x, y: normal(y, x, 0.5 + 0.4 * x)),
    "log-normal 0.75": log_normal(0.75),
    "log-normal 1.5": log_normal(1.5),
    "cauchy": (lambda r, x: x + math.tan(math.pi * (r.random() - 0.5)),
               lambda x, y: -math.log(math.pi) - math.log1p((y - x) ** 2)),
    "pareto 1.5": (lambda r, x: math.exp(x) * r.random() ** (-1 / 1.5),
                   lambda x, y: math.log(1.5) + 1.5 * x - 2.5 * math.log(y) if y >= math.exp(x) else -math.inf),
    "zero-inflated": (zero_inflated_draw, zero_inflated_log),
    "capped": (lambda r, x: min(CAP, x + r.gauss(0, 1)), capped_log),
    "counts": (poisson_draw, lambda x, y: y * (1 + x) - math.exp(1 + x) - math.lgamma(y + 1)),
    "bimodal": (lambda r, x: (1.5 + 0.5 * x if r.random() < 0.5 else -1.5) + 0.4 * r.gauss(0, 1), bimodal_log),
    "outlier": (lambda r, x: x + 0.5 * r.gauss(0, 1), lambda x, y: normal(y, x, 0.5)),
}


def write(path, case, rows, seed, outlier):
    r = random.Random(seed)
    draw, log_density = CASES[case]
    total = 0.0
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["x", "other", "y"])
        for i in range(rows):
            x = r.uniform(-1, 1)
            y = draw(r, x)
            total += log_density(x, y)
            out.writerow([x, r.gauss(0, 1), 1e6 if outlier and i == 7 else y])
    return total / rows


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--options", default="")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"unknown case {unknown[0]!r}; known: {', '.join(CASES)}")
    print(f"{'case':<16} {'seed':>4} {'log-lik':>8} {'truth':>8} {'short':>7} {'cover':>6} {'crps':>8} {'s':>6}")
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (str(pathlib.Path(folder) / name) for name in ("train.csv", "test.csv", "model.bl"))
        for name in names:
            short = []
            for seed in range(arguments.seeds):
                write(train, name, arguments.rows, 100 + seed, name == "outlier")
                truth = write(test, name, 2000, 900 + seed, False)
                start = time.perf_counter()
                run([arguments.bl, "fit", train, "--target", "y", "--continuous", "y", "--fractions", "7:1:0", "--seed",
                     str(seed), "--json", "--output", model, *shlex.split(arguments.options)])
                seconds = time.perf_counter() - start
                metrics = run([arguments.bl, "evaluate", model, test, "--json"])
                metrics = metrics.get("metrics", metrics)
                short.append(truth - metrics["log_likelihood"])
                print(f"{name:<16} {seed:>4} {metrics['log_likelihood']:>8.3f} {truth:>8.3f} {short[-1]:>7.3f} "
                      f"{metrics['coverage_90']:>6.3f} {metrics['crps']:>8.4f} {seconds:>6.1f}", flush=True)
            if len(short) > 1:
                print(f"{'':<16} mean short of the truth {statistics.mean(short):.3f}", flush=True)


if __name__ == "__main__":
    main()

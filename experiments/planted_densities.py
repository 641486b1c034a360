#!/usr/bin/env python3
"""Shapes of two numbers with a known density: fit each with the defaults, print held-out figures beside the truth's.

    experiments/planted_densities.py [--bl build/release/bl] [--rows 2000] [--seeds 2] [--options "--panels 5"] [--only moons,...]
    experiments/planted_densities.py --flow --table wine_quality_red.csv --columns alcohol,pH

Moons and rings are curves with Gaussian noise around them, so their density is a mean over the curve. Figures are those of
2,000 fresh rows: mean log-density, the truth's on the same rows, and how far below it ours is, a kernel estimate (Gaussian,
Scott's bandwidth times the factor that makes left-out training rows likeliest) and, with --flow, a normalising flow (masked
autoregressive with rational-quadratic splines, defaults of the package flowjax), and the processor seconds of the fit. Two
columns of a table have no known density: a fifth of its rows judges, columns are standardised, and a normal distribution
stands in the place of the truth. Needs numpy; `bl evaluate` judges.
"""
import argparse
import csv
import json
import math
import pathlib
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

import numpy as np


def moons(share):
    angle = 2 * np.pi * np.where(share < 0.5, share, share - 0.5)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    return np.where((share < 0.5)[:, None], upper, lower)


def rings(share):
    angle, radius = 4 * np.pi * share, np.where(share < 0.5, 1, 2.5)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def spiral(share):
    angle = 1.5 + 3 * np.pi * share
    return np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1) / 5


SHAPES = {"moons": (moons, 0.15), "rings": (rings, 0.2), "spiral": (spiral, 0.1)}


def mixture(at, centres, noise):
    """The log-density of a mean of normals around the centres."""
    out = []
    for rows in np.array_split(at, max(1, len(at) // 200)):
        away = ((rows[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2) / noise**2
        top = away.min(axis=1)
        out.append(-0.5 * top + np.log(np.exp(-0.5 * (away - top[:, None])).mean(axis=1)))
    return np.concatenate(out) - math.log(2 * np.pi * noise**2)


def kernel_estimate(train, test):
    learn, hold = train[len(train) // 8 :], train[: len(train) // 8]
    scott = train.std() * len(learn) ** (-1 / 6)
    factor = max((0.15, 0.2, 0.3, 0.45, 0.7, 1.0), key=lambda f: mixture(hold, learn, f * scott).mean())
    return mixture(test, train, factor * scott).mean()


def normal(train, test):
    """The mean log-density of the normal distribution with the training rows' moments."""
    covariance = np.cov(train.T)
    away = test - train.mean(axis=0)
    distance = (away * np.linalg.solve(covariance, away.T).T).sum(axis=1)
    return (-0.5 * distance).mean() - 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]


def flow(train, test, seed):
    import jax
    from flowjax.bijections import RationalQuadraticSpline
    from flowjax.distributions import Normal
    from flowjax.flows import masked_autoregressive_flow
    from flowjax.train import fit_to_data

    mean, scale = train.mean(axis=0), train.std(axis=0)
    shape, order = jax.random.split(jax.random.key(seed))
    untrained = masked_autoregressive_flow(shape, base_dist=Normal(jax.numpy.zeros(2)),
                                           transformer=RationalQuadraticSpline(knots=8, interval=4))
    learned, _ = fit_to_data(order, untrained, jax.numpy.array((train - mean) / scale), show_progress=False)
    return float(learned.log_prob(jax.numpy.array((test - mean) / scale)).mean()) - np.log(scale).sum()


def planted(name, rows, seed):
    """Training rows, test rows and the truth's mean log-density of the latter."""
    curve, noise = SHAPES[name]
    random = np.random.default_rng(100 + seed)
    all_rows = curve(random.random(rows + 2000))
    all_rows += noise * random.standard_normal(all_rows.shape)
    train, test = all_rows[:rows], all_rows[rows:]
    return train, test, mixture(test, curve((np.arange(4000) + 0.5) / 4000), noise).mean()


def of_table(path, columns, seed):
    """The same of two columns of a table, a normal distribution in the place of the truth."""
    with open(path, newline="") as file:
        rows = np.array([[float(row[name]) for name in columns] for row in csv.DictReader(file)])
    np.random.default_rng(100 + seed).shuffle(rows)
    cut = len(rows) * 4 // 5
    rows = (rows - rows[:cut].mean(axis=0)) / rows[:cut].std(axis=0)
    return rows[:cut], rows[cut:], normal(rows[:cut], rows[cut:])


def run(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")
    return json.loads(result.stdout), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def write(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["a", "b"], *rows.tolist()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--options", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--flow", action="store_true", help="beside a normalising flow; needs flowjax")
    parser.add_argument("--table", help="a CSV file in the place of the shapes")
    parser.add_argument("--columns", default="", help="two of its columns")
    arguments = parser.parse_args()
    print(f"{'shape':<8} {'seed':>4} {'log-dens':>9} {'truth':>8} {'short':>7} {'kernel short':>12} {'flow short':>10} {'s':>6}")
    names = ["table"] if arguments.table else arguments.only.split(",") if arguments.only else list(SHAPES)
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (str(pathlib.Path(folder) / name) for name in ("train.csv", "test.csv", "model.bl"))
        for name in names:
            short = []
            for seed in range(arguments.seeds):
                learn, judge, truth = (of_table(arguments.table, arguments.columns.split(","), seed) if arguments.table else
                                       planted(name, arguments.rows, seed))
                write(train, learn)
                write(test, judge)
                _, seconds = run([arguments.bl, "fit", train, "--fractions", "7:1:0", "--seed", str(seed), "--json",
                                  "--output", model, *shlex.split(arguments.options)])
                learned = run([arguments.bl, "evaluate", model, test, "--json"])[0]["log_likelihood"]
                short.append(truth - learned)
                others = [f"{truth - kernel_estimate(learn, judge):.3f}",
                          f"{truth - flow(learn, judge, seed):.3f}" if arguments.flow else "-"]
                print(f"{name:<8} {seed:>4} {learned:>9.3f} {truth:>8.3f} {short[-1]:>7.3f} {others[0]:>12} {others[1]:>10} "
                      f"{seconds:>6.1f}", flush=True)
            if len(short) > 1:
                print(f"{'':<8} mean short of the truth {statistics.mean(short):.3f}", flush=True)


if __name__ == "__main__":
    main()

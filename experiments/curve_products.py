#!/usr/bin/env python3
"""What products of two curves give: log loss of test rows with and without the few that training rows speak for most.

    experiments/curve_products.py DATA_FOLDER [--bl build/release/bl] [--only wine_quality_red,...] [--seeds 2]
        [--products 3] [--rows 6000] [--options="--layers 2 --members 1"]

Of the rows (stratified) 68% are for fitting, 12% to accept or refuse the products, 20% for the figures; both fits have the same rows and options.
Pairs are ranked by what the residuals of the fit without products leave in the cells of 6 x 6 quantiles, over training rows alone, beyond what either
column alone explains. They are accepted where the loss of the 12% falls by more than its standard error. Prints both log losses, their
difference with the standard error of the paired rows, and the products. Needs numpy, pandas and scikit-learn.
"""
import argparse
import itertools
import pathlib
import shlex
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

TABLES = ["wine_quality_red", "steel_plates_faults", "compas", "electricity"]
CELLS = 6


def run(*command):
    result = subprocess.run([str(one) for one in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr.strip()}")


def probabilities(bl, model, rows, folder, classes):
    run(bl, "predict", model, rows, "--output", folder / "p.csv")
    predicted = pd.read_csv(folder / "p.csv")
    return np.clip(predicted[[f"p({one})" for one in classes]].to_numpy(), 1e-15, 1)


def codes(column):
    edges = np.unique(np.quantile(column, np.arange(1, CELLS) / CELLS))
    return np.searchsorted(edges, column, side="right")


def joint_score(first, second, residuals, variances):
    """What the cells of a pair explain beyond sums of rows and columns: a chi-squared statistic over its degrees of freedom."""
    cells = first * (second.max() + 1) + second
    total = 0.0
    for residual, variance in zip(residuals.T, variances.T):
        left = residual.copy()
        for _ in range(3):  # what either column alone explains
            for codes_of in (first, second):
                weight = np.bincount(codes_of, variance)
                left = left - variance * (np.bincount(codes_of, left) / np.maximum(weight, 1e-9))[codes_of]
        weight = np.bincount(cells, variance)
        total += float(np.sum(np.bincount(cells, left) ** 2 / np.maximum(weight, 1e-9)))
    return total / max(1, first.max() * second.max())


def ranked_pairs(frame, features, residuals, variances):
    coded = {name: codes(frame[name].to_numpy(float)) for name in features}
    scores = {(a, b): joint_score(coded[a], coded[b], residuals, variances)
              for a, b in itertools.combinations(features, 2) if coded[a].max() > 0 and coded[b].max() > 0}
    return sorted(scores, key=lambda pair: -scores[pair])


def measure(arguments, name, seed):
    frame = pd.read_csv(pathlib.Path(arguments.data) / f"{name}.csv").dropna()
    target = frame.columns[-1]
    frame[target] = "c" + frame[target].astype(str)
    if len(frame) > arguments.rows:
        frame = frame.sample(arguments.rows, random_state=seed)
    classes = sorted(frame[target].unique())
    train, test = train_test_split(frame, test_size=0.2, random_state=seed, stratify=frame[target])
    train, judge = train_test_split(train, test_size=0.15, random_state=seed, stratify=train[target])
    features = [one for one in frame.columns[:-1] if pd.api.types.is_numeric_dtype(frame[one])]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        train.to_csv(folder / "train.csv", index=False)
        held = pd.concat([judge, test])
        held.to_csv(folder / "held.csv", index=False)
        hit = np.searchsorted(classes, held[target])

        def losses(curves):
            run(arguments.bl, "fit", folder / "train.csv", "--target", target, "--fractions", "7:1:0", "--split", "stratified",
                "--seed", seed, "--threads", 1, "--quiet", "--output", folder / "m.bl", *shlex.split(arguments.options),
                "--curves", curves)
            p = probabilities(arguments.bl, folder / "m.bl", folder / "held.csv", folder, classes)
            return -np.log(p[np.arange(len(hit)), hit])

        without = losses("all")
        p = probabilities(arguments.bl, folder / "m.bl", folder / "train.csv", folder, classes)
        observed = np.searchsorted(classes, train[target])[:, None] == np.arange(len(classes))
        pairs = ranked_pairs(train, features, observed - p, p * (1 - p))[:arguments.products]
        together = losses("all," + ",".join(f"{a}~*{b}~" for a, b in pairs))
    return without, together, len(judge), pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--only", default=",".join(TABLES))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--products", type=int, default=3)
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--options", default="--layers 2 --members 1")
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        for seed in range(arguments.seeds):
            without, together, judged, pairs = measure(arguments, name, seed)
            change = together - without
            judge, test = change[:judged], change[judged:]
            accepted = judge.mean() + judge.std() / np.sqrt(judged) < 0
            print(f"{name:<20} seed {seed}: {without[judged:].mean():.4f} -> {together[judged:].mean():.4f}, {test.mean():+.4f} "
                  f"+- {test.std() / np.sqrt(len(test)):.4f}, {'accepted' if accepted else 'refused'}  "
                  f"{', '.join('*'.join(pair) for pair in pairs)}", flush=True)


if __name__ == "__main__":
    main()

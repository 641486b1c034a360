#!/usr/bin/env python3
"""A newcomer's path over real tables: fit, evaluate and predict the test part, inspect; every step is checked.

    experiments/newcomer.py DATA_FOLDER [--bl build/release/bl] [--time-limit 20]

Each CSV file has its target in its last column; IDX folders hold
train-images and train-labels. Checked: evaluate repeats the metrics of the fit, predictions have a line per test row,
and the accuracy (R2) recomputed here from the prediction file is the one that evaluate prints.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

TARGETS = {"boston_housing": "MEDV"}  # others: the last column, as classes


def run(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {result.returncode}\n{result.stderr.strip()}")
    return result.stdout


def recomputed(rows, target, is_class):
    if is_class:
        return "accuracy", sum(row["observed " + target] == row[target] for row in rows) / len(rows)
    truth = [float(row["observed " + target]) for row in rows]
    guess = [float(row[target]) for row in rows]
    mean = sum(truth) / len(truth)
    residual = sum((t - g) ** 2 for t, g in zip(truth, guess))
    return "r2", 1 - residual / sum((t - mean) ** 2 for t in truth)


def path_of(bl, files, target, is_class, limit, folder):
    model, predictions = folder / "model.bl", folder / "predictions.csv"
    extra = ["--nominal", target] if is_class and len(files) == 1 else []
    reading = ["--labels", files[1]] if len(files) == 2 else []
    report = json.loads(run(bl, "fit", files[0], *reading, "--target", target, *extra, "--time-limit", limit, "--json",
                            "--output", model))
    scores = json.loads(run(bl, "evaluate", model, files[0], *reading, "--part", "test", "--json"))
    for name, value in report["test"].items():
        if scores[name] != value:
            sys.exit(f"{files[0]}: evaluate says {name} {scores[name]}, the fit said {value}")
    run(bl, "predict", model, files[0], *reading, "--part", "test", "--carry", target, "--output", predictions)
    with open(predictions, newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) != scores["rows"]:
        sys.exit(f"{files[0]}: {len(rows)} predictions of {scores['rows']} test rows")
    name, value = recomputed(rows, target, is_class)
    if abs(value - scores[name]) > 1e-6:
        sys.exit(f"{files[0]}: {name} from the predictions {value}, from evaluate {scores[name]}")
    text = run(bl, "inspect", model)
    if max(map(len, text.splitlines())) > 80 or target not in text:
        sys.exit(f"{files[0]}: inspect does not read well:\n{text}")
    return len(rows), name, value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--time-limit", default="20")
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.data)
    jobs = []
    for path in sorted(data.glob("*.csv")):
        with open(path, newline="") as file:
            last = next(csv.reader(file))[-1]
        jobs.append((path.stem, [path], TARGETS.get(path.stem, last), path.stem not in TARGETS))
    for images in sorted(data.glob("*/train-images-idx3-ubyte")):
        jobs.append((images.parent.name, [images, images.with_name("train-labels-idx1-ubyte")], "label", True))
    for name, files, target, is_class in jobs:
        with tempfile.TemporaryDirectory() as folder:
            rows, metric, value = path_of(arguments.bl, files, target, is_class, arguments.time_limit,
                                          pathlib.Path(folder))
        print(f"{name:<22} {rows:>7} test rows   {metric} {value:.4f}", flush=True)


if __name__ == "__main__":
    main()

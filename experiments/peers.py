#!/usr/bin/env python3
"""Our program beside other packages on identical splits of tables with a class in the last column.

    experiments/peers.py DATA_FOLDER [--bl build/release/bl] [--seeds 3] [--only adult,...] [--peers forest,lightgbm,...]

Every package has its defaults and one thread. 80% of the rows are for fitting, 20% for the figures, split by class and seed.
Prints log loss, AUC and macro F1 with the seconds to fit and to predict, the mean rank of each, and the difference to our
program over tables and seeds with its standard error (paired by table and seed). Needs numpy, pandas and scikit-learn;
lightgbm, xgboost and interpret where they are asked for. A package that is not installed is named and left out.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

TABLES = ["german_credit", "adult", "compas", "bank_marketing", "planning_relax", "eeg_eye_state", "magic_gamma",
          "electricity", "wine_quality_red", "steel_plates_faults"]
FIGURES = ["log_loss", "auc", "macro_f1"]


def encoded(features, scale):
    """Numbers (standardised where asked) and levels as columns of 0 and 1, or as codes for trees."""
    numbers = features.select_dtypes("number").columns
    levels = [name for name in features.columns if name not in numbers]
    of_numbers = [SimpleImputer()] + ([StandardScaler()] if scale else [])
    of_levels = (OneHotEncoder(handle_unknown="ignore", min_frequency=5) if scale else
                 OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1))
    return make_column_transformer((make_pipeline(*of_numbers), numbers), (of_levels, levels))


def peer(name, features, seed):
    if name == "forest":
        return make_pipeline(encoded(features, False), RandomForestClassifier(random_state=seed))
    if name == "logistic":
        return make_pipeline(encoded(features, True), LogisticRegression(max_iter=1000))
    if name == "mlp":
        return make_pipeline(encoded(features, True), MLPClassifier(random_state=seed))
    if name == "hist_boosting":
        return make_pipeline(encoded(features, False), HistGradientBoostingClassifier(random_state=seed))
    if name == "lightgbm":
        from lightgbm import LGBMClassifier
        return make_pipeline(encoded(features, False), LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1))
    if name == "xgboost":
        from xgboost import XGBClassifier
        return make_pipeline(encoded(features, False), XGBClassifier(random_state=seed, n_jobs=1))
    if name == "ebm":
        from interpret.glassbox import ExplainableBoostingClassifier
        return ExplainableBoostingClassifier(random_state=seed, n_jobs=1)
    sys.exit(f"no peer is called {name}")


def probabilities_of_ours(bl, train, test, target, seed, classes):
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        train.to_csv(at / "train.csv", index=False)
        test.drop(columns=target).to_csv(at / "test.csv", index=False)
        started = time.perf_counter()
        run([bl, "fit", str(at / "train.csv"), "--target", target, "--nominal", target, "--fractions", "7:1:0", "--split",
             "stratified", "--unseen", "missing", "--seed", str(seed), "--threads", "1", "--output", str(at / "m.bl")])
        fitted = time.perf_counter()
        run([bl, "predict", str(at / "m.bl"), str(at / "test.csv"), "--output", str(at / "p.csv")])
        done = time.perf_counter()
        found = pd.read_csv(at / "p.csv")
        columns = [next(c for c in found.columns if c in (f"p({k})", f"p_{k}")) for k in classes]
        return found[columns].to_numpy(), fitted - started, done - fitted


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")


def probabilities_of_peer(name, train, test, target, seed, classes):
    model = peer(name, train.drop(columns=target), seed)
    codes = train[target].map({k: i for i, k in enumerate(classes)})
    started = time.perf_counter()
    model.fit(train.drop(columns=target), codes)
    fitted = time.perf_counter()
    found = model.predict_proba(test.drop(columns=target))
    return found, fitted - started, time.perf_counter() - fitted


def figures(truth, p):
    p = p / p.sum(axis=1, keepdims=True)
    labels = list(range(p.shape[1]))
    auc = (roc_auc_score(truth, p[:, 1]) if len(labels) == 2 else
           roc_auc_score(truth, p, multi_class="ovr", labels=labels))
    return {"log_loss": log_loss(truth, p, labels=labels), "auc": auc,
            "macro_f1": f1_score(truth, p.argmax(axis=1), average="macro")}


def measure(arguments, table, seed, name):
    data = pd.read_csv(pathlib.Path(arguments.data) / f"{table}.csv")
    target = data.columns[-1]
    data[target] = data[target].astype(str)
    classes = sorted(data[target].unique())
    train, test = train_test_split(data, test_size=0.2, random_state=seed, stratify=data[target])
    truth = test[target].map({k: i for i, k in enumerate(classes)}).to_numpy()
    if name == "bl":
        p, fit, predict = probabilities_of_ours(arguments.bl, train, test, target, seed, classes)
    else:
        p, fit, predict = probabilities_of_peer(name, train, test, target, seed, classes)
    return {"table": table, "seed": seed, "peer": name, "fit_s": fit, "predict_s": predict, **figures(truth, p)}


def report(runs):
    means = runs.groupby(["table", "peer"])[[*FIGURES, "fit_s", "predict_s"]].mean()
    print(means.round(4).to_string(), "\n")
    print(means.groupby("peer").mean().round(4).to_string(), "\n")
    for figure in FIGURES:
        wide = runs.pivot_table(index=["table", "seed"], columns="peer", values=figure)
        ranks = wide.rank(axis=1, ascending=figure == "log_loss").mean()
        print(f"{figure}: mean rank, and difference to bl with its standard error over {len(wide)} pairs")
        for name in wide.columns:
            d = (wide[name] - wide["bl"]).to_numpy()
            error = d.std(ddof=1) / np.sqrt(len(d)) if len(d) > 1 else float("nan")
            print(f"  {name:<14} {ranks[name]:5.2f}   {d.mean():+.4f} ({error:.4f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default=",".join(TABLES))
    parser.add_argument("--peers", default="forest,logistic,mlp,hist_boosting,lightgbm,xgboost,ebm")
    arguments = parser.parse_args()
    runs = []
    for name in ["bl", *arguments.peers.split(",")]:
        for table in arguments.only.split(","):
            try:
                runs += [measure(arguments, table, seed, name) for seed in range(arguments.seeds)]
            except ImportError as error:
                print(f"{name} is left out: {error}", file=sys.stderr)
                break
            print(f"{name} {table} done", file=sys.stderr)
    report(pd.DataFrame(runs))


if __name__ == "__main__":
    main()

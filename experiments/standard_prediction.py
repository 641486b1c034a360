#!/usr/bin/env python3
"""The paper's standard prediction (section 4.1): ten tables, ten baselines, BL(Single), BL(Shallow) and our default.

    experiments/standard_prediction.py DATA_FOLDER [--trials 3] [--seeds 2] [--rows 3000] [--only adult,...]
        [--models "bl shallow,lightgbm,..."] [--results standard_prediction.jsonl] [--diagram ranks.svg] [--gains gains.svg] [--jobs 1]

Every model is tuned by TPE (Optuna) over the paper's space, on the validation part of one random 7:1:2 split, then fitted and judged on the
test part of a split per seed. The defaults are cheap: 3 trials, 2 seeds, at most 3,000 rows of each table; the paper has
`--trials 50 --seeds 8 --rows 0` (all rows). Every fit is kept in the file of results as it ends; what is found there is not run again, trials neither.
--jobs runs so many pairs of table and model at a time, each on one thread; models in PyTorch use a GPU where there is one.
Prints relative gains over the decision tree in AUC and macro F1, mean ranks, pairwise tests, and draws the gains and the
critical-difference diagram (--gains, --diagram). Packages: scikit-learn, lightgbm, optuna, torch, pytorch-tabnet, gpytorch and behavior_learning; a model whose package is not
installed is named and left out.
"""
import argparse
import concurrent.futures
import importlib.util
import json
import math
import multiprocessing
import os
import pathlib
import sys
import time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from sklearn.metrics import f1_score, roc_auc_score  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from standard_models import MODELS, Rows  # noqa: E402

TABLES = ["german_credit", "adult", "compas", "bank_marketing", "planning_relax", "eeg_eye_state", "magic_gamma",
          "electricity", "wine_quality_red", "steel_plates_faults"]
READABLE = ["decision tree", "logistic", "polynomial logistic", "elastic net", "nam", "bl single", "bl shallow"]
# Two-sided Nemenyi test at 5%: quantiles of the studentised range divided by the square root of 2 (Demsar, 2006).
NEMENYI = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164, 11: 3.219,
           12: 3.268, 13: 3.313}


# --- data

def encoded(frame, numbers, train):
    """Numbers standardised by training rows, missing ones at the mean; levels as columns of 0 and 1."""
    parts = []
    if numbers:
        parts.append(np.nan_to_num(StandardScaler().fit(frame.loc[train, numbers]).transform(frame[numbers])))
    if len(numbers) < len(frame.columns):
        parts.append(pd.get_dummies(frame.drop(columns=numbers), dtype=float).to_numpy())
    return np.hstack(parts)


def split(path, rows, seed):
    """Training, validation and test rows of a random 7:1:2 split."""
    frame = pd.read_csv(path)
    if rows and len(frame) > rows:
        frame = frame.sample(rows, random_state=0).reset_index(drop=True)
    labels, y = np.unique(frame.iloc[:, -1].astype(str), return_inverse=True)
    features = frame.iloc[:, :-1]
    order = np.random.default_rng(seed).permutation(len(y))
    cuts = np.split(order, [int(0.7 * len(y)), int(0.8 * len(y))])
    x = encoded(features, list(features.select_dtypes("number").columns), cuts[0])
    return [Rows(features.iloc[part].reset_index(drop=True), x[part], y[part], len(labels)) for part in cuts]


def figures(p, rows):
    p = np.nan_to_num(p) + 1e-12
    p = p / p.sum(axis=1, keepdims=True)
    f1 = f1_score(rows.y, p.argmax(axis=1), average="macro", labels=np.unique(rows.y), zero_division=0)
    present = np.unique(rows.y)
    aucs = [roc_auc_score(rows.y == c, p[:, c]) for c in present if 0 < np.sum(rows.y == c) < len(rows.y)]
    return {"auc": float(np.mean(aucs)) if aucs else math.nan, "f1": float(f1)}


# --- runs

def judged(model, parameters, seed, parts):
    """Figures of validation and test rows. A fit that fails counts as guessing: its error is kept."""
    _, fitted, _ = MODELS[model]
    started = time.time()
    try:
        predict = fitted(parameters, seed, parts[0], parts[1])
        found = {"validation": figures(predict(parts[1]), parts[1]), "test": figures(predict(parts[2]), parts[2])}
    except Exception as error:  # whatever a package throws
        print(f"{model}: {error}", file=sys.stderr)
        found = {"validation": {"auc": 0.5, "f1": 0.0}, "test": {"auc": 0.5, "f1": 0.0}, "error": str(error)[:200]}
    return {**found, "seconds": time.time() - started}


class Results:
    """Lines of a file, one a fit. Each is written as it is known; several processes may write at once."""

    def __init__(self, path, rows):
        self.path, self.rows = path, rows
        self.kept = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def keep(self, one):
        one = {**one, "rows": self.rows}
        self.kept.append(one)
        with open(self.path, "a") as out:
            out.write(json.dumps(one) + "\n")

    def find(self, **wanted):
        return next((r for r in self.kept if r["rows"] == self.rows and all(r.get(k) == v for k, v in wanted.items())), None)


def tuned(model, table, parts, trials, results):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = MODELS[model][0]
    def value(trial):
        p = space(trial)
        place = {"kind": "trial", "table": table, "model": model, "number": trial.number}
        found = results.find(**place, parameters=p)  # the sampler has a seed, so a run that was stopped meets the same trials
        if found is None:
            results.keep({**place, "parameters": p, **judged(model, p, 0, parts)})
            found = results.kept[-1]
        trial.set_user_attr("parameters", p)
        return found["validation"]["auc"] + found["validation"]["f1"]
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(value, n_trials=trials)
    return study.best_trial.user_attrs["parameters"]


def run_pair(a, table, model):
    """All seeds of a model on a table, tuned first."""
    results = Results(a.results, a.rows)
    trials = a.trials if MODELS[model][0] else 0
    wanted = [s for s in range(a.seeds) if not results.find(kind="run", table=table, model=model, seed=s, trials=trials)]
    if not wanted:
        return
    path = a.data / f"{table}.csv"
    parameters = tuned(model, table, split(path, a.rows, 1000), trials, results) if trials else {}
    for seed in wanted:
        one = judged(model, parameters, seed, split(path, a.rows, seed))
        results.keep({"kind": "run", "table": table, "model": model, "seed": seed, "trials": trials, "parameters": parameters,
                      **one})
        print(f"{table:<20} {model:<20} seed {seed}: AUC {one['test']['auc']:.3f}, F1 {one['test']['f1']:.3f}, "
              f"{one['seconds']:.1f} s", file=sys.stderr, flush=True)


def run_all(a, tables, models):
    with concurrent.futures.ProcessPoolExecutor(a.jobs, multiprocessing.get_context("spawn")) as pool:
        for done in [pool.submit(run_pair, a, table, model) for table in tables for model in models]:
            done.result()
    return [r for r in Results(a.results, a.rows).kept
            if r["kind"] == "run" and r["rows"] == a.rows and r["table"] in tables and r["model"] in models and
            r["seed"] < a.seeds and r["trials"] == (a.trials if MODELS[r["model"]][0] else 0)]


# --- report

def means(runs, tables, models, figure):
    """Mean over seeds of the test rows: tables x models."""
    return np.array([[np.mean([r["test"][figure] for r in runs if (r["table"], r["model"]) == (t, m)])
                      for m in models] for t in tables])


def ranks(values):
    """Of each table, 1 for the highest; ties share the mean."""
    from scipy.stats import rankdata
    return np.array([rankdata(-np.round(row, 6)) for row in values])


def diagram(names, mean_ranks, difference):
    """Mean ranks on a line; bars join models that the Nemenyi test does not tell apart."""
    order = np.argsort(mean_ranks)
    width, left, right = 800, 190, 610
    at = lambda rank: left + (rank - 1) / (len(names) - 1) * (right - left)
    half = (len(names) + 1) // 2
    bars, last = [], -1
    for i, model in enumerate(order):
        end = max(j for j in range(i, len(order)) if mean_ranks[order[j]] - mean_ranks[model] <= difference)
        if end > i and end > last:
            bars.append((mean_ranks[model], mean_ranks[order[end]]))
            last = end
    top = 50 + 8 * len(bars)
    out = [f'<line x1="{left}" y1="40" x2="{right}" y2="40" stroke="black"/>']
    out += [f'<line x1="{at(r):.1f}" y1="34" x2="{at(r):.1f}" y2="40" stroke="black"/>'
            f'<text x="{at(r):.1f}" y="28" text-anchor="middle">{r}</text>' for r in range(1, len(names) + 1)]
    out += [f'<line x1="{at(a) - 3:.1f}" y1="{48 + 8 * i}" x2="{at(b) + 3:.1f}" y2="{48 + 8 * i}" stroke="black" '
            f'stroke-width="3"/>' for i, (a, b) in enumerate(bars)]
    for i, model in enumerate(order):
        best = i < half
        y = top + 22 * (i if best else len(order) - 1 - i) + 20
        x, end, anchor = at(mean_ranks[model]), (left - 10 if best else right + 10), "end" if best else "start"
        out.append(f'<polyline points="{x:.1f},40 {x:.1f},{y} {end},{y}" fill="none" stroke="grey"/>'
                   f'<text x="{end + (-4 if best else 4)}" y="{y + 4}" text-anchor="{anchor}">{names[model]} '
                   f'{mean_ranks[model]:.2f}</text>')
    height = top + 22 * half + 40
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="12"><title>Mean ranks; critical difference {difference:.2f}</title>' + "".join(out) + "</svg>\n")


def bars(names, gains):
    """Two panels of bars, gains in percent, the model that gains most in macro F1 first."""
    order, width, line, left = np.argsort(-gains["macro F1"]), 250, 20, 150
    out = []
    for panel, (figure, values) in enumerate(gains.items()):
        x0, scale = left + panel * (width + 70), width / max(np.max(values), 1)
        out.append(f'<text x="{x0}" y="20" font-weight="bold">gain in {figure}, %</text>')
        for i, model in enumerate(order):
            y, color = 34 + line * i, "#648fff" if names[model].startswith("bl ") else "#bbbbbb"
            length = scale * max(values[model], 0)
            if panel == 0:
                out.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{names[model]}</text>')
            out.append(f'<rect x="{x0}" y="{y}" width="{length:.1f}" height="{line - 5}" fill="{color}"/>'
                       f'<text x="{x0 + length + 4:.1f}" y="{y + 12}">{values[model]:+.1f}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 2 * (width + 70)} {40 + line * len(order)}" '
            f'font-family="sans-serif" font-size="12"><title>Gains over the decision tree</title>' + "".join(out) + "</svg>\n")


def report(runs, tables, models, path, gains_path):
    from scipy.stats import friedmanchisquare, wilcoxon
    auc, f1 = means(runs, tables, models, "auc"), means(runs, tables, models, "f1")
    base = models.index("decision tree") if "decision tree" in models else None
    gain = lambda values: 100 * (values / values[:, [base]] - 1).mean(axis=0) if base is not None else values.mean(axis=0)
    if base is not None:
        gains_path.write_text(bars(models, {"AUC": gain(auc), "macro F1": gain(f1)}))
    order = ranks(f1)
    mean_ranks = order.mean(axis=0)
    seconds = [np.mean([r["seconds"] for r in runs if r["model"] == m]) for m in models]
    print("| model | gain in AUC, % | gain in macro F1, % | mean rank, AUC | mean rank, macro F1 | seconds |\n|" + "---|" * 6)
    auc_ranks = ranks(auc).mean(axis=0)
    for i in np.argsort(mean_ranks):
        print(f"| {models[i]} | {gain(auc)[i]:+.1f} | {gain(f1)[i]:+.1f} | {auc_ranks[i]:.2f} | {mean_ranks[i]:.2f} | "
              f"{seconds[i]:.1f} |")
    print("\n| table | " + " | ".join(models) + " |\n|" + "---|" * (len(models) + 1))
    for t, table in enumerate(tables):
        print(f"| {table} | " + " | ".join(f"{a:.3f} / {f:.3f}" for a, f in zip(auc[t], f1[t])) + " |")
    if len(tables) < 3 or len(models) < 3:
        return
    difference = NEMENYI[len(models)] * math.sqrt(len(models) * (len(models) + 1) / (6 * len(tables)))
    print(f"\nFriedman test of macro F1 ranks: p = {friedmanchisquare(*f1.T).pvalue:.2g}; critical difference of mean ranks at "
          f"5% (Nemenyi): {difference:.2f}")
    for own in ("bl shallow", "bl default", "bl single"):
        if own not in models:
            continue
        o = models.index(own)
        tests = [f"{m} {wilcoxon(f1[:, o], f1[:, i]).pvalue:.2f}" for i, m in enumerate(models)
                 if i != o and np.any(f1[:, o] != f1[:, i])]
        print(f"\nWilcoxon's test of {own} against each, macro F1 by table, p: " + ", ".join(tests))
    readable = [m for m in models if m in READABLE]
    if readable:
        best = min(readable, key=lambda m: mean_ranks[models.index(m)])
        print(f"\nBest mean rank in macro F1 among readable models ({', '.join(readable)}): {best}")
    path.write_text(diagram(models, mean_ranks, difference))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=3000, help="of each table at most; 0: all")
    parser.add_argument("--only", default=",".join(TABLES))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("standard_prediction.jsonl"))
    parser.add_argument("--diagram", type=pathlib.Path, default=pathlib.Path("standard_prediction.svg"))
    parser.add_argument("--gains", type=pathlib.Path, default=pathlib.Path("standard_prediction_gains.svg"))
    parser.add_argument("--jobs", type=int, default=1, help="pairs of table and model at a time")
    a = parser.parse_args()
    models = []
    for model in a.models.split(","):
        if model not in MODELS:
            sys.exit(f"no model is called '{model}'; known: {', '.join(MODELS)}")
        absent = [one for one in MODELS[model][2] if importlib.util.find_spec(one) is None]
        if absent:
            print(f"{model} is left out: {absent[0]} is not installed", file=sys.stderr)
        else:
            models.append(model)
    tables = a.only.split(",")
    report(run_all(a, tables, models), tables, models, a.diagram, a.gains)


if __name__ == "__main__":
    main()

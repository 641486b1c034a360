#!/usr/bin/env python3
"""Our program beside other packages on identical splits: tables with a class in the last column, and with a number there.

    experiments/peers.py DATA_FOLDER --results peers.jsonl [--seeds 3] [--only adult,...] [--peers bl,forest,...]
    experiments/peers.py DATA_FOLDER --results peers.jsonl --report [--page docs/defaults.md]

Every package has its defaults and one thread (--threads gives EBM more processes), --jobs pairs of table and seed are
measured at a time. 80% of the rows are for fitting, 20% for the figures, split by seed, classes
stratified. What is measured is appended to the file of results at once; what is there already is not measured again, so
a run that was stopped goes on. --report prints tables for a page in place of measuring, with --page into it:
means over tables and seeds, differences to our program with standard errors of the paired differences, mean ranks, and
processor seconds to fit and to predict (ours with reading and writing of files). Bold is what is best alone.

Variants of ours have names of their own:

    experiments/peers.py DATA_FOLDER --results peers.jsonl --peers "bl readable" --options=--readable
    experiments/peers.py DATA_FOLDER --results peers.jsonl --peers "bl macro_f1" --predict-options="--decide macro_f1"

Other tables of numbers, written by experiments/number_tables.py, one figure for each table and package:

    experiments/peers.py TABLES --results numbers.jsonl --numbers Schooling,diamonds --only Schooling,diamonds --seeds 8
    experiments/peers.py TABLES --results numbers.jsonl --numbers Schooling,diamonds --report-numbers [--page docs/numbers.md]

Needs numpy, pandas and scikit-learn; lightgbm, xgboost, interpret-core and ngboost where they are asked for. A package
that is not installed is named and left out.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import warnings

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor,  # noqa: E402
                              RandomForestClassifier, RandomForestRegressor)
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.metrics import f1_score, log_loss, roc_auc_score  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler  # noqa: E402

TABLES = ["german_credit", "adult", "compas", "bank_marketing", "planning_relax", "eeg_eye_state", "magic_gamma",
          "electricity", "wine_quality_red", "steel_plates_faults"]
NUMBERS = ["boston_housing"]
PEERS = ["bl", "logistic", "forest", "mlp", "hist_boosting", "lightgbm", "xgboost", "ngboost", "ebm"]
HIGHER_IS_BETTER = {"log_loss": False, "auc": True, "macro_f1": True, "rmse": False, "log_likelihood": True,
                    "crps": False}
BEGIN, END = "<!-- experiments/peers.py: begin -->", "<!-- experiments/peers.py: end -->"


def encoded(features, scale):
    """Numbers (standardised where asked) and levels as columns of 0 and 1, or as codes for trees."""
    numbers = features.select_dtypes("number").columns
    levels = [name for name in features.columns if name not in numbers]
    of_numbers = [SimpleImputer()] + ([StandardScaler()] if scale else [])
    of_levels = (OneHotEncoder(handle_unknown="ignore", min_frequency=5) if scale else
                 OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1))
    return make_column_transformer((make_pipeline(*of_numbers), numbers), (of_levels, levels))


def peer(name, features, seed, number, threads):
    """The pipeline of a package for classes or for one number; None where it has none."""
    if name == "ebm":
        from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor
        return (ExplainableBoostingRegressor if number else ExplainableBoostingClassifier)(random_state=seed, n_jobs=threads)
    if name == "logistic":
        last, scale = LinearRegression() if number else LogisticRegression(max_iter=1000), True
    elif name == "mlp":
        last, scale = (MLPRegressor if number else MLPClassifier)(random_state=seed), True
    elif name == "forest":
        last, scale = (RandomForestRegressor if number else RandomForestClassifier)(random_state=seed), False
    elif name == "hist_boosting":
        kind = HistGradientBoostingRegressor if number else HistGradientBoostingClassifier
        last, scale = kind(random_state=seed), False
    elif name == "lightgbm":
        from lightgbm import LGBMClassifier, LGBMRegressor
        last, scale = (LGBMRegressor if number else LGBMClassifier)(random_state=seed, n_jobs=1, verbose=-1), False
    elif name == "ngboost":
        from ngboost import NGBRegressor
        if not number:
            return None
        last, scale = NGBRegressor(random_state=seed, verbose=False), False
    elif name == "xgboost":
        from xgboost import XGBClassifier, XGBRegressor
        last, scale = (XGBRegressor if number else XGBClassifier)(random_state=seed, n_jobs=1), False
    else:
        sys.exit(f"no peer is called {name}; there are {', '.join(PEERS)}")
    return make_pipeline(encoded(features, scale), last)


def run(command):
    """What a command prints, and the processor seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(arguments, train, test, target, seed, classes):
    """Figures of our program."""
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        train.to_csv(at / "train.csv", index=False)
        test.to_csv(at / "test.csv", index=False)
        split = ["--nominal", target, "--split", "stratified"] if classes else ["--continuous", target]
        missing = ["--missing", "impute"] if train.isna().any(axis=None) else []
        _, fit = run([arguments.bl, "fit", str(at / "train.csv"), "--target", target, *split, "--fractions", "7:1:0",
                      "--unseen", "missing", "--seed", str(seed), "--threads", "1", "--output", str(at / "m.bl"),
                      *missing, *arguments.options.split()])
        _, predict = run([arguments.bl, "predict", str(at / "m.bl"), str(at / "test.csv"), "--output", str(at / "p.csv"),
                          *arguments.predict_options.split()])
        if not classes:
            printed, _ = run([arguments.bl, "evaluate", str(at / "m.bl"), str(at / "test.csv"), "--json"])
            found = json.loads(printed)
            return {k: found[k] for k in ("rmse", "log_likelihood", "crps")}, fit, predict
        found = pd.read_csv(at / "p.csv", dtype={target: str})
        columns = [next(c for c in found.columns if c in (f"p({k})", f"p_{k}")) for k in classes]
        codes = {k: i for i, k in enumerate(classes)}
        figures = of_classes(test[target].map(codes).to_numpy(), found[columns].to_numpy())
        figures["macro_f1"] = f1_score(test[target].map(codes), found[target].map(codes), average="macro")
        return figures, fit, predict


def of_classes(truth, p):
    p = p / p.sum(axis=1, keepdims=True)
    labels = list(range(p.shape[1]))
    auc = (roc_auc_score(truth, p[:, 1]) if len(labels) == 2 else
           roc_auc_score(truth, p, multi_class="ovr", labels=labels))
    return {"log_loss": log_loss(truth, p, labels=labels), "auc": auc,
            "macro_f1": f1_score(truth, p.argmax(axis=1), average="macro")}


def of_normal(truth, mean, scale):
    """Mean log-density and CRPS of normal distributions, in closed form."""
    from scipy.stats import norm
    z = (truth - mean) / scale
    crps = scale * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    return {"log_likelihood": norm.logpdf(truth, mean, scale).mean(), "crps": crps.mean()}


def processor_seconds():
    """Of this process and of those that it started and that have ended: joblib's are ended for it."""
    from joblib.externals.loky import get_reusable_executor
    get_reusable_executor().shutdown(wait=True)
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + of_children.ru_utime + of_children.ru_stime


def of_peer(name, train, test, target, seed, classes, threads):
    features, asked = train.drop(columns=target), test.drop(columns=target)
    model = peer(name, features, seed, not classes, threads)
    if model is None:
        return None
    codes = {k: i for i, k in enumerate(classes or [])}
    started = processor_seconds()
    model.fit(features, train[target].map(codes) if classes else train[target])
    fitted = processor_seconds()
    if name == "ngboost":  # the pipeline does not recognise it as fitted
        normal = model[-1].pred_dist(model[0].transform(asked))
        found = normal.loc
    else:
        found = model.predict_proba(asked) if classes else model.predict(asked)
    done = processor_seconds()
    if classes:
        figures = of_classes(test[target].map(codes).to_numpy(), found)
    else:
        truth = test[target].to_numpy()
        figures = {"rmse": float(np.sqrt(np.mean((truth - found) ** 2)))}
        if name == "ngboost":
            figures.update(of_normal(truth, normal.loc, normal.scale))
    return figures, fitted - started, done - fitted


def measure(arguments, table, seed, name):
    data = pd.read_csv(pathlib.Path(arguments.data) / f"{table}.csv")
    target = data.columns[-1]
    number = table in arguments.numbers
    if not number:
        data[target] = data[target].astype(str)
    classes = None if number else sorted(data[target].unique())
    train, test = train_test_split(data, test_size=0.2, random_state=seed, stratify=None if number else data[target])
    own = name == "bl" or name.startswith("bl ")
    found = (ours(arguments, train, test, target, seed, classes) if own else
             of_peer(name, train, test, target, seed, classes, arguments.threads))
    if found is None:
        return None
    figures, fit, predict = found
    return {"table": table, "seed": seed, "peer": name, "fit_s": fit, "predict_s": predict, **figures}


def load(path):
    return pd.read_json(path, lines=True) if path.exists() and path.stat().st_size else pd.DataFrame(
        columns=["table", "seed", "peer"])


def try_measuring(arguments, table, seed, name):
    """What was measured, or why it could not be."""
    warnings.filterwarnings("ignore", module="sklearn")
    try:
        return measure(arguments, table, seed, name), None
    except ImportError as error:
        return None, f"{name} is left out: {error}"
    except SystemExit as error:  # one that failed does not take the others with it
        return None, f"{table}, seed {seed}, {name} failed: {error}"


def measure_all(arguments):
    path = pathlib.Path(arguments.results)
    known = {(r.table, r.seed, r.peer) for r in load(path).itertuples()}
    wanted = [(table, seed, name) for name in arguments.peers.split(",") for table in arguments.only.split(",")
              for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds)
              if (table, seed, name) not in known]
    said = set()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(try_measuring, arguments, *one) for one in wanted]):
            row, why = done.result()
            if why and why not in said:
                print(why, file=sys.stderr)
                said.add(why)
            if row is None:
                continue
            with path.open("a") as file:
                file.write(json.dumps({k: float(v) if isinstance(v, float) else v for k, v in row.items()}) + "\n")
            print({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}, file=sys.stderr)


def bold(text, best):
    return f"**{text}**" if best else text


def best_alone(values, higher):
    """Which of the values is best where no other is equal to it at the places printed; else none."""
    rounded = values.round(3).dropna()
    top = rounded.max() if higher else rounded.min()
    return rounded.index[rounded == top][0] if (rounded == top).sum() == 1 else None


def markdown(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
                      *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def by_table(runs, figure, peers):
    wide = runs.pivot_table(index="table", columns="peer", values=figure)[peers]
    rows = []
    for table in [t for t in TABLES + NUMBERS if t in wide.index]:
        best = best_alone(wide.loc[table], HIGHER_IS_BETTER[figure])
        rows.append([table, *("" if np.isnan(wide.loc[table, p]) else bold(f"{wide.loc[table, p]:.3f}", p == best)
                              for p in peers)])
    return markdown(["table", *peers], rows)


def summary(runs, figures, peers):
    """Means, paired differences to ours, ranks and times of the peers that have every table and seed."""
    wide = {f: runs.pivot_table(index=["table", "seed"], columns="peer", values=f)[peers].dropna() for f in figures}
    times = runs.groupby("peer")[["fit_s", "predict_s"]].mean()
    rows = []
    for name in peers:
        row = [name]
        for figure in figures:
            difference = wide[figure][name] - wide[figure]["bl"]
            error = difference.std(ddof=1) / np.sqrt(len(difference))
            best = best_alone(wide[figure].mean(), HIGHER_IS_BETTER[figure]) == name
            rank = wide[figure].rank(axis=1, ascending=not HIGHER_IS_BETTER[figure]).mean()[name]
            row += [bold(f"{wide[figure][name].mean():.3f}", best),
                    "" if name == "bl" else f"{difference.mean():+.3f} ({error:.3f})", f"{rank:.1f}"]
        rows.append(row + [f"{times.loc[name, 'fit_s']:.2f}", f"{times.loc[name, 'predict_s']:.2f}"])
    header = ["package"]
    for figure in figures:
        header += [figure.replace("_", " "), "minus ours", "rank"]
    return markdown([*header, "fit, s", "predict, s"], rows)


def complete(runs):
    """Packages measured on every pair of table and seed that ours was measured on; variants of ours stand apart."""
    pairs = set(map(tuple, runs[runs.peer == "bl"][["table", "seed"]].to_numpy()))
    return [p for p in PEERS
            if pairs and pairs <= set(map(tuple, runs[runs.peer == p][["table", "seed"]].to_numpy()))]


def report(arguments):
    runs = load(pathlib.Path(arguments.results))
    of_number = runs.table.isin(arguments.numbers)
    classes, numbers = runs[~of_number], runs[of_number]
    pairs = classes[classes.peer == "bl"]
    text = f"Ten tables of classes, {len(pairs)} pairs of table and seed:\n\n"
    peers = complete(classes)
    text += summary(classes, ["log_loss", "auc", "macro_f1"], peers)
    partial = [p for p in dict.fromkeys([*PEERS, *sorted(classes.peer)]) if p in set(classes.peer) and p not in peers]
    for name in partial:
        own = classes[classes.peer == name][["table", "seed"]]
        some = classes.merge(own, on=["table", "seed"])
        where = "" if len(own) == len(pairs) else f" where it was measured ({', '.join(sorted(own.table.unique()))})"
        text += (f"\n{name}{where}, {len(own)} pairs:\n\n" +
                 summary(some, ["log_loss", "auc", "macro_f1"], ["bl", name]))
    for figure in ("log_loss", "auc", "macro_f1"):
        text += f"\nMean over seeds of the {figure.replace('_', ' ')}:\n\n" + by_table(classes, figure, peers)
    if len(numbers):
        text += "\nBoston housing, RMSE:\n\n" + summary(numbers, ["rmse"], complete(numbers))
        some = numbers[numbers.peer.isin(["bl", "ngboost"])]
        text += "\nand the distribution, where a package has one:\n\n" + summary(some, ["log_likelihood", "crps"],
                                                                                complete(some))
    publish(arguments, text)


def report_numbers(arguments):
    """By table: how much higher the RMSE of ours is than a package's, in per cent, with the standard error over splits."""
    runs = load(pathlib.Path(arguments.results))
    peers = [p for p in complete(runs) if p != "bl"]
    rows = []
    for table in arguments.numbers:
        rmse = runs[runs.table == table].pivot_table(index="seed", columns="peer", values="rmse")
        seconds = runs[runs.table == table].groupby("peer").fit_s.mean()
        cells = []
        for name in peers:
            above = 100 * np.log(rmse["bl"] / rmse[name])
            cells.append(f"{above.mean():+.1f} ({above.std(ddof=1) / np.sqrt(len(above)):.1f})")
        rows.append([table, f"{len(rmse)}", f"{rmse['bl'].mean():.4g}", *cells, f"{seconds['bl']:.1f}"])
    publish(arguments, markdown(["table", "splits", "RMSE", *(f"against {p}, %" for p in peers), "our fit, s"], rows))


def publish(arguments, text):
    if not arguments.page:
        print(text)
        return
    page = pathlib.Path(arguments.page)
    before, rest = page.read_text().split(BEGIN)
    page.write_text(before + BEGIN + "\n\n" + text + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--results", required=True, help="file of results, one JSON object a line")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--options", default="", help="further options of bl fit, for peers called 'bl NAME'")
    parser.add_argument("--predict-options", default="", help="further options of bl predict, likewise")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="pairs measured at a time")
    parser.add_argument("--threads", type=int, default=1, help="processes of EBM")
    parser.add_argument("--only", default=",".join(TABLES + NUMBERS))
    parser.add_argument("--numbers", type=lambda names: names.split(","), default=NUMBERS, help="tables of a number")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--report-numbers", action="store_true")
    parser.add_argument("--page", help="page whose part between the two marks is replaced by the report")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", module="sklearn")
    if arguments.report:
        report(arguments)
    elif arguments.report_numbers:
        report_numbers(arguments)
    else:
        measure_all(arguments)


if __name__ == "__main__":
    main()

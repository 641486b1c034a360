#!/usr/bin/env python3
"""One number as response: ours beside scikit-learn, LightGBM and NGBoost, on one table and the same cores.

    python -m venv build/peers; build/peers/bin/pip install scikit-learn lightgbm ngboost
    build/peers/bin/python bench/end_to_end/number_peers.py [--bl build/release/bl] [--boston boston_housing.csv] [--million]

The generated table has 16,512 rows to learn from, 20,000 to judge by and 8 columns: a skewed, heteroscedastic response with an
interaction. With `--boston` its rows are split 4:1. Every contestant has its defaults and learns from the same rows; ours
keeps an eighth of them for validation. Quantiles of histogram boosting and LightGBM are fits of their own. Times are
those of the clock and of the processor (which other work on the machine disturbs less); a fast wrong answer is no
result, so RMSE, 90% coverage, CRPS and log-likelihood of the held-out rows stand beside them. `--million` predicts
a file of a million rows and prints time and peak memory. Contestants that are not installed are left out.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

THREADS = 2


def generated(rows, seed):
    r = random.Random(seed)
    table = []
    for _ in range(rows):
        x = [r.gauss(0, 1), r.lognormvariate(0, 0.6), r.uniform(1, 50), r.gauss(0, 1), r.expovariate(1), r.uniform(-1, 1),
             r.uniform(-1, 1), r.gauss(0, 1)]
        middle = 0.5 * x[0] + 0.8 * math.log(x[1]) + 0.3 * math.sin(4 * x[5]) + 0.6 * x[5] * x[6] + 0.01 * x[2]
        table.append(x + [math.exp(0.4 * (middle + (0.4 + 0.2 * (x[4] > 1)) * r.gauss(0, 1)))])
    return [f"x{i}" for i in range(8)] + ["y"], table


def boston(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    table = [[float(cell) for cell in row] for row in rows[1:]]
    random.Random(0).shuffle(table)
    return rows[0], table


def write(path, names, table):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(names)
        out.writerows(table)


def high_water(pid):
    """The most memory a running process has had, in megabytes."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM")), 0.0)
    except OSError:
        return 0.0


def command(*parts):
    """Standard output, seconds, processor seconds, peak megabytes of a command."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([str(part) for part in parts], stdout=output, stderr=errors)
        peak, done = 0.0, 0
        while not done:  # the peak that the kernel reports after the end would include this program's
            peak = max(peak, high_water(process.pid))
            time.sleep(0.005)
            done, status, used = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        output.seek(0), errors.seek(0)
        if process.returncode != 0:
            sys.exit(f"{parts[1]}: {errors.read().strip()}")
        return output.read(), seconds, used.ru_utime + used.ru_stime, peak


def ours(bl, folder, names, train, test):
    files = {name: folder / f"{name}.csv" for name in ("train", "test", "predictions")}
    write(files["train"], names, train)
    write(files["test"], names, test)
    model = folder / "model.bl"
    _, fit, fit_processor, _ = command(bl, "fit", files["train"], "--target", names[-1], "--continuous", names[-1],
                                       "--fractions", "7:1:0", "--threads", THREADS, "--quiet", "--output", model)
    _, predict, predict_processor, _ = command(bl, "predict", model, files["test"], "--interval", "0.9", "--threads", THREADS,
                                               "--output", files["predictions"])
    _, density, density_processor, _ = command(bl, "predict", model, files["test"], "--log-density", "--threads", THREADS,
                                               "--output", files["predictions"])
    text, *_ = command(bl, "evaluate", model, files["test"], "--json")
    metrics = json.loads(text)
    metrics = metrics.get("metrics", metrics)
    return {"fit": fit, "fit_processor": fit_processor, "predict": predict, "predict_processor": predict_processor,
            "log_density": density, "log_density_processor": density_processor, "rmse": metrics["rmse"], "coverage": metrics["coverage_90"], "crps": metrics["crps"],
            "log_likelihood": metrics["log_likelihood"]}


def timed(work):
    start, busy = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - start, time.process_time() - busy


def judged(fit, predict, truth):
    """fit() gives models, predict(models) gives mean, lower, upper and, where there are any, CRPS and log-likelihood."""
    models, fit_seconds, fit_processor = timed(fit)
    answer, predict_seconds, predict_processor = timed(lambda: predict(models))
    rows = len(truth)
    return {"fit": fit_seconds, "fit_processor": fit_processor, "predict": predict_seconds,
            "predict_processor": predict_processor,
            "rmse": math.sqrt(sum((y - m) ** 2 for y, m in zip(truth, answer["mean"])) / rows),
            "coverage": sum(a <= y <= b for y, a, b in zip(truth, answer["lower"], answer["upper"])) / rows,
            "crps": answer.get("crps"), "log_likelihood": answer.get("log_likelihood")}


def three_fits(make, X, y, Z):
    """The mean and two quantiles as three fits."""
    def predict(models):
        mean, lower, upper = (model.predict(Z) for model in models)
        return {"mean": mean, "lower": lower, "upper": upper}

    return lambda: [make(share).fit(X, y) for share in (None, 0.05, 0.95)], predict


def histogram_boosting(X, y, Z, truth):
    from sklearn.ensemble import HistGradientBoostingRegressor as Boosting

    make = lambda share: Boosting() if share is None else Boosting(loss="quantile", quantile=share)
    return judged(*three_fits(make, X, y, Z), truth)


def light_gbm(X, y, Z, truth):
    from lightgbm import LGBMRegressor as Boosting

    plain = {"n_jobs": THREADS, "verbose": -1}
    make = lambda share: Boosting(**plain) if share is None else Boosting(objective="quantile", alpha=share, **plain)
    return judged(*three_fits(make, X, y, Z), truth)


def ng_boost(X, y, Z, truth):
    from ngboost import NGBRegressor

    def predict(model):
        import numpy as np
        from scipy.stats import norm

        mean, spread = (model.pred_dist(Z).params[name] for name in ("loc", "scale"))
        away = (np.asarray(truth) - mean) / spread
        crps = spread * (away * (2 * norm.cdf(away) - 1) + 2 * norm.pdf(away) - 1 / math.sqrt(math.pi))
        return {"mean": mean, "lower": mean - 1.6449 * spread, "upper": mean + 1.6449 * spread, "crps": crps.mean(),
                "log_likelihood": norm.logpdf(truth, mean, spread).mean()}

    return judged(lambda: NGBRegressor(verbose=False).fit(X, y), predict, truth)


PEERS = {"histogram boosting": histogram_boosting, "LightGBM": light_gbm, "NGBoost": ng_boost}


def compare(title, bl, folder, names, train, test):
    results = {"bl": ours(bl, folder, names, train, test)}
    for name, peer in PEERS.items():
        try:
            import numpy as np

            X, Z = (np.array([row[:-1] for row in part]) for part in (train, test))
            results[name] = peer(X, np.array([row[-1] for row in train]), Z, [row[-1] for row in test])
        except ModuleNotFoundError as missing:
            print(f"{name}: no module '{missing.name}'", file=sys.stderr)
    print(f"\n{title}\n{'':<20}{'fit s':>8}{'proc. s':>9}{'rows/s':>10}{'RMSE':>9}{'cover':>7}{'CRPS':>9}{'log-lik':>9}")
    for name, r in results.items():
        crps, likelihood = (f"{r[key]:.4f}" if r[key] is not None else "-" for key in ("crps", "log_likelihood"))
        print(f"{name:<20}{r['fit']:>8.2f}{r['fit_processor']:>9.2f}{len(test) / r['predict']:>10.0f}{r['rmse']:>9.4f}"
              f"{r['coverage']:>7.3f}{crps:>9}{likelihood:>9}", flush=True)
    return results


def million(bl, folder, names, table):
    path = folder / "million.csv"
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(names[:-1])
        for i in range(1_000_000):
            out.writerow(table[i % len(table)][:-1])
    result = {}
    for rows in (100_000, 1_000_000):
        part = folder / "part.csv"
        with open(path) as source, open(part, "w") as file:
            for _, line in zip(range(rows + 1), source):
                file.write(line)
        _, seconds, processor, peak = command(bl, "predict", folder / "model.bl", part, "--interval", "0.9", "--threads",
                                              THREADS, "--output", folder / "all.csv")
        result[rows] = {"seconds": seconds, "processor_seconds": processor, "peak_megabytes": peak}
        print(f"{rows:,} rows from a file: {seconds:.1f} s, processor {processor:.1f} s, peak {peak:.0f} MB", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--boston")
    parser.add_argument("--million", action="store_true")
    arguments = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments.boston:
            names, table = boston(arguments.boston)
            cut = len(table) * 4 // 5
            results["boston"] = compare("Boston housing", arguments.bl, folder, names, table[:cut], table[cut:])
        names, table = generated(16512 + 20000, 1)
        results["generated"] = compare("16,512 x 8 rows", arguments.bl, folder, names, table[:16512], table[16512:])
        if arguments.million:
            results["million"] = million(arguments.bl, folder, names, table)
    print(json.dumps(results))


if __name__ == "__main__":
    main()

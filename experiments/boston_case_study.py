#!/usr/bin/env python3
"""The paper's case study on Boston housing: makes docs/boston from the data, in one command.

    experiments/boston_case_study.py DATA_FOLDER [--bl build/release/bl] [--output docs/boston] [--seeds 10] [--jobs 2]

Fits a single block of degree 2, [2,1] and [5,3,1] once per seed (each seed is a split of its own), writes the
figures of held-out rows, and shows the problems of the first seed with their graphs.
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

MODELS = [
    ("single", "A single block of degree 2", ["--single", "--heads", "1,1,1"]),
    ("layers_2_1", "Two blocks and one above them, [2,1]", ["--layers", "2,1"]),
    ("layers_5_3_1", "Five, three and one, [5,3,1]", ["--layers", "5,3,1"]),
]
FRACTIONS = "6:2:2"
DECAYS = ["0", "0.5", "1", "2"]
METRICS = [("r2", "R2", "{:.3f}"), ("log_likelihood", "log-likelihood", "{:.3f}"),
           ("coverage_90", "coverage of 90% intervals", "{:.3f}")]
PUBLISHED_R2 = 0.830


def run(command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stderr.strip()}")
    return result.stdout


class Study:
    def __init__(self, bl, data, folder, seeds, jobs):
        self.bl, self.data, self.folder, self.seeds = bl, data, pathlib.Path(folder), seeds
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)

    def model(self, name, seed):
        return self.folder / f"{name}-{seed}.bl"

    def fit(self, name, options):
        """What bl fit reports, one dictionary per seed."""
        def one(seed):
            return json.loads(run([self.bl, "fit", self.data, "--target", "MEDV", "--fractions", FRACTIONS, "--seed",
                                   seed, "--json", "--quiet", "--threads", "1", "--output", self.model(name, seed),
                                   *options]))
        return list(self.pool.map(one, range(self.seeds)))

    def fit_best(self, name, options):
        """The weight decay that does best on validation rows, and its fits."""
        best = None
        for decay in DECAYS:
            fits = self.fit(f"{name}-{decay}", [*options, "--optimizer", "adamw", "--weight-decay", decay])
            score = statistics.mean(one["validation"]["log_likelihood"] for one in fits)
            if best is None or score > best[0]:
                best = (score, decay, fits)
        for seed in range(self.seeds):
            self.model(f"{name}-{best[1]}", seed).rename(self.model(name, seed))
        return best[1], [one["test"] for one in best[2]]

    def explain(self, name, *options, seed=0):
        return run([self.bl, "explain", self.model(name, seed), *options])

    def table(self, name, *options, seed=0):
        return json.loads(self.explain(name, self.data, *options, "--json", seed=seed))

    def effects(self, name):
        """d E[MEDV] / d column over the test rows: per column, a number per seed."""
        by_column = {}
        tables = self.pool.map(lambda seed: self.table(name, "--economics", "--part", "test", seed=seed),
                               range(self.seeds))
        for table in tables:
            for row in table:
                if row["column"] != "MEDV":
                    by_column.setdefault(row["column"], []).append(row)
        return by_column


def metrics_table(results):
    lines = ["| model | " + " | ".join(title for _, title, _ in METRICS) + " |", "|---" * (len(METRICS) + 1) + "|"]
    for name, title in [(name, title) for name, title, _ in MODELS] + [("default", "bl's default, for comparison")]:
        cells = []
        for key, _, form in METRICS:
            values = [one[key] for one in results[name]]
            cells.append(f"{form.format(statistics.mean(values))} ({form.format(min(values))} to "
                         f"{form.format(max(values))})")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    lines.append(f"| published package, its auxiliary network, its one split | {PUBLISHED_R2:.3f} | none | none |")
    return "\n".join(lines)


def seed_text(results):
    return ("The models shown below are those of seed 0, whose R2 is "
            + ", ".join(f"{results[name][0]['r2']:.3f}" for name, _, _ in MODELS)
            + " in the order of the table: how easy its split is can be seen from the ranges.")


def decay_text(decays):
    chosen = ", ".join(f"{title}: {decays[name]}" for name, title, _ in MODELS)
    return (f"Weight decay (AdamW) was chosen among {', '.join(DECAYS)} by the mean log-likelihood of validation rows: "
            f"{chosen}. Everything else is the default.")


def effects_table(effects, seeds):
    lines = ["| column | mean of dE[MEDV] | over seeds | positive in | elasticity |", "|---|---:|---:|---:|---:|"]
    order = sorted(effects, key=lambda c: -abs(statistics.mean(r["elasticity_of_E[MEDV]"] for r in effects[c])))
    for column in order:
        slopes = [row["dE[MEDV]"] for row in effects[column]]
        elasticity = statistics.mean(row["elasticity_of_E[MEDV]"] for row in effects[column])
        lines.append(f"| {column} | {statistics.mean(slopes):+.3g} | {min(slopes):+.3g} to {max(slopes):+.3g} | "
                     f"{sum(s > 0 for s in slopes)} of {seeds} | {elasticity:+.3f} |")
    return "\n".join(lines)


def constraints_table(rows):
    lines = ["| constraint | weight | slack | binding | violated | median slack | shadow price |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for row in rows:
        lines.append(f"| {row['constraint']} {row['relation']} | {row['weight']:.3g} | {row['slack']:.0%} | "
                     f"{row['binding']:.0%} | {row['violated']:.0%} | {row['slack_median']:.3g} | "
                     f"{row['shadow_price']:+.3g} |")
    return "\n".join(lines)


def importance_table(rows, most=6):
    lines = ["| column | log-likelihood lost per row |", "|---|---:|"]
    lines += [f"| {row['column']} | {row['log_likelihood_lost']:.3f} |" for row in rows[:most]]
    return "\n".join(lines)


def section(study, name, title, output, text):
    network = name != "single"
    study.explain(name, "--format", "svg", "--units", "standardised", "--output", output / f"{name}.svg")
    parts = [f"## {title}", f"![{title}]({name}.svg)"]
    if network:
        study.explain(name, "--format", "svg", "--units", "standardised", "--block", "L1.B1", "--output",
                      output / f"{name}_block.svg")
        parts.append(f"Its first block:\n\n![block L1.B1]({name}_block.svg)")
    problem = study.explain(name, "--units", "standardised", "--terms", "4")
    if name == "layers_5_3_1":  # its nine blocks fill pages; bl explain has them
        problem = problem[:problem.index("\n\n", problem.index("Strongest way up"))]
    parts.append("```\n" + problem.rstrip() + "\n```")
    parts.append(text)
    parts.append("What the prediction does when a column rises by one unit, averaged over test rows:")
    parts.append(effects_table(study.effects(name), study.seeds))
    parts.append("Constraints of the first seed's model at the observed prices of its test rows:")
    parts.append(constraints_table(study.table(name, "--constraints", "--part", "test")))
    parts.append("What the model of the first seed loses on its test rows without the terms of a column:")
    parts.append(importance_table(study.table(name, "--importance", "--part", "test")))
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--output", default="docs/boston")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2, help="fits at the same time")
    arguments = parser.parse_args()
    output = pathlib.Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)
    data = pathlib.Path(arguments.data) / "boston_housing.csv"
    with tempfile.TemporaryDirectory() as folder:
        study = Study(arguments.bl, data, folder, arguments.seeds, arguments.jobs)
        results, decays = {}, {}
        for name, _, options in MODELS:
            decays[name], results[name] = study.fit_best(name, options)
        results["default"] = [one["test"] for one in study.fit("default", [])]
        texts = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
        parts = ["# Boston housing, read as an optimization problem", texts["introduction"],
                 "## Held-out rows", f"Mean of {arguments.seeds} seeds, and the range over them.",
                 metrics_table(results), seed_text(results), decay_text(decays), texts["held_out"]]
        for name, title, _ in MODELS:
            parts.append(section(study, name, title, output, texts[name]))
        parts += ["## What to make of it", texts["conclusion"]]
    (output / "README.md").write_text("\n\n".join(parts) + "\n")
    print(metrics_table(results))


if __name__ == "__main__":
    main()

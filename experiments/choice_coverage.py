#!/usr/bin/env python3
"""Coverage of 95% intervals on planted choices: a panel mixed logit and two latent classes.

    experiments/choice_coverage.py [--bl build/release/bl] [--replications 400] [--persons 300] [--draws 300]
        [--models mixed,latent] [--seconds 900]

Every replication draws new persons, attributes and choices from known parameters, fits the model that made them and counts how
often the intervals of robust and of classical errors hold the truth. `+-` is the Monte-Carlo error of a true coverage of 0.95: 0.011 from 400
replications. `--seconds` ends a model's replications early.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

SITUATIONS = 8
SCHEMA = """[data]
choice = "choice"
person = "id"
{alternatives}
[utility]
constants = false
{kind}"""
KINDS = {
    "mixed": '[random]\nx = "normal"\n[draws]\ncount = {draws}\n',
    "latent": "[latent]\nclasses = 2\nstarts = 4\n",
}
TRUTHS = {
    "mixed": {"x": -1.0, "y": 0.5, "sd(x)": 1.0},
    "latent": {"x (class 1)": -1.5, "y (class 1)": 0.8, "x (class 2)": 0.5, "y (class 2)": -0.5,
               "share (class 2)": math.log(0.35 / 0.65)},
}


def coefficients(model, draw):
    if model == "mixed":
        return TRUTHS[model]["x"] + TRUTHS[model]["sd(x)"] * draw.gauss(0, 1), TRUTHS[model]["y"]
    kind = 1 if draw.random() < 0.65 else 2
    return TRUTHS[model][f"x (class {kind})"], TRUTHS[model][f"y (class {kind})"]


def planted(model, persons, seed):
    draw = random.Random(seed)
    lines = ["choice,id,xa,xb,xc,ya,yb,yc"]
    for person in range(persons):
        of_x, of_y = coefficients(model, draw)
        for _ in range(SITUATIONS):
            x, y = [draw.gauss(0, 1) for _ in range(3)], [draw.gauss(0, 1) for _ in range(3)]
            v = [of_x * x[j] + of_y * y[j] - math.log(-math.log(1 - draw.random())) for j in range(3)]
            lines.append(",".join(["abc"[v.index(max(v))], str(person), *(f"{one:.9f}" for one in x + y)]))
    return "\n".join(lines) + "\n"


def fit(arguments, model, seed, folder):
    alternatives = "".join(f'[[alternatives]]\nname = "{a}"\nattributes = {{ x = "x{a}", y = "y{a}" }}\n' for a in "abc")
    (folder / "data.csv").write_text(planted(model, arguments.persons, seed))
    (folder / "schema.toml").write_text(SCHEMA.format(alternatives=alternatives, kind=KINDS[model].format(draws=arguments.draws)))
    subprocess.run([arguments.bl, "fit", str(folder / "data.csv"), "--choice", str(folder / "schema.toml"), "--output",
                    str(folder / "model.bl")], check=True, capture_output=True)
    out = {}
    for kind in ("robust", "classical"):
        text = subprocess.run([arguments.bl, "summary", str(folder / "model.bl"), "--covariance", kind, "--format", "json"], check=True,
                              capture_output=True, text=True).stdout
        out[kind] = {one["name"]: one for one in json.loads(text)["estimates"]}
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--replications", type=int, default=400)
    parser.add_argument("--persons", type=int, default=300)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--models", default="mixed,latent")
    parser.add_argument("--seconds", type=float, default=math.inf)
    arguments = parser.parse_args()
    print(f"{'model':<8}{'parameter':<18}{'truth':>9}{'mean':>9}{'sd':>9}{'mean s.e.':>11}{'robust':>9}{'classical':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models.split(","):
            runs, end = [], time.time() + arguments.seconds
            while len(runs) < arguments.replications and time.time() < end:
                runs.append(fit(arguments, model, len(runs), pathlib.Path(folder)))
            show(model, runs)


def show(model, runs):
    inside = {"robust": 0, "classical": 0}
    for name, truth in TRUTHS[model].items():
        values = [run["robust"][name]["estimate"] for run in runs]
        mean = sum(values) / len(values)
        spread = math.sqrt(sum((one - mean) ** 2 for one in values) / max(1, len(values) - 1))
        error = sum(run["robust"][name]["standard_error"] for run in runs) / len(runs)
        hits = {kind: sum(run[kind][name]["lower"] <= truth <= run[kind][name]["upper"] for run in runs) for kind in inside}
        for kind in inside:
            inside[kind] += hits[kind] / len(runs) / len(TRUTHS[model])
        print(f"{model:<8}{name:<18}{truth:>9.4f}{mean:>9.4f}{spread:>9.4f}{error:>11.4f}{hits['robust'] / len(runs):>9.3f}"
              f"{hits['classical'] / len(runs):>11.3f}")
    print(f"{model:<8}{'all parameters':<56}{inside['robust']:>9.3f}{inside['classical']:>11.3f}\n"
          f"{len(runs)} replications, +- {math.sqrt(0.95 * 0.05 / len(runs)):.3f} for one parameter", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""R2 of scikit-learn's models on the splits of experiments/boston.py, from training rows and with validation rows.

    experiments/boston_baselines.py DATA_FOLDER [--bl build/release/bl] [--first-seed 0] [--seeds 8]

Needs scikit-learn. The splits are asked of bl: a fit of one epoch per seed, whose parts carry their row numbers.
"""
import argparse
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

MODELS = {
    "forest": lambda: RandomForestRegressor(300, random_state=0),
    "boosting": lambda: GradientBoostingRegressor(random_state=0),
    "histogram": lambda: HistGradientBoostingRegressor(random_state=0),
    "mlp": lambda: make_pipeline(
        StandardScaler(), MLPRegressor(hidden_layer_sizes=(64, 32), max_iter=2000, random_state=0)
    ),
}


def split(bl, table, folder, seed):
    """Row numbers of training, validation and test part."""
    model = str(folder / "split.bl")
    subprocess.run([bl, "fit", table, "--target", "MEDV", "--ignore", "row", "--seed", str(seed), "--layers", "1",
                    "--epochs", "1", "--quiet", "--output", model], check=True)
    parts = []
    for part in ("train", "validation", "test"):
        out = folder / "part.csv"
        subprocess.run([bl, "predict", model, table, "--part", part, "--carry", "row", "--output", str(out)],
                       check=True)
        parts.append(np.genfromtxt(out, delimiter=",", names=True)["row"].astype(int))
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=8)
    arguments = parser.parse_args()
    lines = (pathlib.Path(arguments.data) / "boston_housing.csv").read_text().splitlines()
    cells = np.array([line.split(",") for line in lines[1:]], dtype=float)
    X, y = cells[:, :-1], cells[:, -1]
    scores = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table = folder / "numbered.csv"
        numbered = [f"{i - 1 if i else 'row'},{line}" for i, line in enumerate(lines)]
        table.write_text("\n".join(numbered) + "\n")
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
            train, validation, test = split(arguments.bl, str(table), folder, seed)
            for rows in (train, np.concatenate([train, validation])):
                fitted = [make().fit(X[rows], y[rows]) for make in MODELS.values()]
                scores.append([r2_score(y[test], one.predict(X[test])) for one in fitted])
    print(f"{'mean R2':<26}" + "".join(f"{name:>12}" for name in MODELS))
    for name, part in (("training rows", scores[0::2]), ("and validation rows", scores[1::2])):
        print(f"{name:<26}" + "".join(f"{value:12.4f}" for value in np.mean(part, axis=0)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # an MLP that has not converged says so
    main()

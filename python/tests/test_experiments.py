"""The scripts of the paper's experiments, each in a small form on made-up data."""

import importlib.util
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from conftest import ROOT

pytestmark = pytest.mark.skipif(not (ROOT / "experiments").exists(), reason="the scripts are not here: a wheel is tested")


@pytest.fixture(scope="module")
def program():
    path = os.environ.get("BL_PROGRAM", str(ROOT / "build" / "release" / "bl"))
    if not os.path.exists(path):
        pytest.skip("the command line is not built")
    return path


def run(script, *arguments):
    command = [sys.executable, str(ROOT / "experiments" / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_images(folder, seed):
    """Two kinds of 20 x 20 images; every set has its own."""
    random = np.random.default_rng(seed)
    folder.mkdir()
    for part, count in (("train", 400), ("t10k", 100)):
        labels = np.arange(count, dtype=np.uint8) % 2
        pixels = random.integers(0, 120, size=(count, 20, 20), dtype=np.uint8)
        pixels[labels == 0, seed : seed + 6, 2:8] += 90
        pixels[labels == 1, 10:16, seed : seed + 6] += 90
        (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, count, 20, 20) + pixels.tobytes())
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, count) + labels.tobytes())


def test_high_dimensions(program, tmp_path):
    write_images(tmp_path / "mnist", 2)
    write_images(tmp_path / "fashion_mnist", 9)
    results = tmp_path / "results.jsonl"
    arguments = [tmp_path, "--bl", program, "--only", "mnist,fashion_mnist", "--depths", "1", "--models", "bl,emlp",
                 "--seeds", "1", "--epochs", "2", "--results", results]
    printed = run("high_dimensions.py", *arguments)
    runs = [json.loads(line) for line in results.read_text().splitlines()]
    assert {(one["set"], one["model"]) for one in runs} == {
        (name, model) for name in ("mnist", "fashion_mnist") for model in ("bl", "emlp")}
    for one in runs:
        assert one["accuracy"] > 80 and 0 <= one["auroc"] <= 100 and one["nll"] >= 0 and 0 <= one["ece"] < 1
    assert run("high_dimensions.py", *arguments) == printed  # all is found in the file of results


@pytest.mark.skipif(importlib.util.find_spec("optuna") is None, reason="optuna is not installed")
def test_standard_prediction(tmp_path):
    random = np.random.default_rng(5)
    for table in ("german_credit", "adult", "compas"):
        x = random.normal(size=(160, 3))
        frame = pd.DataFrame(x, columns=["a", "b", "c"])
        frame["color"] = np.where(random.random(160) > 0.5, "red", "blue")
        frame["y"] = np.where(x[:, 0] + 0.5 * (frame["color"] == "red") + 0.3 * random.normal(size=160) > 0, "yes", "no")
        frame.to_csv(tmp_path / f"{table}.csv", index=False)
    results = tmp_path / "r.jsonl"
    arguments = [tmp_path, "--trials", "2", "--seeds", "1", "--only", "german_credit,adult,compas", "--models",
                 "decision tree,logistic,bl shallow", "--results", results, "--diagram", tmp_path / "ranks.svg",
                 "--gains", tmp_path / "gains.svg"]
    printed = run("standard_prediction.py", *arguments, "--jobs", "2")
    assert "| bl shallow |" in printed and "Friedman" in printed
    assert (tmp_path / "ranks.svg").read_text().startswith("<svg")
    assert (tmp_path / "gains.svg").read_text().count("<rect") == 6
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    assert sorted(one["kind"] for one in lines) == 9 * ["run"] + 18 * ["trial"]
    # A run that was stopped: its last fit is made again with what the trials in the file found, and nothing else.
    tuned = [one for one in lines if one["kind"] == "trial" or one["model"] != "logistic"]
    results.write_text("".join(json.dumps(one) + "\n" for one in tuned))
    without_seconds = lambda text: [line.rsplit("|", 2)[0] for line in text.splitlines()]
    assert without_seconds(run("standard_prediction.py", *arguments)) == without_seconds(printed)
    assert len(results.read_text().splitlines()) == len(lines)

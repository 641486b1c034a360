"""The Python of README and the pages runs as printed, on small data under the names that the pages use."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from behavior_learning import BLChoice, BLClassifier
from behavior_learning.datasets import load_commutes

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)
# What would take long is made short.
SHORT = {"trials=50": "trials=2", "trials=20": "trials=2", "resamples=100": "resamples=4", "replications=100": "replications=4"}


def blocks(page):
    text = (ROOT / page).read_text()
    # A sketch with ... in the place of arguments is not meant to run.
    return [block for block in BLOCK.findall(text) if "..." not in block]


def names():
    """What pages speak of without making it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(160, 3)), columns=["price", "quality", "age"])
    y = np.where(X["quality"] - X["price"] + 0.5 * rng.normal(size=160) > 0, "b", "a")
    frame = pd.DataFrame(
        [
            (trip, trip // 4, mode, *rng.uniform((10, 1), (60, 9)))
            for trip in range(120)
            for mode in ("car", "train", "bus")
        ],
        columns=["trip", "person", "mode", "time", "cost"],
    )
    utility = -0.05 * frame["time"] - 0.3 * frame["cost"] + rng.gumbel(size=len(frame))
    frame["chosen"] = (utility == utility.groupby(frame["trip"]).transform("max")).astype(int)
    return {"X": X, "y": y, "X_train": X[:120], "y_train": y[:120], "X_test": X[120:], "y_test": y[120:], "frame": frame}


@pytest.mark.parametrize("page", ["README.md", "docs/first_model.md", "docs/coming_from.md", "docs/python.md", "docs/choice_models.md"])
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if page == "docs/python.md":
        pytest.importorskip("optuna")
        pytest.importorskip("matplotlib").use("Agg")
    space = names() | {"BLClassifier": BLClassifier, "BLChoice": BLChoice, "load_commutes": load_commutes}
    found = blocks(page)
    assert found
    for block in found:
        for long, short in SHORT.items():
            block = block.replace(long, short)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(block, page, "exec"), space)


def test_the_python_of_the_page_on_clusters_runs(monkeypatch, tmp_path):
    pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    dask_frame = pytest.importorskip("dask.dataframe")
    pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    space = names() | {"pandas": pd}
    space["logit"] = BLClassifier(
        single=True, utility_activation="identity", heads="1,0,0", degree=1, starts=1, fractions="1:0:0"
    ).fit(space["X"], space["y"])
    _, spread, partitions = blocks("docs/cluster.md")  # the first is for mpirun: test_ranks.py
    for long, short in SHORT.items():
        spread = spread.replace(long, short)
    try:
        exec(compile(spread, "docs/cluster.md", "exec"), space)
        assert space["errors"].shape == space["coverage"].shape
        space["frame"] = dask_frame.from_pandas(space["X"], npartitions=2)
        space["model"] = space["best"]
        code = partitions.replace("model.predict(part)", "model.predict_proba(part)[:, 0]")
        assert eval(code, space).compute().between(0, 1).all()
    finally:
        if "client" in space:
            space["client"].shutdown()

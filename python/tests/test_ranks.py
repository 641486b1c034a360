"""Estimators fitted by two processes of mpi4py: the model of one process on the rows of both, to the byte.

Skipped, with a word, where mpi4py or mpirun is not installed; `./run test` installs them where it can."""

import importlib.util
import shutil
import subprocess
import sys
import textwrap

import pytest
from test_pages import blocks

from behavior_learning import BLClassifier

pytestmark = [
    pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed"),
]

PREPARED = """
import numpy as np
import pandas as pd
from mpi4py import MPI

from behavior_learning import BLClassifier, BLRegressor

comm = MPI.COMM_WORLD
rng = np.random.default_rng(4)
n = 700
every = pd.DataFrame({
    "a": rng.normal(size=n),
    "b": np.where(rng.random(n) < 0.1, np.nan, rng.random(n)),
    "town": rng.choice(["north", "south", "west"], size=n),
})
every.loc[n - 30 :, "town"] = "late"  # a level that the last process alone has
number = 2 * every["a"] + rng.normal(size=n)
label = np.where(number > 0, "yes", "no")
label[-20:] = "rare"  # and a class
weight, group = 1.0 + np.arange(n) % 3, np.arange(n) // 7
cuts = [0, 250, n] if comm.size == 2 else [0, 250, 300, n]
own = slice(cuts[comm.rank], cuts[comm.rank + 1])
"""


def run(size, script, folder=None):
    """The script with so many processes; its output."""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(size), sys.executable, "-c"]
    command.append(PREPARED + textwrap.dedent(script))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(
    "estimator, y",
    [
        ("BLClassifier(layers=[4, 2], epochs=3, threads=1, class_weight='balanced')", "label"),
        ("BLRegressor(layers=[4], epochs=3, threads=1, members=1)", "number.to_numpy()"),
    ],
)
def test_the_model_is_that_of_one_process(size, estimator, y):
    out = run(
        size,
        f"""
        y = {y}
        alone = {estimator}.fit(every, y, weight, groups=group)
        shared = {estimator}.fit(every.iloc[own], y[own], weight[own], groups=group[own], communicator=comm)
        same = alone.model_.to_bytes() == shared.model_.to_bytes()
        same = same and np.array_equal(alone.predict(every), shared.predict(every))
        gathered = any("every rank holds all rows" in note for note in shared.notes_)
        same = same and gathered == isinstance(shared, BLRegressor)  # whose rows are too few to be shared
        if comm.gather(bool(same), root=0) == [True] * comm.size:
            print("the same")
        """,
    )
    assert out == "the same\n"


def test_the_failure_of_one_process_is_one_of_all():
    out = run(
        2,
        """
        try:
            X = every.iloc[own] if comm.rank == 0 else "no rows at all"
            BLClassifier(epochs=1).fit(X, label[own], communicator=comm)
        except Exception as error:
            said = comm.gather(f"{type(error).__name__}: {error}", root=0)
            if comm.rank == 0:
                print(said[0])
        """,
    )
    assert out.startswith("RuntimeError: rank 1: ")


def test_columns_have_to_be_the_same():
    out = run(
        2,
        """
        X = every.iloc[own]
        if comm.rank == 1:
            X = X.rename(columns={"b": "c"})
        try:
            BLClassifier(epochs=1).fit(X, label[own], communicator=comm)
        except Exception as error:
            if comm.rank == 0:
                print(error)
        """,
    )
    assert "'b' differs between rank 0 and rank 1" in out


def test_the_script_of_the_page_runs(tmp_path):
    block = blocks("docs/cluster.md")[0]
    run(2, "rows_of_this_process = lambda rank: (every.iloc[own], label[own])\n" + block, tmp_path)
    assert len(BLClassifier.load(tmp_path / "model.bl").classes_) == 3

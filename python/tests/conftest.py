"""Data with known structure, small enough that every fit takes a fraction of a second."""

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    return X, X[:, 0] - 0.5 * X[:, 1] + 0.2 * rng.normal(size=240)


@pytest.fixture(scope="session")
def labels(numbers):
    X, y = numbers
    return X, np.where(y > 0.3, "high", np.where(y < -0.3, "low", "middle"))


@pytest.fixture(scope="session")
def mixed_frame(numbers):
    """Numbers with a gap, a text, an ordered and an unordered category, a flag and a nullable integer."""
    X, y = numbers
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "income": X[:, 0],
            "city": np.where(X[:, 1] > 0, "Bern", "Genf"),
            "size": pd.Categorical.from_codes(rng.integers(0, 3, 240), ["small", "medium", "large"], ordered=True),
            "color": pd.Categorical.from_codes(rng.integers(0, 2, 240), ["red", "blue"]),
            "owner": X[:, 2] > 0,
            "rooms": pd.array(rng.integers(1, 5, 240), dtype="Int64"),
        }
    )
    frame.loc[[3, 50], "income"] = np.nan
    frame.loc[7, "city"] = None
    frame.loc[8, "rooms"] = pd.NA
    frame.loc[9, "color"] = np.nan
    return frame, pd.Series(np.where(y > 0, "buys", "leaves"), name="decision")


@pytest.fixture(scope="session")
def choices():
    """Logit choices with utility -1.5 price + quality, long and wide."""
    rng = np.random.default_rng(2)
    rows, wide = [], []
    for situation in range(400):
        price, quality = rng.uniform(1, 3, 3), rng.normal(size=3)
        chosen = int(np.argmax(-1.5 * price + quality + rng.gumbel(size=3)))
        for k, name in enumerate("abc"):
            rows.append((situation, name, price[k], quality[k], int(k == chosen)))
        wide.append([*price, *quality, "abc"[chosen]])
    names = [f"{name}_{what}" for what in ("price", "quality") for name in "abc"]
    long = pd.DataFrame(rows, columns=["situation", "alternative", "price", "quality", "chosen"])
    return long, pd.DataFrame(wide, columns=[*names, "choice"])


@pytest.fixture(scope="session")
def command():
    """The command line, for models that go from one front end to the other."""
    path = os.environ.get("BL_COMMAND", str(ROOT / "build" / "release" / "bl"))
    assert shutil.which(path), f"{path} is not there: build it with ./run build, or set BL_COMMAND"
    return path

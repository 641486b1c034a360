"""Data sets that come with the package. Each is made by the library, so the problem behind its rows is known.

>>> from behavior_learning import datasets
>>> datasets.load_households().frame.shape
(1000, 3)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from . import _core

__all__ = ["load_commutes", "load_households", "load_purchases", "names"]


def names() -> list[str]:
    """The data sets there are."""
    return [one["name"] for one in _core.datasets()]


def _load(name: str, return_X_y: bool) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("data sets come as pandas frames: pip install 'behavior-learning[frames]'") from error
    information = next(one for one in _core.datasets() if one["name"] == name)
    frame = pandas.DataFrame({column: np.asarray(values) for column, values in _core.dataset(name)})
    for column in frame:
        if frame[column].dtype.kind == "f" and (frame[column] == frame[column].round()).all():
            frame[column] = frame[column].astype("int64")
    target = frame[information["response"]]
    data = frame.drop(columns=information["response"])
    if return_X_y:
        return data, target
    return Bunch(
        frame=frame,
        data=data,
        target=target,
        feature_names=list(data.columns),
        target_name=information["response"],
        DESCR=information["description"],
    )


def load_households(*, return_X_y: bool = False) -> Any:
    """1,000 households that decide how much of their income to spend: a number.

    Parameters
    ----------
    return_X_y : bool
        Only the features and the response.

    Returns
    -------
    Bunch, or (X, y)
        `frame`, `data`, `target`, `feature_names`, `target_name` and `DESCR`, which states the true problem.

    Examples
    --------
    >>> X, y = load_households(return_X_y=True)
    >>> list(X.columns), y.name
    (['income', 'children'], 'spending')
    """
    return _load("households", return_X_y)


def load_commutes(*, return_X_y: bool = False) -> Any:
    """1,000 trips to work of 250 people, by car, train or bus: a choice among alternatives, for BLChoice.

    Parameters
    ----------
    return_X_y : bool
        Only the features and the response. BLChoice takes `frame`, which has both.

    Returns
    -------
    Bunch, or (X, y)
        As of load_households.

    Examples
    --------
    >>> load_commutes().target_name
    'mode'
    """
    return _load("commutes", return_X_y)


def load_purchases(*, return_X_y: bool = False) -> Any:
    """1,000 visitors of a shop who buy or leave: a class, with categories and missing values.

    Parameters
    ----------
    return_X_y : bool
        Only the features and the response.

    Returns
    -------
    Bunch, or (X, y)
        As of load_households.

    Examples
    --------
    >>> X, y = load_purchases(return_X_y=True)
    >>> sorted(set(y)), bool(X["income"].isna().any())
    (['no', 'yes'], True)
    """
    return _load("purchases", return_X_y)

"""What columns do to predictions: averaged effects, and Shapley values of single rows."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core, _frame


class ShapleyValues:
    """How much each column moves the prediction of a row away from the mean prediction of the background.

    For every row the values of all columns sum to its prediction less `base_values`. The attributes have the names
    of the `shap` package, whose plots take this object.

    Attributes
    ----------
    values : ndarray
        Rows x columns; of a classifier rows x columns x classes.
    base_values : float or ndarray
        The mean prediction of the background; of a classifier one for each class.
    errors : ndarray
        Standard errors of `values` where orders of columns were drawn; 0 where `exact`.
    feature_names : list of str
    data : ndarray or None
        The rows, where they are numbers.
    exact : bool
        Over all subsets of columns, not over drawn orders.
    background : int
        Rows that predictions were compared with.
    """

    def __init__(self, names: Sequence[str], found: dict[str, Any], order: Sequence[int], data: Any) -> None:
        self.feature_names = list(names)
        self.exact, self.background = bool(found["exact"]), int(found["background"])
        outcomes = len(found["outcomes"])
        places = [self.feature_names.index(one) for one in found["columns"]]

        def shaped(numbers: np.ndarray) -> np.ndarray:
            given = np.asarray(numbers).reshape(-1, len(places), outcomes)[:, :, order]
            out = np.zeros((len(given), len(self.feature_names), len(order)))  # what is not read moves nothing
            out[:, places] = given
            return out[:, :, 0] if len(order) == 1 else out

        self.values, self.errors = shaped(found["values"]), shaped(found["errors"])
        base = np.asarray(found["base"])[list(order)]
        self.base_values = float(base[0]) if len(order) == 1 else base
        self.data = data

    def __repr__(self) -> str:
        how = "exact" if self.exact else "over drawn orders of columns"
        return f"ShapleyValues of {len(self.values)} rows and {len(self.feature_names)} columns, {how}"


def shapley_options(
    threads: Any, unseen: Any, size: int | None, rounds: int | None, seed: int | None
) -> _core.ShapleyOptions:
    out = _core.ShapleyOptions()
    out.threads = int(threads or 0)
    out.treat_unseen_as_missing = unseen != "error"
    for name, value in {"background": size, "rounds": rounds, "seed": seed}.items():
        if value is not None:
            setattr(out, name, value)
    return out


def numbers_of(X: Any) -> np.ndarray | None:
    """The rows as an array, where all columns are numbers."""
    try:
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def average_effect(estimator: Any, X: Any, feature: str | int, values: Any, points: int, rows: int) -> tuple[Any, Any]:
    """The values of the feature, and the mean prediction over rows of X where it has each of them."""
    values = np.asarray(grid_of(X, feature, points) if values is None else values)
    X = _some_rows(X, rows)
    at, column = _column_of(X, feature)
    predict = getattr(estimator, "predict_proba", estimator.predict)
    means = [np.mean(predict(_with_column(X, at, column, value)), axis=0) for value in values]
    return values, np.array(means)


def grid_of(X: Any, feature: str | int, points: int) -> np.ndarray:
    """Values of a column to look at."""
    return _grid(_column_of(X, feature)[1], points)


def _column_of(X: Any, feature: str | int) -> tuple[int, Any]:
    if not _frame.is_pandas(X):
        X = np.asarray(X)
    at = int(feature) if isinstance(feature, (int, np.integer)) else _frame.column_names(X).index(feature)
    return at, X.iloc[:, at] if _frame.is_pandas(X) else X[:, at]


def _some_rows(X: Any, rows: int) -> Any:
    """At most so many, evenly spread."""
    if not _frame.is_pandas(X):
        if _frame.is_frame(X):
            raise TypeError("effects take a pandas frame or an array; convert X with to_pandas()")
        X = np.asarray(X)
    places = np.unique(np.linspace(0, len(X) - 1, min(rows, len(X))).astype(int))
    return X.iloc[places] if _frame.is_pandas(X) else X[places]


def _grid(column: Any, points: int) -> np.ndarray:
    """Levels of a category, values of a column with few, quantiles of a number."""
    if hasattr(column, "dtype") and hasattr(column.dtype, "categories"):
        return np.asarray(column.dtype.categories)
    present = column.dropna() if hasattr(column, "dropna") else column[~np.isnan(column)]
    distinct = np.unique(np.asarray(present))
    if len(distinct) <= points or distinct.dtype.kind not in "iuf":
        return distinct
    return np.unique(np.quantile(np.asarray(present, dtype=np.float64), np.linspace(0, 1, points)))


def _with_column(X: Any, at: int, column: Any, value: Any) -> Any:
    if not _frame.is_pandas(X):
        out = X.copy()
        out[:, at] = value
        return out
    import pandas

    if hasattr(column.dtype, "categories"):
        same: Any = pandas.Categorical([value] * len(X), dtype=column.dtype)
    else:
        same = pandas.Series([value] * len(X), index=X.index)
    return X.assign(**{X.columns[at]: same})

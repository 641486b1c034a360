"""Arrays and data frames as columns of the library.

Numbers stay numbers (NaN: missing), texts and booleans become nominal, pandas' and Arrow's ordered categories
ordinal. Contiguous columns of float64 are not copied.
"""

from __future__ import annotations

import numbers
from typing import Any, Sequence

import numpy as np

from . import _core


def is_pandas(X: Any) -> bool:
    return type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "dtypes") and hasattr(X, "columns")


def is_arrow(X: Any) -> bool:
    """Tables that speak the Arrow PyCapsule interface: polars, pyarrow, duckdb, ..."""
    return hasattr(X, "__arrow_c_stream__") and not is_pandas(X) and not isinstance(X, np.ndarray)


def is_frame(X: Any) -> bool:
    return is_pandas(X) or (is_arrow(X) and (hasattr(X, "columns") or hasattr(X, "column_names")))


def is_series(y: Any) -> bool:
    """One column that has a name."""
    return hasattr(y, "name") and not hasattr(y, "columns") and hasattr(y, "dtype")


def column_names(X: Any) -> list[str]:
    names = getattr(X, "column_names", None)  # pyarrow, whose .columns are the data
    return [str(name) for name in (names if names is not None else X.columns)]


def array_columns(X: np.ndarray, names: Sequence[str]) -> list[_core.Column]:
    return [_core.number_column(name, X[:, j]) for j, name in enumerate(names)]


def frame_columns(X: Any, names: Sequence[str], *, flags_as_numbers: bool = False) -> list[_core.Column]:
    """The columns of a data frame, under these names. Flags are nominal, or 1 and 0 (for expressions)."""
    if is_pandas(X):
        return [_pandas_column(name, X.iloc[:, j], flags_as_numbers) for j, name in enumerate(names)]
    return _core.arrow_columns(X.__arrow_c_stream__(), list(names), flags_as_numbers)


def response_column(name: str, y: np.ndarray) -> _core.Column:
    """A response as it would stand in a file: numbers as numbers, all else as texts."""
    if y.dtype.kind in "iuf":
        return _core.number_column(name, np.ascontiguousarray(y, dtype=np.float64))
    return _core.text_column(name, [str(one) for one in y])


def as_table(table: list[tuple[str, Any]]) -> Any:
    """A pandas frame indexed by the first column, or a dictionary where there is no pandas."""
    columns = dict(table)
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns).set_index(next(iter(columns)))


def _pandas_column(name: str, series: Any, flags_as_numbers: bool) -> _core.Column:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        levels = [_level_text(one) for one in dtype.categories]
        codes = np.asarray(series.cat.codes, dtype=np.int32)
        return _core.category_column(name, codes, levels, bool(dtype.ordered))
    kind = getattr(dtype, "kind", "O")
    if kind == "b" and not flags_as_numbers:
        codes = series.to_numpy(dtype=np.float64, na_value=-1).astype(np.int32)
        return _core.category_column(name, codes, ["False", "True"], False)
    if kind in "biuf":
        if isinstance(dtype, np.dtype):
            return _core.number_column(name, series.to_numpy().astype(np.float64, copy=False))
        return _core.number_column(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind in "OUST":
        return _object_column(name, series)
    dates = " (a date as days: (X[name] - pandas.Timestamp(0)).dt.days)" if kind == "M" else ""
    raise TypeError(f"column {name!r} has the type {dtype}; give numbers, texts, booleans or categories{dates}")


def _object_column(name: str, series: Any) -> _core.Column:
    missing = np.asarray(series.isna(), dtype=bool)
    cells = series.to_numpy(dtype=object)
    present = cells[~missing]
    if len(present) and all(isinstance(one, numbers.Real) and not isinstance(one, bool) for one in present):
        values = np.full(len(cells), np.nan)
        values[~missing] = present.astype(np.float64)
        return _core.number_column(name, values)
    for one in present:
        if not isinstance(one, (str, bool, numbers.Real, np.bool_)):
            raise TypeError(
                f"column {name!r} holds a {type(one).__name__}; the argument must be a string or a real number"
            )
    return _core.text_column(name, [None if gone else _level_text(one) for one, gone in zip(cells, missing)])


def _level_text(value: Any) -> str:
    """As it would stand in a file: 3 and not 3.0."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)

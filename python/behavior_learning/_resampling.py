"""Many fits of one estimator, spread by joblib over processes or a cluster: bootstrap and check by simulation.

    with joblib.parallel_config(backend="dask"):
        bootstrap(estimator, X, y, resamples=500)
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from ._core import UsageError

Statistic = Callable[[Any], Any]


class Resamples:
    """What a bootstrap found. `values` has a row per resample, `names` what its columns are."""

    def __init__(self, names: list[str], estimate: np.ndarray, values: np.ndarray) -> None:
        self.names = names
        self.estimate = estimate
        self.values = values

    @property
    def standard_errors(self) -> np.ndarray:
        """The standard deviation over resamples."""
        return np.std(self.values, axis=0, ddof=1)

    def intervals(self, level: float = 0.95) -> np.ndarray:
        """Percentile intervals: a row per number, lower and upper end."""
        return np.quantile(self.values, [(1 - level) / 2, (1 + level) / 2], axis=0).T

    def __repr__(self) -> str:
        lines = [f"{'':<28}{'estimate':>12}{'std.err.':>12}"]
        for name, value, error in zip(self.names, self.estimate, self.standard_errors):
            lines.append(f"{name:<28.27}{value:>12.5g}{error:>12.4g}")
        return "\n".join(lines) + f"\n{len(self.values)} resamples"


def bootstrap(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    resamples: int = 100,
    statistic: Statistic | None = None,
    groups: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Resamples:
    """Standard errors from fits to rows drawn again with replacement.

    The fits are independent; joblib spreads them over processes, or over the cluster of
    `joblib.parallel_config(backend="dask")`. The result does not depend on where they ran.

    Parameters
    ----------
    estimator : estimator
        Fitted; every resample fits a clone of it with one thread.
    X, y : array or data frame
        The rows of its fit. Of BLChoice X alone.
    resamples : int
        How many fits.
    statistic : function, optional
        From a fitted estimator to numbers, or a mapping of names to numbers. Without it the coefficients of `summary()`,
        which identifiable models and linear utilities keep.
    groups : array, optional
        Labels of rows that are drawn together (a person, a household). Situations of choices in long layout are
        kept together without it.
    seed : int
        Of the draws.
    n_jobs : int, optional
        As of joblib.Parallel.

    Returns
    -------
    Resamples
        `standard_errors`, `intervals()`, `values`.
    """
    take = statistic or _coefficients
    names, estimate = _named(take(estimator))
    rows = len(X)
    groups = _situations(estimator, X) if groups is None else np.asarray(groups)
    streams = np.random.SeedSequence(seed).spawn(resamples)
    found = Parallel(n_jobs=n_jobs)(
        delayed(_refit)(estimator, X, y, _drawn_rows(rows, groups, stream), take) for stream in streams
    )
    return Resamples(names, estimate, np.array([_named(one)[1] for one in found]))


def check(
    estimator: Any, X: Any, y: Any = None, *, replications: int = 100, seed: int = 0, n_jobs: int | None = None
) -> dict[str, np.ndarray]:
    """Do the standard errors hold? Responses are drawn from the model, and it is fitted to them again.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier or regressor whose `summary()` has standard errors.
    X, y : array or data frame
        Rows of its fit; responses are drawn at X, y is not read.
    replications : int
        How many refits.
    seed : int
        Of the draws.
    n_jobs : int, optional
        As of joblib.Parallel.

    Returns
    -------
    dict
        By parameter `names`, `truth`, `mean`, `sd` of the estimates, `standard_error` (root mean square) and `coverage` of
        95% intervals; `failed`, the number of refits without standard errors.
    """
    truth = estimator.summary()
    found = Parallel(n_jobs=n_jobs)(
        delayed(_recovered)(estimator, X, seed * 1_000_003 + k + 1) for k in range(replications)
    )
    kept = [one for one in found if one is not None]
    estimates = np.array([one[0] for one in kept]).reshape(len(kept), len(truth.names))
    errors = np.array([one[1] for one in kept]).reshape(estimates.shape)
    held = np.abs(estimates - np.asarray(truth.params)) <= 1.959963984540054 * errors
    return {
        "names": np.array(truth.names),
        "truth": np.asarray(truth.params),
        "mean": estimates.mean(axis=0),
        "sd": estimates.std(axis=0, ddof=1) if len(kept) > 1 else np.full(len(truth.names), np.nan),
        "standard_error": np.sqrt(np.mean(errors**2, axis=0)),
        "coverage": held.mean(axis=0),
        "failed": np.array(replications - len(kept)),
    }


def _coefficients(estimator: Any) -> dict[str, float]:
    summary = estimator.summary()
    return dict(zip(summary.names, np.asarray(summary.params)))


def _named(found: Any) -> tuple[list[str], np.ndarray]:
    if isinstance(found, dict):
        return list(found), np.array(list(found.values()), dtype=float)
    numbers = np.ravel(np.asarray(found, dtype=float))
    return [str(k) for k in range(len(numbers))], numbers


def _situations(estimator: Any, X: Any) -> np.ndarray | None:
    """Labels of the situations of a long file."""
    column = getattr(estimator, "situation", None)
    return None if column is None else np.asarray(X[column])


def _drawn_rows(rows: int, groups: np.ndarray | None, stream: np.random.SeedSequence) -> tuple[np.ndarray, np.ndarray]:
    """Rows drawn with replacement, whole groups where there are any; and which draw each row belongs to."""
    draw = np.random.default_rng(stream)
    if groups is None:
        return draw.integers(rows, size=rows), np.arange(rows)
    codes = np.unique(groups, return_inverse=True)[1]
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    drawn = [members[k] for k in draw.integers(len(members), size=len(members))]
    return np.concatenate(drawn), np.repeat(np.arange(len(drawn)), [len(one) for one in drawn])


def _rows_of(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows].reset_index(drop=True) if hasattr(X, "iloc") else np.asarray(X)[rows]


def _refit(estimator: Any, X: Any, y: Any, drawn: tuple[np.ndarray, np.ndarray], statistic: Statistic) -> Any:
    rows, draws = drawn
    one, sample = clone(estimator).set_params(threads=1), _rows_of(X, rows)
    for column in (getattr(estimator, "situation", None), getattr(estimator, "person", None)):
        if column is not None:  # what is drawn twice is two of them
            codes = np.unique(np.asarray(sample[column]), return_inverse=True)[1]
            sample[column] = draws * (codes.max() + 1) + codes
    return statistic(one.fit(sample) if y is None else one.fit(sample, _rows_of(y, rows)))


def _recovered(estimator: Any, X: Any, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Estimates and standard errors of a fit to drawn responses; None where there are none."""
    drawn = np.ravel(np.asarray(estimator.sample(X, 1, seed=seed)))
    try:
        summary = clone(estimator).set_params(threads=1).fit(X, drawn).summary()
    except UsageError:  # the fit reached no minimum
        return None
    errors = np.asarray(summary.bse)
    return (np.asarray(summary.params), errors) if np.isfinite(errors).all() else None

from __future__ import annotations

from typing import Any, Callable, Iterable

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from . import _core, _frame
from ._estimator import TableEstimator, all_or_nothing, settings_of
from ._parameters import table_parameters_section


def _of_one_type(columns: Iterable[np.ndarray]) -> list[np.ndarray]:
    """Numbers stay numbers beside text: all become objects then."""
    arrays = list(columns)
    text = any(array.dtype.kind in "OU" for array in arrays)
    return [array.astype(object) for array in arrays] if text else arrays


class BLDensity(DensityMixin, TableEstimator):
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    ) -> "BLDensity":
        """Learns the joint distribution of all columns of X.

        Parameters
        ----------
        X : array or data frame
            Rows.
        y : ignored
        sample_weight, groups, progress : optional
            As of BLClassifier.fit.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            settings = settings_of(self)
            columns = self._feature_columns(X, reset=True)
            rows = columns[0].rows
            weights = self._checked_weights(sample_weight, rows)
            columns += self._extra_columns(rows, weights, groups, settings)
            self._pandas = _frame.is_pandas(X)
            self._fit_columns(columns, settings, progress=progress)
        return self

    def _check_responses(self, responses: list[_core.ResponseInfo], source: str) -> None:
        if self.n_features_in_ > 0:
            raise _core.ModelFileError(f"{source}: the model has features; use BLClassifier or BLRegressor")
        self._set_names([one.name for one in responses])
        self._pandas = False

    def _observed(self, X: Any, y: Any) -> list[_core.Column]:
        return self._feature_columns(X, reset=False)

    def log_density(self, X: Any) -> np.ndarray:
        """log p(x) of each row, of at most two columns of numbers.

        Parameters
        ----------
        X : array or data frame
            Rows.

        Returns
        -------
        ndarray

        Raises
        ------
        UsageError
            More than two columns of numbers: their normaliser is not known; utility() is.
        """
        data = self._data(X)
        return self.model_.log_density(data, self._distribution_options())

    score_samples = log_density

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-density.

        Parameters
        ----------
        X : array or data frame
            Rows.
        y : ignored

        Returns
        -------
        float
        """
        return float(np.mean(self.log_density(X)))

    def utility(self, X: Any) -> np.ndarray:
        """BL(x) of each row: the log-density times the temperature, up to a constant.

        Parameters
        ----------
        X : array or data frame
            Rows.

        Returns
        -------
        ndarray
        """
        data = self._data(X)
        return self.model_.utility(data, self._distribution_options())

    def sample(self, draws: int | None = None, *, seed: int | None = None, **options: Any) -> Any:
        """Rows drawn from the distribution. `sampling_` has the diagnostics.

        Parameters
        ----------
        draws : int, optional
            How many (default 100).
        seed : int, optional
            Decides every draw.
        **options : optional
            Those of `bl sample`: method, chains, warmup, step, temperature, device.

        Returns
        -------
        ndarray or data frame
            As the fit had.
        """
        check_is_fitted(self, "model_")
        result = self._drawn(None, draws, seed, options)
        self.sampling_ = {name: value for name, value in result.items() if name != "draws"}
        table = dict(result["draws"])
        columns = {name: np.asarray(table[name]) for name in self._names}
        if self._pandas:
            import pandas

            return pandas.DataFrame(columns)
        return np.stack(_of_one_type(columns.values()), axis=1)

    def sample_given(
        self, X: Any, given: list[str], draws: int | None = None, *, seed: int | None = None, **options: Any
    ) -> np.ndarray:
        """For each row of X, draws of all columns while some keep the row's values.

        Parameters
        ----------
        X : array or data frame
            Rows.
        given : list of str
            The columns that keep their values.
        draws : int, optional
            Per row (default 100).
        seed : int, optional
            Decides every draw.

        Returns
        -------
        ndarray
            Rows x draws x columns.
        """
        data = self._data(X)
        options["given"] = ",".join(given)
        result = self._drawn(data, draws, seed, options)
        table = dict(result["draws"])
        columns = _of_one_type(np.asarray(table[name]) for name in self._names)
        return np.stack([column.reshape(data.rows(), -1) for column in columns], axis=2)


BLDensity.__doc__ = f"""Learns the joint distribution of several columns as an optimization problem.

p(x) is proportional to exp(BL(x) / temperature).

{table_parameters_section()}"""

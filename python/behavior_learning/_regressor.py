from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array

from . import _core, _frame
from ._parameters import table_parameters_section
from ._supervised import SupervisedEstimator


class BLRegressor(RegressorMixin, SupervisedEstimator):
    # --- the response

    def _response_columns(self, y: Any, *, reset: bool, kept: np.ndarray | None = None) -> list[_core.Column]:
        names, values, flat = _values(y)
        if reset:
            self._targets = [self._new_name(name) for name in names]
            self._flat = flat
        elif values.shape[1] != len(self._targets):
            raise ValueError(f"y has {values.shape[1]} columns, the fit had {len(self._targets)}")
        return [_core.number_column(name, values[:, k]) for k, name in enumerate(self._targets)]

    def _response_settings(self, settings: dict[str, str]) -> None:
        settings["target"] = ",".join(self._targets)
        settings["continuous"] = ",".join(filter(None, [settings.get("continuous"), *self._targets]))

    def _check_responses(self, responses: list[_core.ResponseInfo], source: str) -> None:
        if any(one.levels for one in responses):
            raise _core.ModelFileError(f"{source}: the model predicts a class; use BLClassifier")
        self._targets = [one.name for one in responses]
        self._flat = len(responses) == 1

    def _table(self, X: Any, **options: Any) -> dict[str, np.ndarray]:
        data = self._data(X)
        return dict(self.model_.predict(data, "all", self._predict_options(**options)))

    def _shaped(self, by_response: Sequence[np.ndarray]) -> np.ndarray:
        """Rows, or rows x responses where the fit had several."""
        return np.asarray(by_response[0]) if self._flat else np.column_stack(by_response)

    # --- predictions

    def predict(self, X: Any, *, tolerance: float = 1e-6) -> np.ndarray:
        """The mean of the response given x.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.
        tolerance : float
            Of one response: the error of any probability.

        Returns
        -------
        ndarray
            Rows, or rows x responses where the fit had several.
        """
        table = self._table(X, tolerance=float(tolerance))
        return self._shaped([table[name] for name in self._targets])

    def predict_mode(self, X: Any) -> np.ndarray:
        """The best response: the one that solves the learned problem.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.

        Returns
        -------
        ndarray
            Rows, or rows x responses.
        """
        table = self._table(X, mode=True)
        return self._shaped([table[f"{name} mode"] for name in self._targets])

    def predict_quantiles(self, X: Any, quantiles: Sequence[float], *, tolerance: float = 1e-6) -> np.ndarray:
        """Quantiles of the response given x.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.
        quantiles : sequence of float
            Each between 0 and 1.
        tolerance : float
            The error of any probability.

        Returns
        -------
        ndarray
            Rows x quantiles; of several responses rows x quantiles x responses.

        Examples
        --------
        >>> from behavior_learning import BLRegressor
        >>> from behavior_learning.datasets import load_households
        >>> X, y = load_households(return_X_y=True)
        >>> model = BLRegressor(single=True, degree=1, epochs=20).fit(X, y)
        >>> bool((model.predict_quantiles(X[:5], [0.1, 0.9])[:, 0] < model.predict_quantiles(X[:5], [0.5])[:, 0]).all())
        True
        """
        levels = [float(one) for one in np.atleast_1d(quantiles)]
        table = list(self._table(X, quantiles=levels, tolerance=float(tolerance)).values())
        width = len(table) // len(self._targets)  # mean, standard deviation, quantiles of each response
        by_response = [
            np.column_stack(table[k * width + 2 : k * width + 2 + len(levels)]) for k in range(len(self._targets))
        ]
        return by_response[0] if self._flat else np.stack(by_response, axis=2)

    def predict_interval(self, X: Any, level: float, *, tolerance: float = 1e-6) -> np.ndarray:
        """Central intervals of the response given x.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.
        level : float
            Probability that an interval holds.
        tolerance : float
            The error of any probability.

        Returns
        -------
        ndarray
            Lower and upper ends: rows x 2 (x responses).
        """
        table = list(self._table(X, interval=float(level), tolerance=float(tolerance)).values())
        width = len(table) // len(self._targets)
        by_response = [np.column_stack(table[k * width + 2 : k * width + 4]) for k in range(len(self._targets))]
        return by_response[0] if self._flat else np.stack(by_response, axis=2)

    def utility(self, X: Any, y: Any) -> np.ndarray:
        """BL(x, y) of each row.

        Parameters
        ----------
        X, y : array or data frame
            Rows and a response for each.

        Returns
        -------
        ndarray
        """
        data = self._labelled(X, y)
        return self.model_.utility(data, self._distribution_options())

    def sample(self, X: Any, draws: int | None = None, *, seed: int | None = None, **options: Any) -> np.ndarray:
        """Responses drawn for each row.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.
        draws : int, optional
            Per row (default 100).
        seed : int, optional
            Decides every draw.
        **options : optional
            Those of `bl sample`: method, chains, warmup, step, temperature, device.

        Returns
        -------
        ndarray
            Rows x draws (x responses).
        """
        data = self._data(X)
        result = self._drawn(data, draws, seed, options)
        table = dict(result["draws"])
        by_response = [np.asarray(table[name]).reshape(data.rows(), -1) for name in self._targets]
        return by_response[0] if self._flat else np.stack(by_response, axis=2)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


BLRegressor.__doc__ = f"""Learns an optimization problem whose solution is a number, or several.

p(y | x) is proportional to exp(BL(x, y) / temperature) over the support of y, so means, quantiles, intervals,
densities and draws all come from the one learned utility. Part of the rows of a fit is put aside to stop
training by; give fractions="1:0:0" to learn from all of them.

{table_parameters_section()}"""


def _values(y: Any) -> tuple[list[str], np.ndarray, bool]:
    """Names, rows x responses, and whether y has one dimension (a frame of one column counts as such)."""
    names = None
    if _frame.is_frame(y):
        names = _frame.column_names(y)
        y = y.to_numpy() if hasattr(y, "to_numpy") else np.column_stack([y[name].to_numpy() for name in names])
        if len(names) == 1:
            y = np.asarray(y).ravel()
    elif _frame.is_series(y) and y.name is not None:
        names = [str(y.name)]
    values = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", ensure_min_samples=0)
    if values.ndim > 2:
        raise ValueError(f"y has {values.ndim} dimensions; give rows, or rows x responses")
    flat = values.ndim == 1
    values = np.asfortranarray(values.reshape(len(values), -1))
    if names is None:
        names = ["y"] if values.shape[1] == 1 else [f"y{k}" for k in range(values.shape[1])]
    return names, values, flat

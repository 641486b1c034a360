"""What all estimators of tables share: data in, a model out, and everything that a model can say."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from typing import Any, Callable, Iterator, Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from . import _core, _frame
from ._explanation import Explanation
from ._parameters import TableParameters, given_settings
from ._progress import reporter


class InterruptedWarning(UserWarning):
    """Training was interrupted from the keyboard; the estimator holds the best model so far."""


def settings_of(estimator: BaseEstimator) -> dict[str, str]:
    """The settings that the parameters of an estimator say."""
    params = estimator.get_params(deep=False)
    settings = given_settings({k: v for k, v in params.items() if k not in getattr(estimator, "_not_settings", ())})
    if params.get("random_state") is not None:
        if "seed" in settings:
            raise _core.UsageError("seed and random_state are two names of one setting; give one of them")
        settings["seed"] = str(_seed_of(params["random_state"]))
    return settings


@contextlib.contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """An exception leaves the estimator as it was."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


class TableEstimator(TableParameters, BaseEstimator):
    """Base of BLClassifier, BLRegressor and BLDensity."""

    # --- fitting

    def _fit_columns(
        self,
        columns: list[_core.Column],
        settings: dict[str, str],
        *,
        validation: list[_core.Column] | None = None,
        progress: Any = None,
    ) -> "TableEstimator":
        """Learns from columns (features, responses, weight, group) and keeps the result."""
        arguments = _core.FitArguments()
        arguments.training_rows_only = "fractions" not in settings  # test rows are the caller's, unless asked for
        if validation is not None:
            arguments.first_validation_row = columns[0].rows
            columns = [_core.joined_column(a, b) for a, b in zip(columns, validation)]
        if self.warm_start and hasattr(self, "model_"):
            arguments.start = self.model_
        data = _core.Data.from_columns(columns, type(self).__name__)
        summary, interrupted = _core.fit(data, settings, reporter(progress), arguments)
        if interrupted:
            warnings.warn("training was interrupted; the best model so far is kept", InterruptedWarning, stacklevel=4)
        self._keep(summary.model)
        self.plan_ = summary.plan
        self.notes_ = list(summary.notes)
        self.interrupted_ = interrupted
        return self

    def _keep(self, model: _core.Model) -> None:
        """Everything that follows from the model alone, so that loading a file gives it too."""
        information = json.loads(model.information_json())["information"]
        self.model_ = model
        self.settings_ = information.get("settings", {})
        training = information.get("training", {})
        self.n_iter_ = training.get("epochs", 0)
        self.stop_reason_ = training.get("stop_reason", "unknown")
        self.metrics_ = information.get("metrics", {})
        self.history_ = _history(training.get("history", []))

    # --- features

    def _feature_columns(self, X: Any, *, reset: bool) -> list[_core.Column]:
        """Checks X the way scikit-learn does. Columns go by position, under the names of the fit."""
        if _frame.is_frame(X):
            _check_feature_names(self, X, reset=reset)
            names = _frame.column_names(X)
            if reset:
                if len(set(names)) < len(names):
                    raise ValueError("the data frame has two columns of one name")
                self.n_features_in_ = len(names)
                self._names = names
            elif len(names) != self.n_features_in_:
                _check_n_features(self, np.empty((1, len(names))), reset=False)
            least = 2 if reset else 1
            if len(X) < least:
                raise ValueError(f"Found array with {len(X)} sample(s) while a minimum of {least} is required.")
            return _frame.frame_columns(X, self._names)
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,
        )
        if reset:
            self._names = [f"x{j}" for j in range(X.shape[1])]
        return _frame.array_columns(X, self._names)

    def _data(self, X: Any) -> _core.Data:
        check_is_fitted(self, "model_")
        return _core.Data.from_columns(self._feature_columns(X, reset=False), "X")

    def _new_name(self, wanted: str) -> str:
        """A name beside those of the features; commas separate names in settings."""
        name = wanted.replace(",", " ")
        while name in self._names:
            name += "_"
        return name

    def _checked_weights(self, sample_weight: Any, rows: int) -> np.ndarray | None:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64)
        if not np.any(weights):
            raise ValueError("all sample weights are 0; there is nothing to learn from")
        return weights

    def _extra_columns(self, rows: int, weights: Any, groups: Any, settings: dict[str, str]) -> list[_core.Column]:
        """Weight and group, where they are given, and the settings that say so."""
        columns = []
        if weights is not None:
            settings["weight"] = self._new_name("sample_weight")
            columns.append(_core.number_column(settings["weight"], np.ascontiguousarray(weights)))
        if groups is not None:
            groups = np.asarray(groups)
            if groups.shape != (rows,):
                raise ValueError(f"groups has the shape {groups.shape}; give one value for each of the {rows} rows")
            settings["group"] = self._new_name("group")
            columns.append(_frame.response_column(settings["group"], groups))
        return columns

    # --- what a model says

    def _predict_options(self, **options: Any) -> _core.PredictOptions:
        out = _core.PredictOptions()
        out.threads = int(self.threads or 0)
        for name, value in options.items():
            if value is not None:
                setattr(out, name, value)
        return out

    def _law_options(self) -> _core.LawOptions:
        options = _core.LawOptions()
        options.threads = int(self.threads or 0)
        return options

    def _sample_options(self, draws: int | None, seed: int | None, options: dict[str, Any]) -> _core.SampleOptions:
        out = _core.SampleOptions()
        out.threads = int(self.threads or 0)
        for name, value in {"draws": draws, "seed": seed, **options}.items():
            if value is not None:
                setattr(out, name, value)
        return out

    def explain(
        self,
        *,
        standardised: bool | None = None,
        terms: int | str | None = None,
        threshold: float | None = None,
        block: str | None = None,
    ) -> Explanation:
        """The learned optimization problem, to print or to save in several formats.

        terms: so many of the largest terms of each formula, or "all"; block: only that one ("L1.B2").
        """
        check_is_fitted(self, "model_")
        return Explanation(self.model_, standardised=standardised, terms=terms, threshold=threshold, block=block)

    def describe(self) -> str:
        """What is in the model, in lines of at most 80 columns."""
        check_is_fitted(self, "model_")
        return self.model_.describe()

    # --- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file of the command line, whole or not at all."""
        check_is_fitted(self, "model_")
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TableEstimator":
        """An estimator from a model file, whoever wrote it."""
        return cls._from_model(_core.Model.load(os.fspath(path)), os.fspath(path))

    @classmethod
    def _from_model(cls, model: _core.Model, source: str) -> "TableEstimator":
        estimator = cls()
        estimator._keep(model)
        estimator.plan_, estimator.notes_, estimator.interrupted_ = "", [], False
        estimator._set_names([one.name for one in model.features()])
        estimator._check_responses(model.responses(), source)
        return estimator

    def _set_names(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self.n_features_in_ = len(names)
        if self._names != [f"x{j}" for j in range(len(names))]:  # the names of columns without names
            self.feature_names_in_ = np.asarray(self._names, dtype=object)

    def _check_responses(self, responses: list[_core.ResponseInfo], source: str) -> None:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = False
        return tags


class SupervisedEstimator(TableEstimator):
    """Features and responses."""

    def _response_columns(self, y: Any, *, reset: bool, kept: np.ndarray | None = None) -> list[_core.Column]:
        """kept: the rows that will be learned from; None: all."""
        raise NotImplementedError

    def _response_settings(self, settings: dict[str, str]) -> None:
        """The response's name and type."""
        raise NotImplementedError

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        validation: Sequence[Any] | None = None,
        progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    ) -> Any:
        """Learns from the rows of X and y.

        X: an array of numbers, or a data frame (pandas, polars, Arrow) whose texts and categories are used as
        such; missing values are allowed. groups: rows of one group stay together where rows are put aside for
        validation. validation: (X, y) or (X, y, sample_weight) to stop early by, instead of rows of X. progress:
        True for a line on the terminal, or a function that is called with a dictionary after every epoch and ends
        training by returning True. Interrupting keeps the best model so far.
        """
        with all_or_nothing(self):
            settings = settings_of(self)
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            columns = self._feature_columns(X, reset=True)
            weights = self._row_weights(y, sample_weight, columns[0].rows, settings)
            kept = None if weights is None or np.all(weights != 0) else weights != 0
            columns += self._response_columns(y, reset=True, kept=kept)
            self._response_settings(settings)
            columns += self._extra_columns(columns[0].rows, weights, groups, settings)
            if kept is not None:  # rows without weight are as if they were not there
                columns = [_core.kept_column(column, kept) for column in columns]
            held_out = None if validation is None else self._validation_columns(validation, settings)
            return self._fit_columns(columns, settings, validation=held_out, progress=progress)

    def _row_weights(self, y: Any, sample_weight: Any, rows: int, settings: dict[str, str]) -> np.ndarray | None:
        return self._checked_weights(sample_weight, rows)

    def _validation_columns(self, validation: Sequence[Any], settings: dict[str, str]) -> list[_core.Column]:
        if len(validation) not in (2, 3):
            raise ValueError("validation should be (X, y) or (X, y, sample_weight)")
        if "group" in settings:
            raise ValueError("groups decide which rows are put aside; with validation rows of their own give no groups")
        columns = self._feature_columns(validation[0], reset=False)
        columns += self._response_columns(validation[1], reset=False)
        rows = columns[0].rows
        if "weight" in settings:
            weights = validation[2] if len(validation) == 3 else np.ones(rows)
            weights = _check_sample_weight(weights, np.empty((rows, 1)), dtype=np.float64)
            columns += self._extra_columns(rows, weights, None, settings)
        return columns

    def _labelled(self, X: Any, y: Any) -> _core.Data:
        check_is_fitted(self, "model_")
        columns = self._feature_columns(X, reset=False) + self._response_columns(y, reset=False)
        return _core.Data.from_columns(columns, "X, y")

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """log p(y|x) of each row; of a number in its own units."""
        data = self._labelled(X, y)
        return self.model_.log_density(data, self._law_options())

    def evaluate(self, X: Any, y: Any) -> dict[str, float]:
        """All metrics that fit the response, as `bl evaluate` prints them."""
        check_is_fitted(self, "model_")
        columns = self._feature_columns(X, reset=False) + self._response_columns(y, reset=False)
        weight = self.settings_.get("weight")
        if weight:
            columns.append(_core.number_column(weight, np.ones(columns[0].rows)))
        data = _core.Data.from_columns(columns, "X, y")
        return self.model_.evaluate(data, "all", self._predict_options())

    def explain_row(self, X: Any, y: Any = None, row: int = 0) -> str:
        """One row of X taken apart: what every block adds to the utility, which constraints bind."""
        data = self._data(X) if y is None else self._labelled(X, y)
        return _core.explain_row(self.model_, data, row + 1, _core.ExplainOptions())

    def importance(self, X: Any, y: Any) -> dict[str, float]:
        """By column: what the mean log-likelihood loses without it, the largest first."""
        data = self._labelled(X, y)
        table = dict(_core.importance(self.model_, data, "all"))
        names, *values = table.values()
        return dict(zip(names, values[0].tolist()))


def _history(records: list[dict[str, float]]) -> dict[str, np.ndarray]:
    """One array per field; epochs start again with every member."""
    fields = ["epoch", "train_loss", "validation_loss", "learning_rate", "gradient_norm"]
    return {field: np.array([one.get(field, np.nan) for one in records]) for field in fields}


def _seed_of(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(random_state.randint(2**31 - 1))



"""What all estimators of tables share: data in, a model out, and everything that a model can say."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from typing import Any, Iterator, Sequence, TypeVar

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
from ._parameters import TableParameters, given_settings, stored_parameters, used_settings
from ._progress import reporting
from ._ranks import Collectives
from ._summary import Summary, inference_options


class MixingWarning(UserWarning):
    """Chains of a sampler mix so badly that their draws should not be used as they are."""


class InterruptedWarning(UserWarning):
    """Training was interrupted from the keyboard; the estimator holds the best model so far."""


class UnusedSettingWarning(UserWarning):
    """A parameter was given that has no effect on this fit, as happens in a search over a grid."""


def warn_of(summary: _core.FitSummary, interrupted: bool, stacklevel: int) -> None:
    """What a fit has to say beside its result."""
    for sentence in summary.unused:
        warnings.warn(sentence, UnusedSettingWarning, stacklevel=stacklevel + 1)
    if interrupted:
        warnings.warn(
            "training was interrupted; the best model so far is kept", InterruptedWarning, stacklevel=stacklevel + 1
        )


def settings_of(estimator: BaseEstimator) -> dict[str, str]:
    """The settings that the parameters of an estimator say."""
    params = estimator.get_params(deep=False)
    settings = given_settings({k: v for k, v in params.items() if k not in getattr(estimator, "_not_settings", ())})
    if params.get("random_state") is not None:
        if "seed" in settings:
            raise _core.UsageError("seed and random_state are two names of one setting; give one of them")
        settings["seed"] = str(_seed_of(params["random_state"]))
    settings.setdefault("unseen", "missing")  # as scikit-learn's tools expect: a fold may miss a rare level
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


_Estimator = TypeVar("_Estimator", bound="TableEstimator")


class HoldsModel:
    """What all estimators do with their fitted model as it is."""

    def describe(self) -> str:
        """What is in the model, in words.

        Returns
        -------
        str
            Lines of at most 80 columns.
        """
        check_is_fitted(self, "model_")
        return self.model_.describe()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command line reads too, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where it goes.
        """
        check_is_fitted(self, "model_")
        self.model_.save(os.fspath(path))


class TableEstimator(HoldsModel, TableParameters, BaseEstimator):
    """Base of BLClassifier, BLRegressor and BLDensity."""

    # --- fitting

    def _fit_columns(
        self,
        columns: list[_core.Column],
        settings: dict[str, str],
        *,
        validation: list[_core.Column] | None = None,
        progress: Any = None,
        communicator: Any = None,
    ) -> None:
        """Learns from columns (features, responses, weight, group) and keeps the result."""
        arguments = _core.FitArguments()
        arguments.training_rows_only = "fractions" not in settings  # test rows are the caller's, unless asked for
        arguments.declaration = self._declaration()
        if validation is not None:
            arguments.first_validation_row = columns[0].rows
            columns = [_core.joined_column(a, b) for a, b in zip(columns, validation)]
        if self.warm_start and hasattr(self, "model_"):
            arguments.start = self.model_
        name = type(self).__name__
        with reporting(progress) as tell:
            if communicator is None:
                summary, interrupted = _core.fit(_core.Data.from_columns(columns, name), settings, tell, arguments)
            else:
                ranks = Collectives(communicator)
                summary, interrupted = _core.shared_fit(columns, name, settings, tell, arguments, ranks)
        warn_of(summary, interrupted, stacklevel=4)
        self._keep(summary.model)
        self.plan_ = summary.plan
        self.notes_ = list(summary.notes)
        self.interrupted_ = interrupted

    def _declaration(self) -> _core.ChoiceDeclaration | None:
        """Of rows that are learned as choices."""
        return None

    def _keep(self, model: _core.Model) -> None:
        """Everything that follows from the model alone, so that loading a file gives it too."""
        information = json.loads(model.information_json())["information"]
        self.model_ = model
        self.settings_ = used_settings(information)
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
        out.treat_unseen_as_missing = self.unseen != "error"
        for name, value in options.items():
            if value is not None:
                setattr(out, name, value)
        return out

    def _distribution_options(self) -> _core.DistributionOptions:
        options = _core.DistributionOptions()
        options.threads = int(self.threads or 0)
        options.treat_unseen_as_missing = self.unseen != "error"
        return options

    def _drawn(self, data: Any, draws: int | None, seed: int | None, options: dict[str, Any]) -> dict[str, Any]:
        result = self.model_.sample(data, self._sample_options(draws, seed, options))
        if result["warning"]:
            warnings.warn(result["warning"], MixingWarning, stacklevel=3)
        return result

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
        full: bool | None = None,
    ) -> Explanation:
        """The learned optimization problem, to print or to save in several formats.

        Parameters
        ----------
        standardised : bool, optional
            Coefficients for standardised columns instead of the data's own units.
        terms : int or "all", optional
            So many of the largest terms of each formula.
        threshold : float, optional
            Leave out terms below this share of the largest.
        block : str, optional
            Only that one, for example "L1.B2".
        full : bool, optional
            Every block as text. Otherwise a problem of more than 5 blocks is an overview of one screen; terms and
            threshold ask for every block as well.

        Returns
        -------
        Explanation
            Its `str()` is the text; `latex`, `markdown`, `svg`, `dot` and `json` are properties.

        Examples
        --------
        >>> from behavior_learning import BLRegressor
        >>> from behavior_learning.datasets import load_households
        >>> X, y = load_households(return_X_y=True)
        >>> model = BLRegressor(single=True, utility_activation="identity", heads="1,1,0", degree=1).fit(X, y)
        >>> print(model.explain())  # doctest: +ELLIPSIS
        The problem behind spending, in the data's own units
        ...
        """
        check_is_fitted(self, "model_")
        if full is None:
            full = terms is not None or threshold is not None
        return Explanation(
            self.model_, standardised=standardised, terms=terms, threshold=threshold, block=block, full=full
        )

    # --- standard errors

    def _inference(
        self, columns: list[_core.Column], sample_weight: Any, clusters: Any, options: dict[str, Any]
    ) -> Any:
        """The model at its minimum, and the summary."""
        rows = columns[0].rows
        weight = self.settings_.get("weight")
        if weight:
            weights = self._checked_weights(np.ones(rows) if sample_weight is None else sample_weight, rows)
            columns.append(_core.number_column(weight, weights))
        elif sample_weight is not None:
            raise ValueError("the fit had no sample weights, so its errors take none")
        names = []
        for k, one in enumerate([] if clusters is None else _as_columns(clusters, rows)):
            names.append(self._new_name(f"cluster{k + 1}"))
            columns.append(_frame.response_column(names[-1], one))
        data = _core.Data.from_columns(columns, type(self).__name__)
        return _core.infer(self.model_, data, inference_options(self.threads, names, options))

    def _observed(self, X: Any, y: Any) -> list[_core.Column]:
        """Columns of rows whose responses are known."""
        raise NotImplementedError

    def infer(
        self: _Estimator, X: Any, y: Any = None, sample_weight: Any = None, *, clusters: Any = None, **options: Any
    ) -> _Estimator:
        """Takes the parameters to the minimum for these rows, in canonical form, and keeps their covariance.

        summary() and the saved file have it from then on.

        Parameters
        ----------
        X, y : array or data frame
            The rows of the fit.
        sample_weight : array, optional
            Their weights, where the fit had some.
        clusters : array, optional
            As of summary(), whose other options are taken too.

        Returns
        -------
        self
        """
        check_is_fitted(self, "model_")
        model, _ = self._inference(self._observed(X, y), sample_weight, clusters, options)
        with all_or_nothing(self):
            self._keep(model)
        return self

    def summary(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, clusters: Any = None, **options: Any
    ) -> Summary:
        """Estimates with standard errors, as statsmodels shows them.

        Parameters
        ----------
        X, y : array or data frame, optional
            The rows of the fit; without them the covariance that infer() or `bl summary` kept in the model.
        sample_weight : array, optional
            Their weights, where the fit had some.
        clusters : array, optional
            One or two columns of labels for clustered errors.
        **options : optional
            cov_type ("robust", "classical", "cluster"), level (of intervals), standardised, reference (class), starts,
            bootstrap, seed, device ("cpu", "cuda", "auto": of starts and resamples).

        Returns
        -------
        Summary
            Its `str()` is the table; `params`, `bse`, `pvalues`, `conf_int()` are the numbers.
        """
        check_is_fitted(self, "model_")
        if X is not None:
            return Summary(self._inference(self._observed(X, y), sample_weight, clusters, options)[1])
        if not _core.has_inference(self.model_):
            raise _core.UsageError("the model keeps no covariance; give the rows, summary(X, y), or call infer(X, y)")
        return Summary(_core.stored_inference(self.model_, inference_options(self.threads, [], options)))

    # --- files

    @classmethod
    def load(cls: type[_Estimator], path: str | os.PathLike[str], *, no_verify: bool = False) -> _Estimator:
        """An estimator from a model file, whoever wrote it, with the parameters of its fit.

        Parameters
        ----------
        path : str or path
            The file of save() or of `bl fit`.
        no_verify : bool
            Read a file that was edited on purpose after it was written.

        Returns
        -------
        estimator
        """
        return cls._from_model(_core.Model.load(os.fspath(path), no_verify), os.fspath(path))

    @classmethod
    def _from_model(cls: type[_Estimator], model: _core.Model, source: str) -> _Estimator:
        if model.is_choice():
            raise _core.ModelFileError(f"{source}: a model of choices among alternatives; use BLChoice.load")
        estimator = cls()
        estimator._keep(model)
        estimator.set_params(**stored_parameters(model))
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


def _history(records: list[dict[str, float]]) -> dict[str, np.ndarray]:
    """One array per field; epochs start again with every member."""
    fields = ["epoch", "train_loss", "validation_loss", "learning_rate", "gradient_norm"]
    return {field: np.array([one.get(field, np.nan) for one in records]) for field in fields}


def _as_columns(labels: Any, rows: int) -> list[np.ndarray]:
    """One or two columns of labels, one per row."""
    if _frame.is_frame(labels):
        labels = np.column_stack([np.asarray(labels[name]) for name in labels.columns])
    labels = np.asarray(labels)
    columns = [labels] if labels.ndim == 1 else list(labels.T)
    if any(one.shape != (rows,) for one in columns):
        raise ValueError(f"clusters should have a label for each of the {rows} rows")
    return columns


def _seed_of(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(random_state.randint(2**31 - 1))

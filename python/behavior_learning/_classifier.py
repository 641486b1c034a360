from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _core, _frame
from ._choice_document import latent_table
from ._declaration import declaration_of
from ._parameters import ClassifierParameters, table_parameters_section
from ._supervised import SupervisedEstimator


class BLClassifier(ClassifierMixin, ClassifierParameters, SupervisedEstimator):
    # --- latent classes

    def _declaration(self) -> _core.ChoiceDeclaration | None:
        if self.latent is None and self.membership is None:
            return None
        block = bool(self.identifiable or self.single)
        document = {
            "data": {"layout": "table"},
            "utility": {"form": "network" if block else "linear"},
            "latent": latent_table(self.latent, self.membership),
        }
        return declaration_of(document, lambda table, key: key or table)

    def _extra_columns(self, rows: int, weights: Any, groups: Any, settings: dict[str, str]) -> list[_core.Column]:
        columns = super()._extra_columns(rows, weights, groups, settings)
        self._person, self._weight = settings.get("group"), settings.get("weight")
        return columns

    def _has_latent_classes(self) -> bool:
        return hasattr(self, "model_") and self.model_.is_choice()

    def _predict_options(self, **options: Any) -> _core.PredictOptions:
        out = super()._predict_options(**options)
        if self._has_latent_classes():
            out.treat_unseen_as_missing = False  # all values are needed
        return out

    def _of_persons(self, X: Any, y: Any, groups: Any) -> _core.Data:
        """Rows of a model with latent classes; without groups every row is another person's."""
        columns = super()._observed(X, y)
        rows = columns[0].rows
        if groups is not None and self._person is None:
            raise ValueError("the fit had no groups, so every row is its own person; give no groups")
        persons = np.arange(rows) if groups is None else np.asarray(groups)
        if persons.shape != (rows,):
            raise ValueError(f"groups has the shape {persons.shape}; give one value for each of the {rows} rows")
        if self._person is not None:
            columns.append(_frame.response_column(self._person, persons))
        if self._weight is not None:
            columns.append(_core.number_column(self._weight, np.ones(rows)))
        return _core.Data.from_columns(columns, "X, y")

    def _observed(self, X: Any, y: Any) -> list[_core.Column]:
        if self._has_latent_classes():
            raise _core.UsageError(
                "a model with latent classes keeps its estimates, summary(); of rows it answers predict, "
                "predict_proba, evaluate and posterior"
            )
        return super()._observed(X, y)

    def evaluate(self, X: Any, y: Any, *, groups: Any = None) -> dict[str, float]:
        """All metrics that fit the response, as `bl evaluate` prints them.

        Parameters
        ----------
        X, y : array or data frame
            Rows and their responses.
        groups : array, optional
            Latent classes: the person of each row; without it every row is another person's.

        Returns
        -------
        dict
            Name of the metric to value.
        """
        if not self._has_latent_classes():
            if groups is not None:
                raise ValueError("groups are for a model with latent classes")
            return super().evaluate(X, y)
        return self.model_.evaluate(self._of_persons(X, y, groups), "all", self._predict_options())

    def posterior(self, X: Any, y: Any, *, groups: Any = None) -> Any:
        """Latent classes: what each person's rows say about the person's class.

        Parameters
        ----------
        X, y : array or data frame
            Rows and their responses.
        groups : array, optional
            The person of each row, where the fit had groups; without it every row is another person's.

        Returns
        -------
        data frame
            By person the probability of each class; a dictionary without pandas.
        """
        check_is_fitted(self, "model_")
        if not self._has_latent_classes():
            raise _core.UsageError("posterior is for a model with latent classes; give `latent`")
        data = self._of_persons(X, y, groups)
        return _frame.as_table(_core.posterior_means(self.model_, data, int(self.threads or 0)))

    # --- the response

    def _response_columns(self, y: Any, *, reset: bool, kept: np.ndarray | None = None) -> list[_core.Column]:
        name, labels = _labels(y)
        if reset:
            check_classification_targets(labels)
            self._found = np.unique(labels if kept is None else labels[kept])
            self._target = self._new_name(name)
        return [_frame.response_column(self._target, labels)]

    def _settle_responses(self, communicator: Any) -> None:
        classes = self._found
        del self._found
        if communicator is not None:
            classes = np.unique(np.concatenate(communicator.allgather(classes)))
        if len(classes) < 2:
            raise ValueError(f"the target holds one class only, {classes[0]!r}; there is nothing to learn")
        if not (self.warm_start and hasattr(self, "model_")):  # others than the model's are refused by the library
            self.classes_ = classes

    def _response_settings(self, settings: dict[str, str]) -> None:
        settings["target"] = self._target
        settings["nominal"] = ",".join(filter(None, [settings.get("nominal"), self._target]))

    def _row_weights(self, y: Any, sample_weight: Any, rows: int, settings: dict[str, str]) -> np.ndarray | None:
        """A weight per class by hand becomes a weight per row; "balanced" is the library's own."""
        weights = super()._row_weights(y, sample_weight, rows, settings)
        if not isinstance(self.class_weight, dict):
            return weights
        del settings["class_weight"]
        by_class = compute_sample_weight(self.class_weight, _labels(y)[1])
        return by_class if weights is None else by_class * weights

    def _check_responses(self, responses: list[_core.ResponseInfo], source: str) -> None:
        if len(responses) != 1 or not responses[0].levels:
            raise _core.ModelFileError(f"{source}: the model does not predict one class; use another estimator")
        self._target = responses[0].name
        levels = responses[0].levels
        if responses[0].text:
            self.classes_ = np.sort(np.array(levels))
        else:
            values = np.sort(np.array([float(one) for one in levels]))
            self.classes_ = values.astype(np.int64) if np.all(values == np.floor(values)) else values

    def _by_class(self, table: list[tuple[str, Any]], prefix: str) -> np.ndarray:
        """Columns "p(level)" or "utility(level)" in the order of classes_."""
        response = self.model_.responses()[0]
        found = dict(table)
        columns = [found[f"{prefix}({level})"] for level in response.levels]
        text = response.text and self.classes_.dtype.kind not in "iuf"
        keys = response.levels if text else [float(one) for one in response.levels]
        place = {key: i for i, key in enumerate(keys)}
        order = [place[str(one) if text else float(one)] for one in self.classes_]
        return np.column_stack([columns[i] for i in order])

    def _outcome_order(self, outcomes: list[str]) -> list[int]:
        response = self.model_.responses()[0]
        keys = response.levels if response.text else [float(one) for one in response.levels]
        place = {key: outcomes.index(f"p({level})") for key, level in zip(keys, response.levels)}
        return [place[str(one) if response.text else float(one)] for one in self.classes_]

    # --- predictions

    def predict_proba(self, X: Any) -> np.ndarray:
        """p(class | x).

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.

        Returns
        -------
        ndarray
            Rows x classes, in the order of `classes_`.
        """
        data = self._data(X)
        return self._by_class(self.model_.predict(data, "all", self._predict_options()), "p")

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of predict_proba.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.

        Returns
        -------
        ndarray
            Rows x classes.
        """
        return np.log(self.predict_proba(X))

    def predict(self, X: Any, *, decide: Any = None) -> np.ndarray:
        """The class of each row.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.
        decide : str or array, optional
            None or "accuracy" for the likeliest class; "macro_f1" for the one with the largest probability times its
            weight, found at the fit for the highest macro F1 expected of the validation rows; or a square array of
            costs, costs[i, j] of deciding classes_[j] where classes_[i] is true, for the least expected cost.

        Returns
        -------
        ndarray
        """
        probabilities = self.predict_proba(X)
        if decide is None or (isinstance(decide, str) and decide == "accuracy"):
            return self.classes_[np.argmax(probabilities, axis=1)]
        if isinstance(decide, str) and decide == "macro_f1":
            return self.classes_[np.argmax(probabilities * self._macro_f1_weights(), axis=1)]
        if isinstance(decide, str):
            raise ValueError(f"decide={decide!r}: expected 'accuracy', 'macro_f1' or an array of costs")
        costs = np.asarray(decide, dtype=np.float64)
        classes = len(self.classes_)
        if costs.shape != (classes, classes) or not np.all(np.isfinite(costs)):
            raise ValueError(f"decide: expected {classes} rows of {classes} finite costs")
        return self.classes_[np.argmin(probabilities @ costs, axis=1)]

    def _macro_f1_weights(self) -> np.ndarray:
        """Of the classes, in the order of classes_."""
        information = json.loads(self.model_.information_json()).get("information", {})
        found = information.get("decide", {}).get("macro_f1")
        if found is None:
            raise ValueError("the model has no weights for macro_f1: its fit had no validation rows to find them on")
        levels = self.model_.responses()[0].levels
        weights = [(f"weight({level})", [one]) for level, one in zip(levels, np.exp(found))]
        return self._by_class(weights, "weight")[0]

    def utility(self, X: Any, y: Any = None) -> np.ndarray:
        """BL(x, class) of every class, or of the class y of each row.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.
        y : array, optional
            A class per row.

        Returns
        -------
        ndarray
            Rows x classes; with y one number per row.
        """
        if y is not None:
            labelled = self._labelled(X, y)
            return self.model_.utility(labelled, self._distribution_options())
        data = self._data(X)
        return self._by_class(self.model_.predict(data, "all", self._predict_options(utilities=True)), "utility")

    def score_ood(self, X: Any) -> dict[str, np.ndarray]:
        """How unlike the training rows each row is.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.

        Returns
        -------
        dict
            energy (log-sum-exp of the utilities) and max_probability, low for rows unlike the training rows, and
            their percentiles among these: 0 below all, 100 above.
        """
        data = self._data(X)
        table = self.model_.predict(data, "all", self._predict_options(ood=True))
        kept = ("energy", "energy percentile", "max_probability", "max_probability percentile")
        return {name: np.asarray(values) for name, values in table if name in kept}

    def decision_function(self, X: Any) -> np.ndarray:
        """Utilities of the classes; of two classes, by how much the second is preferred.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.

        Returns
        -------
        ndarray
        """
        utilities = self.utility(X)
        return utilities[:, 1] - utilities[:, 0] if len(self.classes_) == 2 else utilities

    def sample(self, X: Any, draws: int | None = None, *, seed: int | None = None, **options: Any) -> np.ndarray:
        """Classes drawn for each row.

        Parameters
        ----------
        X : array or data frame
            Rows, with the columns of the fit.
        draws : int, optional
            Per row (default 100).
        seed : int, optional
            Decides every draw.

        Returns
        -------
        ndarray
            Rows x draws.
        """
        data = self._data(X)
        result = self._drawn(data, draws, seed, options)
        labels = np.asarray(dict(result["draws"])[self._target])
        response = self.model_.responses()[0]
        keys = labels if response.text else labels.astype(np.float64)
        known = self.classes_.astype(str) if response.text else self.classes_.astype(np.float64)
        return self.classes_[np.searchsorted(known, keys)].reshape(data.rows(), -1)


_LATENT = """\
    latent : Latent classes: how many, or {"classes": 2, "starts": 10, "seed": 1}; 1 for the logit, to compare with
    membership : Latent classes: columns of the person, or expressions over them, that the shares depend on
"""

BLClassifier.__doc__ = f"""Learns an optimization problem whose solution is a class.

p(class | x) is proportional to exp(BL(x, class) / temperature); BL is built from blocks, each a problem
max U subject to C <= 0, T = 0, which explain() prints. Part of the rows of a fit is put aside to stop training
by; give fractions="1:0:0" to learn from all of them.

With `latent` the rows are choices of persons (groups) who belong to one of several classes, each with a multinomial logit
of its own; it is fitted to all rows by maximum likelihood, and a saved one is read by BLChoice.load.

{table_parameters_section(_LATENT)}"""


def _labels(y: Any) -> tuple[str, np.ndarray]:
    """The name and the labels of a list, an array, a series or a frame of one column."""
    name = "y"
    if _frame.is_frame(y):
        names = _frame.column_names(y)
        if len(names) != 1:
            raise ValueError(f"y has {len(names)} columns; a classifier learns one class")
        name = names[0]
        y = y.iloc[:, 0] if _frame.is_pandas(y) else y[names[0]]
    elif _frame.is_series(y) and y.name is not None:
        name = str(y.name)
    labels = column_or_1d(np.asarray(y), warn=True)
    if labels.dtype == object:
        gone = [place for place, one in enumerate(labels) if _is_missing(one)]
        if gone:
            raise ValueError(
                f"y holds {labels[gone[0]]!r} at row {gone[0]} ({len(gone)} of {len(labels)} rows); "
                "leave such rows out, or give them a class of their own"
            )
    return name, labels


def _is_missing(label: Any) -> bool:
    """None, NaN, and pandas' NA and NaT."""
    return label is None or type(label).__name__ in ("NAType", "NaTType") or (
        isinstance(label, (float, np.floating)) and bool(np.isnan(label))
    )

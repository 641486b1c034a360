from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core, _frame, _toml
from ._choice_document import document_of_parameters
from ._choice_economics import ChoiceEconomics
from ._declaration import declaration_of, document_of
from ._estimator import HoldsModel, all_or_nothing, settings_of, warn_of
from ._explanation import Explanation
from ._parameters import ChoiceParameters, parameter_help, stored_parameters, used_settings
from ._progress import reporting
from ._report import Report, ResponseCurves
from ._summary import Summary, inference_options


class BLChoice(ChoiceEconomics, HoldsModel, ChoiceParameters, BaseEstimator):
    _not_settings = ("form", "terms")  # the schema's own

    def schema_text(self) -> str:
        """The choice schema that the parameters say, as TOML for `bl fit --choice`.

        Returns
        -------
        str
        """
        return self.schema if isinstance(self.schema, str) else _toml.dumps(self._document())

    def _document(self) -> dict[str, Any]:
        if self.schema is not None:
            return dict(self.schema)
        return document_of_parameters(self)

    def _declaration(self) -> _core.ChoiceDeclaration:
        if isinstance(self.schema, str):
            return _core.ChoiceDeclaration.parse(self.schema, "choice schema")
        return declaration_of(self._document(), self._in_messages)

    def _in_messages(self, table: str, key: str) -> str:
        """What messages call a key of the schema: where the user wrote it."""
        if self.schema is not None:
            return f"schema[{table!r}]" + (f"[{key!r}]" if key else "")
        if table in ("data", "utility"):
            return {"nominal": "nominal_context"}.get(key, key) or "BLChoice"
        return table

    def fit(
        self, X: Any, y: Any = None, *, progress: bool | Callable[[dict[str, Any]], Any] | None = None
    ) -> "BLChoice":
        """Learns a utility from choices.

        Parameters
        ----------
        X : data frame or dict of columns
            A row per situation (wide) or per alternative (long).
        y : ignored
        progress : bool or callable, optional
            As of BLClassifier.fit.

        Returns
        -------
        self

        Examples
        --------
        >>> from behavior_learning import BLChoice
        >>> from behavior_learning.datasets import load_commutes
        >>> trips = load_commutes().frame
        >>> columns = {"time": "{}_time", "cost": "{}_cost"}
        >>> model = BLChoice(choice="mode", alternatives=["car", "train", "bus"], attributes=columns, form="linear")
        >>> worth = model.fit(trips).trade_off(trips, "time", "cost")  # of a minute; an hour is truly worth 12
        >>> 8 < 60 * worth["value"] < 16
        True
        """
        with all_or_nothing(self):
            data = _table(X)
            settings = settings_of(self)
            arguments = _core.FitArguments()
            arguments.training_rows_only = "fractions" not in settings  # test rows are the caller's, unless asked for
            arguments.declaration = self._declaration()
            if any(name == "unseen" for name, _ in arguments.declaration.settings) and self.unseen is None:
                del settings["unseen"]
            with reporting(progress) as tell:
                summary, interrupted = _core.fit(data, settings, tell, arguments)
            warn_of(summary, interrupted, stacklevel=2)
            self._keep(summary.model)
            self.plan_, self.notes_ = summary.plan, list(summary.notes)
            self.interrupted_ = interrupted
            self.metrics_ = {part: getattr(summary, part) for part in ("train", "validation", "test")}
            return self

    def _keep(self, model: _core.Model) -> None:
        information = json.loads(model.information_json())["information"]
        self.model_ = model
        self.alternatives_ = np.array(_core.alternatives(model), dtype=object)
        self.classes_ = self.alternatives_
        self.settings_ = used_settings(information)
        self.n_iter_ = information.get("training", {}).get("epochs", 0)

    # --- predictions, a row per situation

    def _by_alternative(self, table: list[tuple[str, Any]], prefix: str) -> np.ndarray:
        found = dict(table)
        return np.column_stack([found[f"{prefix}({name})"] for name in self.alternatives_])

    def _data(self, X: Any) -> _core.Data:
        check_is_fitted(self, "model_")
        return _table(X)

    def _predictions(self, X: Any, utilities: bool = False) -> list[tuple[str, Any]]:
        data = self._data(X)
        options = self._predict_options()
        options.utilities = utilities
        return self.model_.predict(data, "all", options)

    def _predict_options(self) -> _core.PredictOptions:
        options = _core.PredictOptions()
        options.threads = self._threads()
        return options

    def _threads(self) -> int:
        return int(self.threads or 0)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the alternatives.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.

        Returns
        -------
        ndarray
            Situations x `alternatives_`; 0 where one is not available.
        """
        return self._by_alternative(self._predictions(X), "p")

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest alternative of each situation.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.

        Returns
        -------
        ndarray
        """
        return np.array(dict(self._predictions(X))["likeliest"], dtype=object)

    def situations(self, X: Any) -> np.ndarray:
        """What the rows of predict_proba are called.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.

        Returns
        -------
        ndarray
            The situation's id, or the row of a wide frame.
        """
        return np.array(self._predictions(X)[0][1], dtype=object)

    def utility(self, X: Any) -> np.ndarray:
        """Utilities of the alternatives, over the temperature.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.

        Returns
        -------
        ndarray
            Situations x `alternatives_`; NaN where one is not available.
        """
        return self._by_alternative(self._predictions(X, utilities=True), "utility")

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the choices.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        y : ignored

        Returns
        -------
        float
        """
        return -self.evaluate(X)["cross_entropy"]

    def evaluate(self, X: Any) -> dict[str, float]:
        """Log-likelihood, rho-square, cross-entropy and accuracy of the choices.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.

        Returns
        -------
        dict
        """
        data = self._data(X)
        return self.model_.evaluate(data, "all", self._predict_options())

    # --- reading and keeping

    def report(
        self, X: Any, *, title: str | None = None, row: int | None = None, money: str | None = None
    ) -> Report:
        """One HTML page that shows the model to people: shares, trade-offs, elasticities, what if.

        The page holds the model and aggregates of the situations in X.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        title : str, optional
            Of the page.
        row : int, optional
            Puts the values of this situation (0 is the first) into the page, as the start of what can be changed.
        money : str, optional
            The attribute that is a cost.

        Returns
        -------
        Report
            Notebooks show it; `save(path)` writes it.
        """
        data = self._data(X)
        return Report(
            self.model_, data, self.threads, title=title, row=None if row is None else row + 1, money=money
        )

    def response_curves(
        self, X: Any, *, columns: Sequence[str] | None = None, row: int | None = None
    ) -> ResponseCurves:
        """How the prediction changes with each attribute: one SVG picture.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        columns : sequence of str, optional
            Only these attributes.
        row : int, optional
            The situation (0 is the first) that curves start from, in place of a typical one.

        Returns
        -------
        ResponseCurves
            Notebooks show it; `save(path)` writes it.
        """
        return ResponseCurves(self.model_, self._data(X), self.threads, columns, row)

    @property
    def coefficients_(self) -> list[dict[str, Any]]:
        """Of a linear utility: name, estimate, classical, robust and clustered standard error."""
        check_is_fitted(self, "model_")
        return _core.coefficients(self.model_)

    # --- standard errors

    def infer(self, X: Any, *, clusters: Sequence[str] | str = (), **options: Any) -> "BLChoice":
        """Estimates from these choices, and keeps their covariance: summary() and the saved file have it from then on.

        A linear utility is fitted again, a network goes from its parameters to the minimum.

        Parameters
        ----------
        X : data frame
            The choices of the fit.
        clusters : str or sequence of str
            As of summary(), whose other options are taken too.

        Returns
        -------
        self
        """
        data = self._data(X)
        model, _ = _core.infer(self.model_, data, self._inference_options(clusters, options))
        with all_or_nothing(self):
            self._keep(model)
        return self

    def summary(self, X: Any = None, *, clusters: Sequence[str] | str = (), **options: Any) -> Summary:
        """Estimates with standard errors, as statsmodels and Biogeme show them.

        Parameters
        ----------
        X : data frame, optional
            The choices of the fit; without them what the fit or infer() kept in the model.
        clusters : str or sequence of str
            One or two columns of the frame.
        **options : optional
            cov_type ("robust", "classical", "cluster": by person where no columns are named), level (of intervals),
            bootstrap, seed, device ("cpu", "cuda", "auto": of resamples); of a network also standardised, reference (alternative), starts.

        Returns
        -------
        Summary
        """
        check_is_fitted(self, "model_")
        if X is not None:
            data = self._data(X)
            return Summary(_core.infer(self.model_, data, self._inference_options(clusters, options))[1])
        if not _core.has_inference(self.model_):
            raise _core.UsageError("the model keeps no covariance; give the rows, summary(X), or call infer(X)")
        return Summary(_core.stored_inference(self.model_, self._inference_options(clusters, options)))

    def _inference_options(self, clusters: Sequence[str] | str, options: dict[str, Any]) -> _core.InferenceOptions:
        names = [clusters] if isinstance(clusters, str) else list(clusters)
        return inference_options(self.threads, names, options)

    def explain(self, alternative: str | None = None, **options: Any) -> Explanation:
        """The utility as formulas.

        Parameters
        ----------
        alternative : str, optional
            Of this one alone.
        **options : optional
            As of BLClassifier.explain.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self, "model_")
        return Explanation(self.model_, alternative=alternative, **options)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, no_verify: bool = False) -> "BLChoice":
        """An estimator from a model file, whoever wrote it, with the schema and the settings of its fit.

        Parameters
        ----------
        path : str or path
            The file of save() or of `bl fit`.
        no_verify : bool
            Read a file that was edited on purpose after it was written.

        Returns
        -------
        BLChoice
        """
        model = _core.Model.load(os.fspath(path), no_verify)
        if not model.is_choice():
            raise _core.ModelFileError(f"{os.fspath(path)}: a model of a table, not of choices among alternatives")
        document = document_of(json.loads(model.information_json())["response"]["declaration"])
        estimator = cls(document)
        estimator._keep(model)
        parameters = stored_parameters(model)
        if document.get("utility", {}).get("form", "linear") == "linear":
            parameters.pop("unseen")  # such a utility reads no levels
        estimator.set_params(**parameters)
        estimator.plan_, estimator.notes_, estimator.interrupted_, estimator.metrics_ = "", [], False, {}
        return estimator

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


BLChoice.__doc__ = f"""Learns the utility behind choices among alternatives that carry attributes.

Either `schema` (the text or a dictionary of a choice schema, docs/choice.md), or its keys one by one:

    layout : "wide" (a row per situation) or "long" (a row per alternative)
    choice : Wide: column with the code of the chosen alternative
    situation, alternative, chosen : Long: columns of the situation and of the alternative, expression of the choice
    rank, ranking : Rankings in place of one choice: expression of the rank (wide: with {{}} for the alternative), or wide:
        column of codes from best to worst
    available, outside, filter, person, weight, derived : As in the schema
    attributes : Names of columns, or {{name: expression}}
    terms : {{name: expression}} of attributes and columns of the person: further inputs of the utility
    alternatives : Names, or {{name: {{"code": ..., "available": ..., "attributes": {{...}}}}}}
    form : "linear", "network", or "smooth": a small network whose trade-offs can be trusted
    constants, reference, generic, specific, signs : Of a linear utility
    rivals : Of a network: what it reads of the other alternatives, such as ["mean", "min", "rank(cost)"]
    context, nominal_context : Of a network: columns of the person or the situation, and those that are categories
    random, correlated, random_draws : Mixed logit: {{"time": "normal", "cost": "lognormal"}}, names that correlate, and the
        number of draws or {{"count": 1000, "sequence": "halton", "dropped": 100, "seed": 1}}
    nests : Nested logit: {{"existing": ["train", "car"]}}
    latent, membership : Latent classes: how many, and expressions over columns of the person
    scale : Column of the data source, or {{"by": "SOURCE", "reference": "RP"}}: a scale of the utility for each

Further parameters
------------------
None means the default.

    random_state : Another name of seed
{parameter_help()}
"""


def _table(X: Any) -> _core.Data:
    """A frame, or a dictionary of columns."""
    if isinstance(X, Mapping):
        columns = [_frame.response_column(str(name), np.asarray(one)) for name, one in X.items()]
    elif _frame.is_frame(X):
        columns = _frame.frame_columns(X, _frame.column_names(X), flags_as_numbers=True)
    else:
        raise TypeError(f"choices come as a data frame with named columns, not as {type(X).__name__}")
    return _core.Data.from_columns(columns, "X")

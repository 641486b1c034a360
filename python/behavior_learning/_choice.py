from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core, _frame, _toml
from ._declaration import declaration_of, document_of
from ._estimator import HoldsModel, InterruptedWarning, all_or_nothing, settings_of
from ._explanation import Explanation
from ._parameters import CHOICE_DATA, CHOICE_UTILITY, ChoiceParameters, parameter_help, stored_parameters
from ._progress import reporter
from ._summary import Summary, inference_options


class BLChoice(HoldsModel, ChoiceParameters, BaseEstimator):
    _not_settings = ("form",)  # the schema's own: linear or network

    def schema_text(self) -> str:
        """The choice schema (docs/choice.md) that the parameters say, as TOML for `bl fit --choice`."""
        return self.schema if isinstance(self.schema, str) else _toml.dumps(self._document())

    def _document(self) -> dict[str, Any]:
        if self.schema is not None:
            return dict(self.schema)
        data = {"layout": self.layout, **{name: getattr(self, name) for name in CHOICE_DATA}}
        utility = {name: getattr(self, name) for name in CHOICE_UTILITY}
        utility["nominal"] = self.nominal_context
        document: dict[str, Any] = {"data": data}
        if self.derived is not None:
            document["derived"] = dict(self.derived)
        if self.attributes is not None:
            document["attributes"] = _expressions(self.attributes)
        if self.alternatives is not None:
            document["alternatives"] = _alternatives(self.alternatives)
        document["utility"] = utility
        document.update(_beyond(self))
        return document

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
        """Learns a utility from a frame of choices: a row per situation (wide) or per alternative (long)."""
        with all_or_nothing(self):
            data = _table(X)
            settings = settings_of(self)
            arguments = _core.FitArguments()
            arguments.training_rows_only = "fractions" not in settings  # test rows are the caller's, unless asked for
            arguments.declaration = self._declaration()
            summary, interrupted = _core.fit(data, settings, reporter(progress), arguments)
            if interrupted:
                warnings.warn(
                    "training was interrupted; the best model so far is kept", InterruptedWarning, stacklevel=2
                )
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
        self.settings_ = information.get("settings", {})
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
        options = _core.PredictOptions()
        options.utilities = utilities
        return self.model_.predict(data, "all", options)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities: situations x alternatives_, 0 where an alternative is not available."""
        return self._by_alternative(self._predictions(X), "p")

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest alternative of each situation."""
        return np.array(dict(self._predictions(X))["likeliest"], dtype=object)

    def situations(self, X: Any) -> np.ndarray:
        """What the rows of predict_proba are called: the situation's id, or the row of a wide frame (from 1)."""
        return np.array(self._predictions(X)[0][1], dtype=object)

    def utility(self, X: Any) -> np.ndarray:
        """V over the temperature: situations x alternatives_, NaN where not available."""
        return self._by_alternative(self._predictions(X, utilities=True), "utility")

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the choices."""
        return -self.evaluate(X)["cross_entropy"]

    def evaluate(self, X: Any) -> dict[str, float]:
        """Log-likelihood, rho-square, cross-entropy and accuracy of the choices."""
        data = self._data(X)
        return self.model_.evaluate(data, "all", _core.PredictOptions())

    # --- economics

    def market_shares(self, X: Any) -> dict[str, dict[str, float]]:
        """Predicted, and observed where choices are known: {"predicted": {alternative: share}, ...}."""
        data = self._data(X)
        table = dict(_core.market_shares(self.model_, data))
        names = table.pop("alternative")
        return {kind: dict(zip(names, values.tolist())) for kind, values in table.items()}

    def what_if(
        self,
        X: Any,
        changes: Mapping[str, str] | None = None,
        *,
        add: Mapping[str, str] | None = None,
        withdraw: Sequence[str] = (),
        money: str | None = None,
    ) -> dict[str, Any]:
        """Market shares, diversion and consumer surplus in a scenario, with delta-method errors.

        add: {"express": "train"} for a further alternative like another; changes: {"car.cost": "cost * 1.1"};
        withdraw: alternatives that are taken away; money: the attribute that is a cost.
        """
        data = self._data(X)
        listed = []
        for place, expression in (changes or {}).items():
            alternative, dot, attribute = place.partition(".")
            if not dot:
                raise ValueError(f"changes: {place!r} should be 'alternative.attribute'")
            listed.append([alternative, attribute, expression])
        return _core.what_if(self.model_, data, listed, dict(add or {}), list(withdraw), money or "")

    def elasticities(self, X: Any, attribute: str, *, errors: bool = False) -> Any:
        """[j, k]: percent change of the share of j per percent of the attribute of k; and their standard errors,
        where asked for."""
        data = self._data(X)
        values, deviations = (np.array(one) for one in _core.elasticities(self.model_, data, attribute))
        return (values, deviations) if errors else values

    def marginal_utility(self, X: Any, attribute: str) -> dict[str, float]:
        """The mean of dV/d(attribute), by alternative."""
        data = self._data(X)
        names, mean, _ = _core.slopes(self.model_, data, attribute)
        return dict(zip(names, mean.tolist()))

    def posterior(self, X: Any) -> dict[str, Any]:
        """What each person's choices say about the person, by column: of a mixed logit mean and standard deviation of
        the random coefficients, of latent classes the probability of each."""
        data = self._data(X)
        return dict(_core.posterior_means(self.model_, data))

    def trade_off(self, X: Any, attribute: str, money: str) -> dict[str, Any]:
        """What a unit of the attribute is worth in units of `money` (value of time), with its standard error, and
        by alternative."""
        data = self._data(X)
        return _core.trade_off(self.model_, data, attribute, money)

    # --- reading and keeping

    @property
    def coefficients_(self) -> list[dict[str, Any]]:
        """Of a linear utility: name, estimate, classical, robust and clustered standard error."""
        check_is_fitted(self, "model_")
        return _core.coefficients(self.model_)

    # --- standard errors

    def infer(self, X: Any, *, clusters: Sequence[str] | str = (), **options: Any) -> "BLChoice":
        """Estimates from these choices, and keeps their covariance: summary() and the saved file have it from then on.

        A linear utility is fitted again, a network goes from its parameters to the minimum. See summary().
        """
        data = self._data(X)
        model, _ = _core.infer(self.model_, data, self._inference_options(clusters, options))
        with all_or_nothing(self):
            self._keep(model)
        return self

    def summary(self, X: Any = None, *, clusters: Sequence[str] | str = (), **options: Any) -> Summary:
        """Estimates with standard errors, in the manner of statsmodels and Biogeme.

        X: the frame of the fit; without it what the fit or infer() kept in the model. clusters: one or two columns
        of the frame. Options: cov_type ("robust", "classical", "cluster": by person where no columns are named),
        level (of intervals), bootstrap, seed; of a network also standardised, reference (alternative), starts.
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
        """The utility as formulas, of all alternatives or of one; options as for the other estimators."""
        check_is_fitted(self, "model_")
        return Explanation(self.model_, alternative=alternative, **options)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, no_verify: bool = False) -> "BLChoice":
        """An estimator from a model file, whoever wrote it, with the schema and the settings of its fit.

        `no_verify` reads a file that was edited on purpose after it was written."""
        model = _core.Model.load(os.fspath(path), no_verify)
        if not model.is_choice():
            raise _core.ModelFileError(f"{os.fspath(path)}: a model of a table, not of choices among alternatives")
        estimator = cls(document_of(json.loads(model.information_json())["response"]["declaration"]))
        estimator._keep(model)
        estimator.set_params(**stored_parameters(estimator.settings_))
        estimator.plan_, estimator.notes_, estimator.interrupted_, estimator.metrics_ = "", [], False, {}
        return estimator

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


BLChoice.__doc__ = f"""Learns the utility behind choices among alternatives that carry attributes.

Either `schema` (the text or a dictionary of a choice schema, docs/choice.md), or its keys one by one:

    layout : "wide" (a row per situation) or "long" (a row per alternative)
    choice : Wide: column with the code of the chosen alternative
    situation, alternative, chosen : Long: columns of the situation and of the alternative, expression of the choice
    available, outside, filter, person, weight, derived : As in the schema
    attributes : Names of columns, or {{name: expression}}
    alternatives : Names, or {{name: {{"code": ..., "available": ..., "attributes": {{...}}}}}}
    form : "linear" or "network"
    constants, reference, generic, specific, signs : Of a linear utility
    context, nominal_context : Of a network: columns of the person or the situation, and those that are categories
    random, correlated, random_draws : Mixed logit: {{"time": "normal", "cost": "lognormal"}}, names that correlate, and the
        number of draws or {{"count": 1000, "sequence": "halton", "dropped": 100, "seed": 1}}
    nests : Nested logit: {{"existing": ["train", "car"]}}
    latent, membership : Latent classes: how many, and expressions over columns of the person

Further parameters
------------------
None means the library's own default.

    random_state : Another name of seed
{parameter_help()}
"""


def _beyond(choice: BLChoice) -> dict[str, Any]:
    """The tables of models beyond the logit that are given."""
    tables: dict[str, Any] = {}
    if choice.random is not None or choice.correlated is not None:
        tables["random"] = dict(choice.random or {})
        if choice.correlated is not None:
            tables["random"]["correlated"] = list(choice.correlated)
    if choice.random_draws is not None:
        draws = choice.random_draws
        tables["draws"] = dict(draws) if isinstance(draws, Mapping) else {"count": draws}
    if choice.nests is not None:
        tables["nests"] = {name: list(among) for name, among in choice.nests.items()}
    if choice.latent is not None or choice.membership is not None:
        latent = choice.latent or {}
        tables["latent"] = dict(latent) if isinstance(latent, Mapping) else {"classes": latent}
        if choice.membership is not None:
            tables["latent"]["membership"] = list(choice.membership)
    return tables


def _table(X: Any) -> _core.Data:
    """A frame, or a dictionary of columns."""
    if isinstance(X, Mapping):
        columns = [_frame.response_column(str(name), np.asarray(one)) for name, one in X.items()]
    elif _frame.is_frame(X):
        columns = _frame.frame_columns(X, _frame.column_names(X), flags_as_numbers=True)
    else:
        raise TypeError(f"choices come as a data frame with named columns, not as {type(X).__name__}")
    return _core.Data.from_columns(columns, "X")


def _expressions(attributes: Any) -> dict[str, Any]:
    if isinstance(attributes, Mapping):
        return dict(attributes)
    return {name: f"`{name}`" for name in attributes}


def _alternatives(alternatives: Any) -> list[dict[str, Any]]:
    if not isinstance(alternatives, Mapping):
        return [{"name": name} for name in alternatives]
    return [
        {"name": name, **(what if isinstance(what, Mapping) else {"code": what})} for name, what in alternatives.items()
    ]

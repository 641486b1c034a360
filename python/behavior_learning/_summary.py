"""Estimates with their standard errors, in the manner of statsmodels."""

from __future__ import annotations

import html
import json
from typing import Any, Mapping

import numpy as np

from . import _core


def inference_options(threads: Any, clusters: list[str], options: dict[str, Any]) -> _core.InferenceOptions:
    """What a summary was asked for; cov_type is statsmodels' name of covariance."""
    out = _core.InferenceOptions()
    out.threads = int(threads or 0)
    out.cluster = clusters
    if "cov_type" in options:
        options["covariance"] = options.pop("cov_type")
    for name, value in options.items():
        if not hasattr(out, name):
            raise TypeError(f"{name!r} is no option of a summary")
        if value is not None:
            setattr(out, name, value)
    return out


class Summary:
    """What `bl summary` prints, as numbers. str() is the table."""

    def __init__(self, inference: _core.InferenceSummary) -> None:
        self._inference = inference
        self.names = [one.name for one in inference.estimates]
        self.nobs = inference.rows
        self.llf = inference.log_likelihood
        self.aic = inference.aic
        self.bic = inference.bic
        self.df_model = inference.parameters
        self.cov_type = inference.covariance
        self.notes = list(inference.notes)
        self.unidentified = list(inference.unidentified)
        self.condition_number = inference.condition
        choice = inference.choice()  # of a choice model; None for the others
        self.llnull = choice and choice["null_log_likelihood"]
        self.rsquared = choice and choice["rho_square"]
        self.rsquared_adj = choice and choice["adjusted_rho_square"]

    def _series(self, values: Any) -> Any:
        """With the names as index where pandas is there."""
        numbers = np.asarray(values)
        try:
            import pandas
        except ImportError:
            return numbers
        return pandas.Series(numbers, index=self.names)

    def _column(self, field: str) -> Any:
        return self._series([getattr(one, field) for one in self._inference.estimates])

    @property
    def params(self) -> Any:
        """The estimates."""
        return self._column("estimate")

    @property
    def bse(self) -> Any:
        """Standard errors; NaN where `state` says why."""
        return self._column("standard_error")

    @property
    def zvalues(self) -> Any:
        return self._column("z")

    tvalues = zvalues

    @property
    def pvalues(self) -> Any:
        """Of the hypotheses that each is 0."""
        return self._column("p")

    @property
    def state(self) -> Any:
        """Empty, "at bound", "not identified" or "fixed"."""
        return self._column("state")

    def conf_int(self) -> Any:
        """Lower and upper ends at the level that was asked for (`level=` of summary)."""
        ends = np.array([[one.lower, one.upper] for one in self._inference.estimates])
        try:
            import pandas
        except ImportError:
            return ends
        return pandas.DataFrame(ends, index=self.names, columns=["lower", "upper"])

    def cov_params(self) -> Any:
        """The covariance of the estimates."""
        matrix = np.asarray(self._inference.covariance_matrix()).reshape(len(self.names), len(self.names))
        try:
            import pandas
        except ImportError:
            return matrix
        return pandas.DataFrame(matrix, index=self.names, columns=self.names)

    def wald_test(self, hypothesis: str) -> dict[str, Any]:
        """Linear hypotheses, all at once: "U.price = 0, U.time = 2 * U.cost"."""
        return _core.wald_test(self._inference, hypothesis)

    def compare_lr_test(self, nested: "Summary") -> dict[str, Any]:
        """The likelihood ratio of two models of the same rows, one nested in the other; refused for what shows
        that they are not."""
        return _core.likelihood_ratio_test(self._inference, nested._inference)

    # --- as text

    def _render(self, form: str) -> str:
        return _core.render_summary(self._inference, form)

    def as_text(self) -> str:
        return self._render("text")

    def as_latex(self) -> str:
        return self._render("latex")

    def as_markdown(self) -> str:
        return self._render("markdown")

    def as_csv(self) -> str:
        return self._render("csv")

    def as_json(self) -> str:
        return self._render("json")

    def to_dict(self) -> dict[str, Any]:
        return json.loads(self.as_json())

    def __str__(self) -> str:
        return self.as_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.as_text())}</pre>"


class Comparison:
    """Models side by side, as `bl compare` prints them. str() is the table."""

    def __init__(self, models: list[tuple[str, Any]]) -> None:
        self._models = models

    def _rendered(self, format: str) -> str:
        return _core.render_comparison(self._models, format)

    def __str__(self) -> str:
        return self._rendered("text")

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return self.as_markdown()

    def as_markdown(self) -> str:
        return self._rendered("markdown")

    def as_latex(self) -> str:
        return self._rendered("latex")

    def as_dict(self) -> dict[str, Any]:
        return json.loads(self._rendered("json"))


def compare(models: Mapping[str, Any]) -> Comparison:
    """Estimates of several models in columns, errors below them, likelihoods, AIC, BIC and the likelihood ratio against
    the first.

    models: by name, fitted estimators that keep their errors, or their summaries.
    """
    summaries = {name: one if isinstance(one, Summary) else one.summary() for name, one in models.items()}
    comparison = Comparison([(str(name), one._inference) for name, one in summaries.items()])
    str(comparison)  # what cannot be compared is refused here
    return comparison

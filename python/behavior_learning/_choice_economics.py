"""What a choice model says about markets: shares, scenarios, elasticities, what things are worth."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from . import _core


class ChoiceEconomics:
    """Of an estimator with `model_`, and `_data(X)` that reads choices."""

    def market_shares(self, X: Any) -> dict[str, dict[str, float]]:
        """Market shares, predicted, and observed where choices are known.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.

        Returns
        -------
        dict
            {"predicted": {alternative: share}, "observed": ...}.
        """
        data = self._data(X)
        table = dict(_core.market_shares(self.model_, data))
        names = table.pop("alternative")
        return {kind: dict(zip(names, values.tolist())) for kind, values in table.items()}

    def what_if(
        self,
        X: Any,
        changes: Mapping[str, str] | Sequence[str] | str | None = None,
        *,
        add: Mapping[str, str] | None = None,
        withdraw: Sequence[str] = (),
        money: str | None = None,
        **errors: Any,
    ) -> dict[str, Any]:
        """Market shares, diversion and consumer surplus in a scenario, with delta-method errors.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        changes : dict, str or list of str, optional
            {"car.cost": "cost * 1.1"}, or as text "car.cost = cost * 1.1".
        add : dict, optional
            A further alternative like another: {"express": "train"}.
        withdraw : sequence of str
            Alternatives that are removed.
        money : str, optional
            The attribute that is a cost.
        **errors
            covariance ("robust", "classical", "cluster": by person); draws, for intervals of Krinsky and Robb from
            so many draws of the coefficients; level, seed.

        Returns
        -------
        dict
            Shares before and after, their change with its error, diversion, surplus.
        """
        data = self._data(X)
        listed = []
        for place, expression in _changes(changes):
            alternative, dot, attribute = place.partition(".")
            if not dot or not expression:
                raise ValueError(f"changes: {place!r} should be 'alternative.attribute', with an expression")
            listed.append([alternative, attribute, expression])
        return _core.what_if(self.model_, data, listed, dict(add or {}), list(withdraw), money or "", _errors(errors))

    def elasticities(self, X: Any, attribute: str, *, errors: bool = False, covariance: str = "robust") -> Any:
        """Elasticities of market shares.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        attribute : str
            Of which alternatives change.
        errors : bool
            Return their standard errors as well.
        covariance : str
            "robust", "classical" or "cluster" (by person).

        Returns
        -------
        ndarray, or two
            [j, k]: percent change of the share of j per percent of the attribute of k.
        """
        data = self._data(X)
        kind = _errors({"covariance": covariance})
        values, standard_errors = (np.array(one) for one in _core.elasticities(self.model_, data, attribute, kind))
        return (values, standard_errors) if errors else values

    def marginal_utility(self, X: Any, attribute: str) -> dict[str, float]:
        """The mean of dV/d(attribute), by alternative.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        attribute : str
            Which.

        Returns
        -------
        dict
        """
        data = self._data(X)
        names, mean, _ = _core.slopes(self.model_, data, attribute)
        return dict(zip(names, mean.tolist()))

    def posterior(self, X: Any) -> dict[str, Any]:
        """What each person's choices say about the person.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.

        Returns
        -------
        dict
            By column: of a mixed logit mean and standard deviation of the random coefficients, of latent classes the
            probability of each.
        """
        data = self._data(X)
        return dict(_core.posterior_means(self.model_, data))

    def trade_off(self, X: Any, attribute: str, money: str, **errors: Any) -> dict[str, Any]:
        """What a unit of an attribute is worth in units of another, such as the value of time.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        attribute, money : str
            What is valued, and in what.
        **errors
            As of `what_if`.

        Returns
        -------
        dict
            "value", "standard_error", quartiles over situations, and "by" alternative.
        """
        data = self._data(X)
        return _core.trade_off(self.model_, data, attribute, money, _errors(errors))


def _errors(given: dict[str, Any]) -> _core.EconomicsErrors:
    out = _core.EconomicsErrors()
    for name, value in given.items():
        if name not in ("covariance", "draws", "level", "seed"):
            raise TypeError(f"unknown option {name!r}; expected covariance, draws, level or seed")
        setattr(out, name, value)
    return out


def _changes(changes: Any) -> list[tuple[str, str]]:
    """Places and expressions, from a dictionary or from texts "place = expression"."""
    if isinstance(changes, Mapping):
        return list(changes.items())
    texts = [changes] if isinstance(changes, str) else list(changes or ())
    return [(place.strip(), expression.strip()) for place, _, expression in (one.partition("=") for one in texts)]

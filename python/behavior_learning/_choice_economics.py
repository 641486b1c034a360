"""What a choice model says about markets: shares, scenarios, elasticities, what things are worth."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _core


class EconomicsWarning(UserWarning):
    """A number of a model of choices that should not be trusted, with the reason."""


class ChoiceEconomics:
    """Of an estimator with `model_`, `_threads()`, and `_data(X)` that reads choices."""

    def _by(self, X: Any, by: str | None, answer: Callable[[_core.Data], Any]) -> Any:
        """The answer about X, or of each level of a column."""
        data = self._data(X)
        if by is None:
            return answer(data)
        return {level: answer(part) for level, part in _core.segments(self.model_, data, by)}

    def market_shares(self, X: Any, *, by: str | None = None) -> dict[str, Any]:
        """Market shares, predicted, and observed where choices are known.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        by : str, optional
            A column of the person: a dictionary of answers, one for each of its levels.

        Returns
        -------
        dict
            {"predicted": {alternative: share}, "observed": ...}.
        """

        def answer(data: _core.Data) -> dict[str, dict[str, float]]:
            table = dict(_core.market_shares(self.model_, data, self._threads()))
            names = table.pop("alternative")
            return {kind: dict(zip(names, values.tolist())) for kind, values in table.items()}

        return self._by(X, by, answer)

    def what_if(
        self,
        X: Any,
        changes: Mapping[str, str] | Sequence[str] | str | None = None,
        *,
        add: Mapping[str, str] | None = None,
        withdraw: Sequence[str] = (),
        money: str | None = None,
        by: str | None = None,
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
        by : str, optional
            As of market_shares.
        **errors
            covariance ("robust", "classical", "cluster": by person); draws, for intervals of Krinsky and Robb from
            so many draws of the coefficients; level, seed.

        Returns
        -------
        dict
            Shares before and after, their change with its error, diversion, surplus.
        """
        listed = []
        for place, expression in _changes(changes):
            alternative, dot, attribute = place.partition(".")
            if not dot or not expression:
                raise ValueError(f"changes: {place!r} should be 'alternative.attribute', with an expression")
            listed.append([alternative, attribute, expression])
        options = _errors(errors)
        return self._by(
            X,
            by,
            lambda data: _core.what_if(
                self.model_, data, listed, dict(add or {}), list(withdraw), money or "", self._threads(), options
            ),
        )

    def elasticities(
        self, X: Any, attribute: str, *, errors: bool = False, covariance: str = "robust", by: str | None = None
    ) -> Any:
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
        by : str, optional
            As of market_shares.

        Returns
        -------
        ndarray, or two
            [j, k]: percent change of the share of j per percent of the attribute of k. EconomicsWarning where those of
            a network should not be trusted.
        """
        kind = _errors({"covariance": covariance})

        def answer(data: _core.Data) -> Any:
            values, standard_errors, doubts = _core.elasticities(self.model_, data, attribute, self._threads(), kind)
            _warn(doubts)
            return (np.array(values), np.array(standard_errors)) if errors else np.array(values)

        return self._by(X, by, answer)

    def marginal_utility(self, X: Any, attribute: str, *, by: str | None = None) -> dict[str, Any]:
        """The mean of dV/d(attribute), by alternative.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        attribute : str
            Which.
        by : str, optional
            As of market_shares.

        Returns
        -------
        dict
            EconomicsWarning where the means of a network should not be trusted.
        """

        def answer(data: _core.Data) -> dict[str, float]:
            names, mean, doubts = _core.slopes(self.model_, data, attribute, self._threads())
            _warn(doubts)
            return dict(zip(names, mean.tolist()))

        return self._by(X, by, answer)

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
        return dict(_core.posterior_means(self.model_, data, self._threads()))

    def trade_off(
        self, X: Any, attribute: str, money: str, *, by: str | None = None, **errors: Any
    ) -> dict[str, Any]:
        """What a unit of an attribute is worth in units of another, such as the value of time.

        Parameters
        ----------
        X : data frame
            Choices, laid out as those of the fit.
        attribute, money : str
            What is valued, and in what.
        by : str, optional
            As of market_shares.
        **errors
            As of `what_if`.

        Returns
        -------
        dict
            "value", "standard_error", quartiles over situations, and "by" alternative; of a network also "members", the
            value according to each, and "warnings", which are given as EconomicsWarning, too.
        """
        options = _errors(errors)

        def answer(data: _core.Data) -> dict[str, Any]:
            out = _core.trade_off(self.model_, data, attribute, money, self._threads(), options)
            _warn(out["warnings"])
            return out

        return self._by(X, by, answer)


def _warn(doubts: Sequence[str]) -> None:
    for doubt in doubts:
        warnings.warn(doubt, EconomicsWarning, stacklevel=5)


def _errors(given: dict[str, Any]) -> _core.EconomicsErrors:
    out = _core.EconomicsErrors()
    for name, value in given.items():
        if name not in ("covariance", "draws", "level", "seed"):
            raise TypeError(f"unknown option {name!r}; expected covariance, draws, level or seed")
        setattr(out, name, value)
    of_draws = [name for name in ("level", "seed") if name in given]
    if of_draws and not out.draws:
        raise ValueError(f"{of_draws[0]} is of intervals from draws; give draws")
    return out


def _changes(changes: Any) -> list[tuple[str, str]]:
    """Places and expressions, from a dictionary or from texts "place = expression"."""
    if isinstance(changes, Mapping):
        return list(changes.items())
    texts = [changes] if isinstance(changes, str) else list(changes or ())
    return [(place.strip(), expression.strip()) for place, _, expression in (one.partition("=") for one in texts)]

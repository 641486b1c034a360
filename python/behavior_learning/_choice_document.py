"""The choice schema that the parameters of BLChoice say, as a dictionary."""

from __future__ import annotations

from typing import Any, Mapping

from ._parameters import CHOICE_DATA, CHOICE_UTILITY


def document_of_parameters(choice: Any) -> dict[str, Any]:
    data = {"layout": choice.layout, **{name: getattr(choice, name) for name in CHOICE_DATA}}
    utility = {name: getattr(choice, name) for name in CHOICE_UTILITY}
    utility["nominal"] = choice.nominal_context
    document: dict[str, Any] = {"data": data}
    if choice.derived is not None:
        document["derived"] = dict(choice.derived)
    if choice.attributes is not None:
        document["attributes"] = _expressions(choice.attributes)
    if choice.terms is not None:
        document["terms"] = dict(choice.terms)
    if choice.alternatives is not None:
        document["alternatives"] = _alternatives(choice.alternatives)
    document["utility"] = utility
    document.update(_beyond(choice))
    return document


def _beyond(choice: Any) -> dict[str, Any]:
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
        tables["latent"] = latent_table(choice.latent, choice.membership)
    if choice.scale is not None:
        tables["scale"] = dict(choice.scale) if isinstance(choice.scale, Mapping) else {"by": choice.scale}
    return tables


def latent_table(latent: Any, membership: Any) -> dict[str, Any]:
    """The table [latent] of these two parameters."""
    latent = latent or {}
    table = dict(latent) if isinstance(latent, Mapping) else {"classes": latent}
    return table if membership is None else {**table, "membership": list(membership)}


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

"""A choice schema, given as a dictionary, as the library's declaration; and back from a model file."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping

import numpy as np

from . import _core
from ._parameters import CHOICE_DATA, CHOICE_UTILITY

_DATA = ("layout", *CHOICE_DATA)
_UTILITY = (*CHOICE_UTILITY, "nominal")
_ALTERNATIVE = ("name", "code", "columns", "available", "attributes")
_TABLES = (
    "data",
    "derived",
    "attributes",
    "terms",
    "alternatives",
    "utility",
    "random",
    "draws",
    "nests",
    "latent",
    "scale",
    "settings",
)


def declaration_of(document: Mapping[str, Any], mark: Callable[[str, str], str]) -> _core.ChoiceDeclaration:
    """mark: what messages call a table (with the key "") or a key of it."""
    tables = _given(document, _TABLES, "", lambda key: mark(key, ""))
    data = _given(tables.get("data", {}), _DATA, " in [data]", lambda key: mark("data", key))
    utility = _given(tables.get("utility", {}), _UTILITY, " in [utility]", lambda key: mark("utility", key))
    if data.get("layout") == "long" and "attributes" not in tables:
        raise _core.UsageError(f"{mark('attributes', '')}: a long layout needs attributes")
    out = _core.ChoiceDeclaration()
    out.places = {
        **{table: mark(table, "") for table in _TABLES},
        **{f"data/{key}": mark("data", key) for key in data},
        **{f"utility/{key}": mark("utility", key) for key in utility},
        **{f"settings/{key}": mark("settings", key) for key in tables.get("settings", {})},
    }
    for key, value in data.items():
        setattr(out, key, _text(value, mark("data", key)))
    for table in ("derived", "attributes", "terms"):
        setattr(out, table, _pairs(tables.get(table, {}), mark(table, "")))
    settings = {
        name: str(value).lower() if _is_flag(value) else value for name, value in tables.get("settings", {}).items()
    }
    out.settings = _pairs(settings, mark("settings", ""))
    out.alternatives = [_alternative(one, mark("alternatives", "")) for one in tables.get("alternatives", [])]
    for key in ("form", "reference"):
        if key in utility:
            setattr(out, key, _text(utility[key], mark("utility", key)))
    for key in ("generic", "context", "nominal", "rivals"):
        if key in utility:
            setattr(out, key, [_text(one, mark("utility", key)) for one in utility[key]])
    if "constants" in utility:
        if not _is_flag(utility["constants"]):
            raise _core.UsageError(f"{mark('utility', 'constants')}: expected True or False")
        out.constants = bool(utility["constants"])
    out.signs = _pairs(utility.get("signs", {}), mark("utility", "signs"))
    out.specific = [
        _core.ChoiceSpecific(name, [str(one) for one in among]) for name, among in utility.get("specific", {}).items()
    ]
    _fill_beyond(out, tables, mark)
    return out


def _fill_beyond(
    out: _core.ChoiceDeclaration, tables: Mapping[str, Any], mark: Callable[[str, str], str]
) -> None:
    """Random coefficients, nests, latent classes and scales."""
    scale = dict(tables.get("scale", {}))
    out.scale_levels = [_text(one, mark("scale", "")) for one in scale.pop("levels", None) or []]
    out.scale = _pairs(scale, mark("scale", ""))
    random, latent = dict(tables.get("random", {})), dict(tables.get("latent", {}))
    out.correlated = [str(one) for one in random.pop("correlated", None) or []]
    out.membership = [str(one) for one in latent.pop("membership", None) or []]
    out.random = _pairs(random, mark("random", ""))
    out.latent = _pairs(latent, mark("latent", ""))
    draws = {
        key: ",".join(str(one) for one in value) if isinstance(value, (list, tuple)) else value
        for key, value in tables.get("draws", {}).items()
    }
    out.draws = _pairs(draws, mark("draws", ""))
    out.nests = [
        _core.ChoiceNest(str(name), [str(one) for one in among]) for name, among in tables.get("nests", {}).items()
    ]


def document_of(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The dictionary of a declaration as a model file keeps it."""
    utility = {key: stored[key] for key in _UTILITY if stored.get(key) not in (None, "", [])}
    if "signs" in utility:
        utility["signs"] = dict(utility["signs"])
    if "specific" in utility:
        utility["specific"] = {one["attribute"]: one["alternatives"] for one in utility["specific"]}
    alternatives = []
    for one in stored["alternatives"]:
        kept = {key: value for key, value in one.items() if value}
        alternatives.append({**kept, **({"attributes": dict(kept["attributes"])} if "attributes" in kept else {})})
    document = {
        "data": {key: stored[key] for key in _DATA if stored.get(key)},
        "derived": dict(stored["derived"]),
        "attributes": dict(stored["attributes"]),
        "terms": dict(stored.get("terms", [])),
        "alternatives": alternatives,
        "utility": utility,
        "random": _with(dict(stored.get("random", [])), "correlated", stored.get("correlated")),
        "draws": dict(stored.get("draws", [])),
        "nests": {one["name"]: one["alternatives"] for one in stored.get("nests", [])},
        "latent": _with(dict(stored.get("latent", [])), "membership", stored.get("membership")),
        "scale": _with(dict(stored.get("scale", [])), "levels", stored.get("scale_levels")),
        "settings": dict(stored["settings"]),
    }
    return {key: value for key, value in document.items() if value or key == "attributes"}


def _with(table: dict[str, Any], key: str, values: Any) -> dict[str, Any]:
    return {**table, key: values} if values else table


def _given(
    table: Mapping[str, Any], valid: Iterable[str], where: str, place: Callable[[str], str]
) -> dict[str, Any]:
    """What is not None; UsageError for an unknown key."""
    given = {str(key): value for key, value in table.items() if value is not None}
    for key in given:
        if key not in valid:
            hint = _core.did_you_mean(key, list(valid))
            raise _core.UsageError(f"{place(key)}: unknown key {key!r}{where}{hint}")
    return given


def _pairs(table: Mapping[str, Any], place: str) -> list[tuple[str, str]]:
    return [(str(name), _text(value, place)) for name, value in table.items() if value is not None]


def _alternative(one: Mapping[str, Any], place: str) -> _core.ChoiceAlternative:
    given = _given(one, _ALTERNATIVE, " in [[alternatives]]", lambda key: place)
    out = _core.ChoiceAlternative()
    out.attributes = _pairs(given.pop("attributes", {}), place)
    for key, value in given.items():
        setattr(out, key, _text(value, place))
    return out


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _text(value: Any, place: str) -> str:
    """As the library spells it: whole numbers without a point."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _core.UsageError(f"{place}: expected a text or a number")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else repr(value)

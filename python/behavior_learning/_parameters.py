"""Estimator parameters, made from the library's own list of settings.

Nothing is retyped here: names come from the library, every default is None, and None means the library's own
default.
"""

from __future__ import annotations

import json
from typing import Any, Iterable

from . import _core

# Settings that a data frame answers itself: roles of columns, and how a file is read.
_NOT_PARAMETERS = frozenset(
    ["target", "ignore", "weight", "group", "id", "schema", "delimiter", "decimal_comma", "na", "labels"]
)
_KINDS = {one["name"]: one["kind"] for one in _core.setting_list()}
_DEFAULTS = {one["name"]: one["default"] for one in _core.setting_list()}


_RENAMED = _core.renamed_settings()


def parameter_name(setting: str) -> str:
    return _RENAMED.get(setting, setting)


SETTING_OF = {parameter_name(name): name for name in _KINDS if name not in _NOT_PARAMETERS}


def setting_text(name: str, value: Any) -> str:
    """A Python value in the spelling that the library reads."""
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return (":" if name == "fractions" else ",").join(setting_text(name, one) for one in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and _KINDS.get(name) == "integer" and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else repr(value)


def given_settings(params: dict[str, Any]) -> dict[str, str]:
    """The settings among an estimator's parameters that differ from None."""
    return {
        SETTING_OF[name]: setting_text(SETTING_OF[name], value)
        for name, value in params.items()
        if name in SETTING_OF and value is not None
    }


def stored_parameters(model: _core.Model) -> dict[str, str]:
    """The parameters that a model's stored settings say, where they were given."""
    information = json.loads(model.information_json())["information"]
    settings, given = information.get("settings", {}), information.get("given", [])
    targets = settings.get("target", "").split(",")
    out = {}
    for parameter, name in SETTING_OF.items():
        stored = value = settings.get(name, _DEFAULTS[name])
        if name in ("nominal", "continuous"):  # the type of the response follows from the estimator
            value = ",".join(one for one in value.split(",") if one not in targets)
        # An estimator without these takes all rows for training and unseen levels as missing, so they are always said.
        if value != _DEFAULTS[name] or (name in given and value == stored) or name in ("fractions", "unseen"):
            out[parameter] = value
    return out


def used_settings(information: dict[str, Any]) -> dict[str, Any]:
    """By parameter what a fit used: as it was given or by default, and as it was decided where that left the choice."""
    texts = {**information.get("settings", {}), **information.get("used", {})}
    return {parameter_name(name): _value(name, text) for name, text in texts.items()}


def _value(name: str, text: str) -> Any:
    kind = _KINDS.get(name)
    if kind == "flag":
        return text == "true"
    if kind in ("number", "integer"):
        return int(text) if kind == "integer" else float(text)
    return text


def make_init(positional: Iterable[str] = (), extra: Iterable[tuple[str, Any]] = ()) -> Any:
    """An `__init__` that stores its arguments untouched: `positional` (default None), then by keyword the
    `extra` ones with their defaults and one per setting that is not among those."""
    extra = list(extra)
    arguments = [f"{name}=None" for name in positional] + ["*"]
    arguments += [f"{name}={default!r}" for name, default in extra]
    own = [*positional, *(name for name, _ in extra)]
    settings = [name for name in SETTING_OF if name not in own]
    arguments += [f"{name}=None" for name in settings]
    names = [*own, *settings]
    source = f"def __init__(self, {', '.join(arguments)}):\n"
    source += "".join(f"    self.{name} = {name}\n" for name in names)
    scope: dict[str, Any] = {}
    exec(source, scope)  # the same way as dataclasses: scikit-learn reads parameters off the signature
    return scope["__init__"]


CHOICE_DATA = (
    "choice",
    "situation",
    "alternative",
    "chosen",
    "available",
    "outside",
    "rank",
    "ranking",
    "filter",
    "person",
    "weight",
)
CHOICE_UTILITY = ("form", "constants", "reference", "generic", "specific", "signs", "context", "rivals")
CHOICE_BEYOND = ("random", "correlated", "random_draws", "nests", "latent", "membership", "scale")


class TableParameters:
    """Constructor of estimators of tables."""

    __init__ = make_init(extra=[("warm_start", False), ("random_state", None)])


class ClassifierParameters:
    """Constructor of the classifier, which may have latent classes."""

    __init__ = make_init(
        extra=[("latent", None), ("membership", None), ("warm_start", False), ("random_state", None)]
    )


class ChoiceParameters:
    """Constructor of the estimator of choices."""

    __init__ = make_init(
        positional=["schema"],
        extra=[
            (name, None)
            for name in [
                "layout",
                *CHOICE_DATA,
                "derived",
                "attributes",
                "terms",
                "alternatives",
                *CHOICE_UTILITY,
                "nominal_context",
                *CHOICE_BEYOND,
                "random_state",
            ]
        ],
    )


def parameter_help() -> str:
    """The settings as the parameters section of a docstring."""
    lines = []
    for one in _core.setting_list():
        name = parameter_name(one["name"])
        if name in SETTING_OF:
            usual = "missing" if name == "unseen" else one["default"]  # settings_of() says why
            default = f" (default: {usual})" if usual else ""
            lines.append(f"    {name} : {one['help']}{default}")
    return "\n".join(lines)


def table_parameters_section(own: str = "") -> str:
    """What the docstrings of all estimators of tables end with; own: lines of parameters of this one alone."""
    return f"""Parameters
----------
None means the default.

{own}    warm_start : Go on from the model of the fit before
    random_state : Another name of seed
{parameter_help()}
"""

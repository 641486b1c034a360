"""Writes _parameters.pyi: the estimators' constructors, typed, from the library's list of settings.

Part of the build: parameter_stubs.py FOLDER_OF_THE_MODULE OUTPUT
"""

import inspect
import sys
import types
from pathlib import Path

# The package without its __init__, so that nothing but the module itself is needed.
package = types.ModuleType("behavior_learning")
package.__path__ = [sys.argv[1], str(Path(__file__).resolve().parent / "behavior_learning")]
sys.modules["behavior_learning"] = package
from behavior_learning import _core, _parameters  # noqa: E402

HEAD = '''"""Made by parameter_stubs.py from the library's settings."""

from typing import Any, Iterable, Literal, Mapping, Sequence

SETTING_OF: dict[str, str]
CHOICE_DATA: tuple[str, ...]
CHOICE_UTILITY: tuple[str, ...]

def parameter_name(setting: str) -> str: ...
def setting_text(name: str, value: Any) -> str: ...
def given_settings(params: dict[str, Any]) -> dict[str, str]: ...
def stored_parameters(model: Any) -> dict[str, str]: ...
def used_settings(information: dict[str, Any]) -> dict[str, Any]: ...
def make_init(positional: Iterable[str] = ..., extra: Iterable[tuple[str, Any]] = ...) -> Any: ...
def parameter_help() -> str: ...
'''
OWN = {"warm_start": "bool", "class_weight": 'Literal["none", "balanced"] | Mapping[Any, float] | None'}


def type_of(setting):
    return {
        "text": "str | float | Sequence[str | float] | None",
        "choice": f"Literal[{', '.join(map(repr, setting['choices']))}] | None".replace("'", '"'),
        "number": "float | None",
        "integer": "int | None",
        "flag": "bool | None",
    }[setting["kind"]]


def stub():
    settings = {one["name"]: one for one in _core.setting_list()}
    text = HEAD
    for owner in (_parameters.TableParameters, _parameters.ClassifierParameters, _parameters.ChoiceParameters):
        text += f"\nclass {owner.__name__}:\n    def __init__(\n        self,\n"
        signature = list(inspect.signature(owner.__init__).parameters.values())[1:]
        starred = False
        for one in signature:
            if one.kind is one.KEYWORD_ONLY and not starred:
                text += "        *,\n"
                starred = True
            own = one.name not in _parameters.SETTING_OF or (
                owner is _parameters.ChoiceParameters and one.name in ("form", "terms")
            )
            kind = OWN.get(one.name) or ("Any" if own else type_of(settings[_parameters.SETTING_OF[one.name]]))
            text += f"        {one.name}: {kind} = ...,\n"
        text += "    ) -> None: ...\n"
    return text


Path(sys.argv[2]).write_text(stub())

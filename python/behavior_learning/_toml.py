"""Just enough TOML to write a choice schema; the library reads it."""

from __future__ import annotations

from typing import Any, Callable


def dumps(document: dict[str, Any], mark: Callable[[str, str], str] | None = None) -> str:
    """Tables of values, and lists of tables; None is left out.

    mark: what the library should call a table (with the key "") or a key of it in messages, for it cannot name a line
    of a text that nobody wrote.
    """
    lines: list[str] = []

    def add(text: str, name: str, key: str) -> None:
        lines.append(text if mark is None else f"{text}  #: {mark(name, key)}")

    for name, part in document.items():
        for table in part if isinstance(part, list) else [part]:
            add(f"[[{name}]]" if isinstance(part, list) else f"[{name}]", name, "")
            for key, value in table.items():
                if value is not None:
                    add(f"{_key(key)} = {_value(value)}", name, str(key))
            lines.append("")
    return "\n".join(lines)


def _key(key: str) -> str:
    return _value(str(key))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 32 else c for c in text) + '"'

"""Just enough TOML to write a choice schema for the command line."""

from __future__ import annotations

from typing import Any


def dumps(document: dict[str, Any]) -> str:
    """Tables of values, and lists of tables; None is left out."""
    lines: list[str] = []
    for name, part in document.items():
        for table in part if isinstance(part, list) else [part]:
            lines.append(f"[[{name}]]" if isinstance(part, list) else f"[{name}]")
            for key, value in table.items():
                if value is not None:
                    lines.append(f"{_key(key)} = {_value(value)}")
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

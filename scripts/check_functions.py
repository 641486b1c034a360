#!/usr/bin/env python3
"""Lists functions of src, cli, include and python/bindings longer than 60 lines, files longer than 400, and lines, which
the formatter cuts where they are no comments, longer than 110 columns.

A function's lines run from the first of its signature to its closing brace. Exits 1 where there are any.
"""

import re
import sys
from pathlib import Path

MOST_LINES = 60
MOST_LINES_OF_A_FILE = 400
MOST_COLUMNS = 110
ROOT = Path(__file__).resolve().parent.parent
# What stands around functions; a brace after anything else at this level that has a parameter list opens a body.
SCOPE = re.compile(r"^\s*(template\s*<.*>\s*)?(inline\s+)?(namespace|class|struct|enum|union|extern)\b", re.DOTALL)
LABEL = re.compile(r"^(\s*(public|private|protected)\s*:)+(?!:)")
NAME = re.compile(r"([\w:~<>]+|operator\s*\S+)\s*\(")


def without_text(source: str) -> str:
    """The source with comments, strings and preprocessor lines blanked; line breaks stay."""
    pattern = re.compile(
        r'R"(?P<mark>[^(]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/'
        r"|^[ \t]*#(?:\\\n|[^\n])*",
        re.DOTALL | re.MULTILINE,
    )
    # A digit separator is no quotation mark.
    source = re.sub(r"(?<=\d)'(?=\d)", "", source)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source)


def functions(source: str):
    """(name, first line, lines) of every function body that stands in namespaces and classes alone."""
    text = without_text(source)
    begin = 0  # of the statement at hand
    scopes = 0  # open braces of namespaces and classes
    at = 0
    while at < len(text):
        mark = text[at]
        if mark in ";}":
            scopes -= mark == "}"
            begin = at + 1
        elif mark == "{":
            head = LABEL.sub("", text[begin:at])
            if SCOPE.match(head) and not re.search(r"\)\s*(const|noexcept|override|->.*)?\s*$", head, re.DOTALL):
                scopes += 1
                begin = at + 1
            else:
                end = closing(text, at)
                if "(" in head and not re.search(r"\)\s*:.*[\w>]\s*$|,\s*\w+\s*$", head, re.DOTALL):
                    first = at - len(head.lstrip())
                    name = NAME.search(re.sub(r"^\s*template\s*<[^{]*?>\s*(?=\w)", "", head))
                    line = text.count("\n", 0, first) + 1
                    yield (name.group(1) if name else head.strip()), line, text.count("\n", first, end) + 1
                    begin = end + 1
                elif "(" not in head:
                    begin = begin if re.search(r"=\s*$", head) else end + 1
                at = end
        at += 1


def closing(text: str, at: int) -> int:
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    return len(text) - 1


def main() -> int:
    bad = count = 0
    for folder in ("src", "cli", "include", "python/bindings"):
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".cpp", ".hpp", ".cu", ".cuh")):
            source = path.read_text()
            name = path.relative_to(ROOT)
            lines = source.count("\n")
            if lines > MOST_LINES_OF_A_FILE:
                print(f"{name}: {lines} lines; cut it into files of one idea each")
                bad += 1
            for number, line in enumerate(source.splitlines(), 1):
                if len(line) > MOST_COLUMNS:
                    print(f"{name}:{number}: {len(line)} columns")
                    bad += 1
            for function, line, length in functions(source):
                count += 1
                if length > MOST_LINES:
                    print(f"{name}:{line}: {function} has {length} lines")
                    bad += 1
    print(f"{count} functions, {bad} too long")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

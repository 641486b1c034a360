#!/usr/bin/env python3
"""Words to avoid, and the words of the field to use instead (docs/glossary.md): in the pages, the help of settings, and the
messages, comments and identifiers of the sources (src/, include/, cli/, python/, tests/, bench/, examples/).

    scripts/check_words.py [FILE ...]

Prints file, line, word and replacement, and exits 1 where there is any. Of pages, code blocks, indented outputs, inline code and
the targets of links are skipped; of sources, included files. Any file may be named.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

AVOID = {
    r"\blaws?\b": "distribution",
    r"(?<!standard\s)\bdeviations?\b": "standard deviation (or error, difference)",
    r"\b(find|finds|found|finding) out\b": "infer",
    r"\bsame bits\b": "bit-identical",
    r"\bin sum\b": "total",
    r"\blongest gradient\b": "maximum gradient norm",
    r"\bnever (dis)?pleases?\b": "never raises (lowers) utility",
    r"\bby scale\b": "fixed",
    r"\bknow(s|ing)? nothing\b": "uniform baseline",
    r"\bdecided by rule\b": "fixed by convention",
    r"\bcannot decide\b": "cannot determine",
    r"\btime that passed\b": "wall-clock time",
    r"\bthe works\b": "the workloads",
    r"\bmanners\b": "conventions, interface",
    r"\b(take|takes|taken|taking)\s(\w+\s){0,2}apart\b": "explain, decompose",
    r"\bin tens\b": "in units of ten",
    r"\bat hand\b": "available",
    r"\bput to the test\b": "tested",
    r"\bgive or take\b": "plus or minus",
}

# Names that say how, not what. "apart" and "elsewhere" are good English in a comment.
IDENTIFIERS = {
    r"\bkeeper_?\b(?=\s*[;,=.)(])": "owner",
    r"\b\w*[._>]elsewhere\b": "borrowed",
    r"\bone_number\b": "single_continuous",
    r"\bcheck_model_place\b": "check_model_path",
    r"\b(\w+_)?laws?(_\w+)?\b(?=\s*[;,=.(){])": "distribution",
}

SOURCES = ("src", "include", "cli", "python", "tests", "bench", "examples", "experiments")
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".py", ".js", ".sh", ".toml")

INLINE = re.compile(r"`[^`\n]+`|\]\([^)\n]*\)|<[^>\n]+>")


def blank(match):
    return " " * len(match.group(0))


def markdown_prose(text):
    """The text with code blocks, inline code and targets of links replaced by spaces; lines stay where they are."""
    lines, fenced, in_list, indented, before = [], False, False, False, ""
    for line in text.split("\n"):
        if re.match(r"\s*```", line):
            fenced = not fenced
            line = ""
        if re.match(r"\s*([-*]|\d+\.)\s", line):
            in_list = True
        elif line and not line.startswith(" "):
            in_list = False
        indented = line.startswith("    ") and not in_list and (indented or not before.strip())
        lines.append("" if fenced or indented else INLINE.sub(blank, line))
        before = line
    return "\n".join(lines)


def help_texts(text):
    """The texts in quotes of settings.def, the rest replaced by spaces."""
    lines = []
    for line in text.split("\n"):
        kept = [match.span() for match in re.finditer(r'"[^"]*"', line)]
        lines.append("".join(c if any(a <= i < b for a, b in kept) else " " for i, c in enumerate(line)))
    return "\n".join(lines)


def source_text(text):
    """A source without the names of included files."""
    return re.sub(r"^#include.*$", blank, text, flags=re.M)


def prose_of(path):
    """The text of a file that is checked."""
    text = path.read_text()
    if path.suffix == ".def":
        return help_texts(text)
    return source_text(text) if path.suffix in SUFFIXES else markdown_prose(text)


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]] or [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
        *sorted(ROOT.glob("docs/**/*.md")), ROOT / "include/bl/settings.def",
        *sorted(path for folder in SOURCES for path in ROOT.glob(f"{folder}/**/*") if path.suffix in SUFFIXES)]
    found = 0
    for path in paths:
        path = path.resolve()
        text = prose_of(path)
        avoid = {**AVOID, **IDENTIFIERS} if path.suffix in SUFFIXES else AVOID
        for pattern, instead in avoid.items():
            for match in re.finditer(pattern, text, re.I):
                found += 1
                word = " ".join(match.group(0).split())
                print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{text.count(chr(10), 0, match.start()) + 1}: '{word}': write {instead}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Links and paths in the pages lead to files that exist.

Checked are relative links of Markdown files, and inline code that names a file or folder of the repository from its root
(`src/model/basis.hpp`). Prints what is missing and exits 1 where anything is. `mkdocs build --strict` checks anchors too.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s#]+)")
PATH = re.compile(r"`((?:bench|cli|cmake|docs|examples|experiments|include|python|scripts|src|tests)/[\w./-]*\w)`")


def main():
    missing = 0
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            named = [(link, page.parent / link) for link in LINK.findall(line)]
            named += [(path, ROOT / path) for path in PATH.findall(line)]
            for name, path in named:
                if not path.exists() and not list(path.parent.glob(path.name + ".*")):
                    missing += 1
                    print(f"{page.relative_to(ROOT)}:{number}: there is no '{name}'")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()

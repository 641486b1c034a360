#!/usr/bin/env python3
"""Run the examples of README and the guide: every `bl` command in a block of code, on small stand-ins for the data that the
pages use (scripts/stand_in_data.py). Each must succeed; the figures it prints are not looked at.

    scripts/check_examples.py --bl build/release/bl [PAGE ...]

```sh blocks that begin with `# run` are run as they are. Left out are lines with placeholders (MODEL, DATA, [option],
...), `bl reproduce`, which takes long and has tests of its own, and commands for a GPU.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import stand_in_data

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", *(f"docs/{name}.md" for name in (
    "explain", "report", "choice", "choice_models", "numbers", "curves", "images_and_text", "inference"))]
PLACEHOLDER = re.compile(r"\b(MODEL|DATA|SCHEMA|DATA_FOLDER)\b|\[--|\.\.\.|--device cuda|^bl reproduce")
# Needs the bent utility of the real data: that of the stand-in is straight, so its block has no standard errors.
REAL_DATA = ["bl summary block.bl --covariance cluster"]
LONG = ["--choice", "long", "--situation", "trip", "--alternative", "mode", "--chosen", "picked", "--attributes", "time,cost",
        "--group", "person"]
# Files that a page speaks of without making them.
PREPARED = {
    "docs/report.md": ["bl fit data.csv --target y --epochs 5 --quiet -o model.bl"],
    "docs/inference.md": ["bl fit data.csv --target y --ignore person,quality --single --utility identity --heads 1,0,0 "
                          "--starts 1 --fractions 1:0:0 --quiet -o small.bl",
                          "bl fit data.csv --target y --ignore person --single --utility identity --heads 1,0,0 "
                          "--starts 1 --fractions 1:0:0 --quiet -o large.bl"],
    "docs/choice_models.md": ["bl fit trips.csv " + " ".join(LONG) + " --quiet -o logit.bl",
                              "bl fit trips.csv " + " ".join(LONG) + " --random time=normal --random-draws 50 --quiet -o mixed.bl",
                              "bl fit swissmetro.dat --choice examples/swissmetro_nested.toml --quiet -o nested.bl"],
    "docs/choice.md": ["sed 's/^form = .*/form = \"network\"/; /^reference/d; /^generic/d' examples/swissmetro_mnl.toml > block.toml"],
}


def code_of(text):
    """What is in blocks of code, in order: a whole block that begins with `# run`, else line by line."""
    lines = iter(text.split("\n"))
    for line in lines:
        fence = re.match(r"\s*```(\w*)", line)
        if fence:
            body = []
            for inner in lines:
                if inner.lstrip().startswith("```"):
                    break
                body.append(inner.strip())
            if body and body[0] == "# run":
                yield "\n".join(body)
            elif fence.group(1) in ("sh", "console", ""):
                yield from body
        elif line.startswith("    "):
            yield line.strip()


def commands(text):
    """Commands with their continued lines joined; everything else in the blocks is output."""
    begun = ""
    for line in code_of(text):
        command = f"{begun} {line}" if begun else line.removeprefix("$ ")
        begun = ""
        if not re.match(r"# run|bl [a-z]+|printf .*> *\w+\.csv", command):
            continue
        if command.endswith("\\"):
            begun = command[:-1].strip()
        elif not PLACEHOLDER.search(command) and command not in REAL_DATA:
            # As printed it compares with 100 rows, which a sanitizer makes half an hour of.
            yield command.replace(" --shapley", " --shapley --background 10")


def failures(page, bl):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stand_in_data.make(folder)
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("cpp"))
        environment = {"PATH": f"{pathlib.Path(bl).resolve().parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                       "REPOSITORY": str(ROOT)}
        for command in [*PREPARED.get(page, []), *commands((ROOT / page).read_text())]:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=1200,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                yield f"{page}: {command}\n{done.stdout}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", default=PAGES)
    parser.add_argument("--bl", default="build/release/bl")
    arguments = parser.parse_args()
    failed = [failure for page in arguments.pages for failure in failures(page, arguments.bl)]
    sys.exit("\n".join(failed) if failed else 0)


if __name__ == "__main__":
    main()

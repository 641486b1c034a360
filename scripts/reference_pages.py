#!/usr/bin/env python3
"""Write the reference pages that are made from the programs themselves.

    scripts/reference_pages.py [--bl build/release/bl] [--python] [--check]

docs/settings.md             from `bl settings --markdown`
docs/reference_commands.md   from the --help of every command
docs/reference_cpp.md        from the public headers
docs/reference_python.md     with --python: from the docstrings of the package that this Python has installed

--check changes nothing and fails where a page differs from what would be written.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = "Made by `scripts/reference_pages.py`; do not edit.\n"


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={"LC_ALL": "C.UTF-8"}).stdout


# --- the command line


def command_names(help_text):
    listed = help_text.split("Subcommands:\n", 1)
    return re.findall(r"^  ([a-z]+) ", listed[1].split("\n\n")[0], re.M) if len(listed) == 2 else []


def command_sections(bl, words):
    text = output_of(bl, *words, "--help")
    title = " ".join(["bl", *words])
    out = f"\n{'#' * min(4, len(words) + 2)} {title}\n\n```text\n{text.strip()}\n```\n"
    return out + "".join(command_sections(bl, [*words, name]) for name in command_names(text))


def commands_page(bl):
    head = f"# Commands\n\n{MADE}[The command line](command_line.md) shows them at work, with their outputs.\n"
    return head + command_sections(bl, [])


# --- C++


def cpp_page():
    out = (f"# C++ headers\n\n{MADE}[The C++ page](cpp.md) shows how to link the library. All names are in the namespace `bl`;"
           " errors are those of `bl/errors.hpp`.\n")
    for path in sorted(ROOT.glob("include/bl/*.hpp")):
        lines = path.read_text().splitlines()
        summary = []
        while lines and lines[0].startswith("//"):
            summary.append(lines.pop(0).lstrip("/ "))
        kept = [line for line in lines if not re.match(r"#(pragma|include|define|undef)|namespace bl \{|\}  // namespace bl", line)]
        code = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
        out += f"\n## `bl/{path.name}`\n\n{' '.join(summary)}\n\n```cpp\n{code}\n```\n"
    return out


# --- Python


ITEM = re.compile(r" {0,4}[A-Za-z_*][A-Za-z_*, ]* : ")


def markdown_of(docstring):
    """A NumPy docstring as Markdown: sections in bold, parameters as lists, examples as code."""
    out, lines, at = [], docstring.splitlines(), 0
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()):
            out += ["", f"**{line.strip()}**", ""]
            at += 2
        elif line.startswith(">>>"):
            out += ["", "```pycon"]
            while at < len(lines) and lines[at].strip():
                out.append(lines[at])
                at += 1
            out += ["```", ""]
        elif ITEM.match(line) or (line and not line.startswith(" ") and at + 1 < len(lines) and lines[at + 1].startswith("    ")
                                  and not ITEM.match(lines[at + 1])):
            name, _, kind = line.strip().partition(" : ")
            at += 1
            told = []
            while at < len(lines) and lines[at].startswith("    ") and not ITEM.match(lines[at]):
                told.append(lines[at].strip())
                at += 1
            kind = ". ".join(filter(None, [kind, " ".join(told)]))
            out.append(f"- `{name}`: {kind}" if kind else f"- `{name}`")
        else:
            out.append(line)
            at += 1
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip()


def python_page():
    import inspect

    import behavior_learning
    from behavior_learning import _parameters, datasets, plots

    def plain(text):  # no addresses, and annotations as they were written
        return re.sub(r"'([^']*)'", r"\1", text) if "->" in text else text

    def section(level, name, thing, signature=True):
        shown = ""
        if signature:
            try:
                shown = f"\n```python\n{name.split('.')[-1]}{plain(str(inspect.signature(thing)))}\n```\n"
            except (TypeError, ValueError):
                shown = ""
        text = (inspect.getdoc(thing) or "").replace(_parameters.parameter_help(), "    settings : all of settings.md, by name")
        return f"\n{'#' * level} {name}\n{shown}\n{markdown_of(text).replace('settings.md', '[settings](settings.md)')}\n"

    out = f"# Python\n\n{MADE}[The guide](python.md) begins with what the estimators are for.\n"
    for name in behavior_learning.__all__:
        thing = getattr(behavior_learning, name)
        estimator = inspect.isclass(thing) and hasattr(thing, "get_params")
        out += section(2, name, thing, signature=not inspect.isclass(thing))
        if not inspect.isclass(thing) or issubclass(thing, BaseException):
            continue
        for method in sorted(vars_of(thing)):
            attribute = inspect.getattr_static(thing, method)
            if isinstance(attribute, property):
                out += section(3, f"{name}.{method}", attribute, signature=False)
            elif estimator or inspect.isfunction(attribute):
                out += section(3, f"{name}.{method}", getattr(thing, method))
    for module, names in ((datasets, datasets.__all__), (plots, [n for n, f in vars(plots).items()
                                                                 if inspect.isfunction(f) and f.__module__ == plots.__name__
                                                                 and not n.startswith("_")])):
        short = module.__name__.split(".")[-1]
        out += f"\n## {short}\n\n{(inspect.getdoc(module) or '').splitlines()[0]}\n"
        for name in names:
            out += section(3, f"{short}.{name}", getattr(module, name))
    return out


def vars_of(thing):
    """Public methods and properties of ours, inherited ones too."""
    import inspect

    return {name for owner in thing.__mro__ if owner.__module__.startswith("behavior_learning")
            for name, value in vars(owner).items()
            if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, (property, classmethod)))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bl", default=str(ROOT / "build/release/bl"))
    parser.add_argument("--python", action="store_true", help="only the page of the Python package")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.python:
        pages = {"reference_python.md": python_page()}
    else:
        pages = {"settings.md": output_of(arguments.bl, "settings", "--markdown"),
                 "reference_commands.md": commands_page(arguments.bl), "reference_cpp.md": cpp_page()}
    stale = []
    for name, text in pages.items():
        path = ROOT / "docs" / name
        if not path.exists() or path.read_text() != text:
            stale.append(f"docs/{name}")
            if not arguments.check:
                path.write_text(text)
    if arguments.check and stale:
        sys.exit(f"{', '.join(stale)} differ from the programs; run scripts/reference_pages.py (and --python)")


if __name__ == "__main__":
    main()

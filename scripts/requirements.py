"""Prints what pyproject.toml asks for: to build, to run and to test the Python package."""

import re
from pathlib import Path

# The lists alone are read, so that any Python will do (tomllib came with 3.11).
text = (Path(__file__).resolve().parent.parent / "pyproject.toml").read_text()
for name in ("requires", "dependencies", "test"):
    (listed,) = re.findall(rf"^{name} = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    print("\n".join(re.findall(r'"([^"]+)"', listed)))

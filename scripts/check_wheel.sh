#!/usr/bin/env bash
# Installs a wheel into an empty virtual environment in which no compiler is found, and runs the Python tests against it.
# usage: [PYTHON=python3.12] check_wheel.sh WHEEL [pytest arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
# What the tests need is installed from wheels too: nothing can be compiled below.
mkdir "$work/bin"
for tool in bash sh env uname mkdir cp rm cat head; do [[ -x $(command -v $tool) ]] && ln -s "$(command -v $tool)" "$work/bin/"; done
export PATH="$work/venv/bin:$work/bin"
for compiler in cc gcc g++ c++ clang clang++ cmake ninja; do
  if command -v "$compiler" >/dev/null; then echo "check_wheel: $compiler is still found" >&2; exit 1; fi
done
pip install -q --disable-pip-version-check --only-binary :all: --no-compile "$wheel[test]"
export BL_COMMAND=${BL_COMMAND:-$PWD/build/release/bl}
mkdir -p "$work/copy/python" && cp -r python/tests "$work/copy/python/tests" && cp -r README.md docs examples "$work/copy"
cd "$work/copy"  # where the sources of the package are not
python -c 'import behavior_learning; print("behavior_learning", behavior_learning.__version__, behavior_learning.__file__)'
python -m pytest -q -p no:cacheprovider python/tests "$@"

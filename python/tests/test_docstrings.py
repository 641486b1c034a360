"""Docstrings: their examples run, they say what goes in and comes out, and the reference page has them."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import behavior_learning
from conftest import ROOT

MODULES = [one.name for one in pkgutil.iter_modules(behavior_learning.__path__) if not one.name.startswith("_core")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(f"behavior_learning.{name}")
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


@pytest.mark.parametrize("estimator", ["BLClassifier", "BLRegressor", "BLDensity", "BLChoice"])
def test_methods_say_what_goes_in_and_comes_out(estimator):
    thing = getattr(behavior_learning, estimator)
    seen = 0
    for name, method in inspect.getmembers(thing, lambda one: inspect.isfunction(one) or inspect.ismethod(one)):
        if name.startswith("_") or not method.__module__.startswith("behavior_learning"):
            continue
        text = inspect.getdoc(method)
        takes = [one for one in inspect.signature(method).parameters if one != "self"]
        assert text and ("Parameters\n-----" in text) == bool(takes), f"{estimator}.{name}"
        assert "Returns\n-----" in text or name == "save", f"{estimator}.{name}"
        seen += 1
    assert seen > 8


def test_the_reference_page_is_that_of_the_package():
    script = ROOT / "scripts" / "reference_pages.py"
    if not script.exists():
        pytest.skip("the sources are not here")
    done = subprocess.run([sys.executable, script, "--python", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

"""Behavior Learning: learn from data the optimization problem that people behave as if they solved."""

from ._choice import BLChoice
from ._classifier import BLClassifier
from ._core import DataError, Error, ModelFileError, NumericError, UsageError, library_version, setting_list
from ._density import BLDensity
from ._effects import ShapleyValues
from ._estimator import InterruptedWarning, UnusedSettingWarning
from ._explanation import Explanation
from ._regressor import BLRegressor
from ._summary import Summary
from ._tune import tune

__version__ = library_version()

__all__ = [
    "BLChoice",
    "BLClassifier",
    "BLDensity",
    "BLRegressor",
    "DataError",
    "Error",
    "Explanation",
    "InterruptedWarning",
    "ModelFileError",
    "NumericError",
    "ShapleyValues",
    "Summary",
    "UnusedSettingWarning",
    "UsageError",
    "setting_list",
    "tune",
]

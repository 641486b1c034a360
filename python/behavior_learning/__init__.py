"""Behavior Learning: learn from data the optimization problem that people behave as if they solved."""

from ._choice import BLChoice
from ._choice_economics import EconomicsWarning
from ._classifier import BLClassifier
from ._core import DataError, Error, ModelFileError, NumericError, UsageError, devices, library_version, setting_list
from ._density import BLDensity
from ._effects import ShapleyValues
from ._estimator import InterruptedWarning, MixingWarning, UnusedSettingWarning
from ._explanation import Explanation
from ._notes import PredictionWarning
from ._regressor import BLRegressor
from ._resampling import Resamples, bootstrap, check
from ._summary import Comparison, Summary, compare
from ._tune import tune

__version__ = library_version()

__all__ = [
    "BLChoice",
    "BLClassifier",
    "BLDensity",
    "BLRegressor",
    "Comparison",
    "DataError",
    "EconomicsWarning",
    "Error",
    "Explanation",
    "InterruptedWarning",
    "MixingWarning",
    "ModelFileError",
    "NumericError",
    "PredictionWarning",
    "Resamples",
    "ShapleyValues",
    "Summary",
    "UnusedSettingWarning",
    "UsageError",
    "bootstrap",
    "check",
    "compare",
    "devices",
    "setting_list",
    "tune",
]

"""What the library has to say about numbers that it returns, as warnings."""

from __future__ import annotations

import os
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class PredictionWarning(UserWarning):
    """Numbers that are returned are not what they seem: quadrature missed its tolerance, a tail dominates a mean or a
    standard deviation, probabilities are overconfident."""


def tell(note: str) -> None:
    """Warns from the line that called the package."""
    level = 1
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(note, PredictionWarning, stacklevel=level)

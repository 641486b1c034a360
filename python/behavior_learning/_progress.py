"""Progress of a fit, as a function that the library calls after every epoch."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable


def reporter(progress: Any) -> Callable[[dict[str, Any]], Any] | None:
    """None or False: nothing; True: a line on the terminal; otherwise the function itself."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _Line()
    if not callable(progress):
        raise TypeError(f"progress should be True or a function, not {progress!r}")
    return progress


class _Line:
    """One line, written over at most five times a second."""

    def __init__(self) -> None:
        self.last = 0.0

    def __call__(self, at: dict[str, Any]) -> None:
        now = time.monotonic()
        if now - self.last < 0.2:
            return
        self.last = now
        if at["starts"] > 0:  # a fit to the minimum
            text = f"start {at['starts_done']}/{at['starts']}  lowest loss {at['best']:.6g}"
        else:
            text = (
                f"network {at['member']}/{at['members']}  epoch {at['epoch']}  loss {at['train_loss']:.5g}"
                f"  validation {at['validation_loss']:.5g}  best {at['best']:.5g}"
            )
        print(f"\r{text}  {at['seconds']:.0f} s  ", end="", file=sys.stderr, flush=True)

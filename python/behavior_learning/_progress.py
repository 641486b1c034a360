"""Progress of a fit, as a function that the library calls after every epoch."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any, Callable, Iterator


@contextlib.contextmanager
def reporting(progress: Any) -> Iterator[Callable[[dict[str, Any]], Any] | None]:
    """What to call after every epoch. None or False: nothing; True: a line on the terminal, ended in the end;
    otherwise the function itself."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        line = _Line()
        try:
            yield line
        finally:
            line.end()
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress should be True or a function, not {progress!r}")


class _Line:
    """One line, written over at most five times a second, and once more with the last state."""

    def __init__(self) -> None:
        self.written = -1.0
        self.at: dict[str, Any] | None = None

    def __call__(self, at: dict[str, Any]) -> None:
        self.at = at
        now = time.monotonic()
        if now - self.written >= 0.2:
            self.written = now
            self._write()

    def _write(self, end: str = "") -> None:
        at = self.at
        if at is None:
            return
        if at["starts"] > 0:  # a fit to the minimum
            text = f"start {at['starts_done']}/{at['starts']}  lowest loss {at['best']:.6g}"
        else:
            text = (
                f"network {at['member']}/{at['members']}  epoch {at['epoch']}  loss {at['train_loss']:.5g}"
                f"  validation {at['validation_loss']:.5g}  best {at['best']:.5g}"
            )
        print(f"\r{text}  {at['seconds']:.0f} s  ", end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        self._write("\n")

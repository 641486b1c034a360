"""Progress of a fit, as a function that the library calls after every epoch and with lines of text between them."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from typing import Any, Callable, Iterator


@contextlib.contextmanager
def reporting(progress: Any) -> Iterator[Callable[[dict[str, Any]], Any] | None]:
    """What to call with progress. None or False: nothing; True: a line on the terminal, ended in the end;
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
        self.width = 0
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
        parts = [at["text"]] if at["text"] else []  # of work without epochs
        if not math.isnan(at["seconds_left"]):
            parts.append(f"{'at most' if at['left_at_most'] else 'about'} {_duration(at['seconds_left'])} left")
        if not at["text"]:
            parts.append("choosing how smooth curves are" if at["trial"] else f"network {at['member']}/{at['members']}")
            parts.append(f"epoch {at['epoch'] + at['epoch_share']:.3g}/{at['epochs']}")
            if not math.isnan(at["train_loss"]):
                parts.append(f"loss {at['train_loss']:.5g}")
            if not math.isnan(at["validation_loss"]):
                parts.append(f"validation {at['validation_loss']:.5g} (best {at['best']:.5g})")
        line = "  ".join(parts)
        print(f"\r{line.ljust(self.width)}  ", end=end, file=sys.stderr, flush=True)
        self.width = len(line)

    def end(self) -> None:
        self._write("\n")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = int(seconds) // 60
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

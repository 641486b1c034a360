"""What notebooks show and files keep: the report, one HTML page, and response curves, one picture."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import Any

from . import _core


class Report:
    """A page of its own: no network, no other file. str() is its HTML."""

    def __init__(self, model: _core.Model, data: _core.Data, threads: Any, **options: Any) -> None:
        wanted = _core.ReportOptions()
        wanted.threads = int(threads or 0)
        wanted.command = "report() of the Python package"
        for name, value in options.items():
            if value is not None:
                setattr(wanted, name, value)
        self.html = _core.report_html(model, data, wanted)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, to be opened in any browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<report, {len(self.html) / 1e6:.1f} MB; save(path) writes it>"

    def _repr_html_(self) -> str:
        # A frame keeps the page's style and script apart from the notebook's.
        return (
            '<iframe title="report" style="width:100%;height:48rem;border:1px solid #ccc" '
            f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )


class ResponseCurves:
    """Charts of how the prediction changes with each column, as one SVG picture. str() is its text."""

    def __init__(
        self, model: _core.Model, data: _core.Data, threads: Any, columns: Sequence[str] | None, row: int | None
    ) -> None:
        start = 0 if row is None else row + 1
        self.svg = _core.response_curves(model, data, list(columns or ()), start, int(threads or 0))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture, an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "<response curves; save(path) writes them as SVG>"

    def _repr_svg_(self) -> str:
        return self.svg

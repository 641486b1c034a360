"""The report: one HTML page that notebooks show and that saves as a file."""

from __future__ import annotations

import html
import os
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

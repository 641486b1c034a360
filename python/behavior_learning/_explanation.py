"""The learned problem as an object that notebooks show and that saves in every format."""

from __future__ import annotations

import html
import json
from typing import Any

from . import _core


class Explanation:
    """max U subject to C <= 0 and T = 0, of every block. str() is the text; see the properties for more."""

    def __init__(self, model: _core.Model, *, alternative: str | None = None, **options: Any) -> None:
        self._model = model
        self._options = _core.ExplainOptions()
        self._options.alternative = alternative or ""
        for name, value in options.items():
            if value is not None:
                setattr(self._options, name, None if value == "all" else value)
        self.text = self._render("text")  # a block that is not there is refused here

    def _render(self, form: str) -> str:
        return _core.explain_model(self._model, form, self._options)

    @property
    def latex(self) -> str:
        """A document that compiles."""
        return self._render("latex")

    @property
    def markdown(self) -> str:
        return self._render("markdown")

    @property
    def dot(self) -> str:
        """The network as a graph, for Graphviz."""
        return self._render("dot")

    @property
    def json(self) -> str:
        """Complete and exact, whatever terms and threshold leave out of the other formats."""
        return self._render("json")

    @property
    def svg(self) -> str:
        """A picture of the network, or of the block that explain(block=...) names."""
        return self._render("svg")

    def to_dict(self) -> dict[str, Any]:
        return json.loads(self.json)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>{self.svg}"

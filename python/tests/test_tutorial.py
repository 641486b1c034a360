"""The tutorials run from top to bottom and print what they promise."""

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

PROMISED = {
    "tutorial": ["max  U1", "s.t. C1", "robust s.e."],
    "economist": ["constant[train]", "an hour is worth", "per trip people lose"],
    "paper": ["C.income", "standard errors off", "log-likelihood per new row"],
}


@pytest.mark.parametrize("name", PROMISED)
def test_the_tutorial_runs(name):
    notebook = nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    printed = "".join(output.get("text", "") for output in outputs)
    assert all(text in printed for text in PROMISED[name])
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= {"tutorial": 3, "economist": 0, "paper": 1}[name]

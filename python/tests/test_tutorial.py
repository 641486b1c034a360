"""The tutorial runs from top to bottom and prints what it promises."""

import nbformat
from conftest import ROOT
from nbclient import NotebookClient


def test_the_tutorial_runs():
    notebook = nbformat.read(ROOT / "examples" / "tutorial.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    printed = "".join(output.get("text", "") for output in outputs)
    assert "max  U1" in printed and "s.t. C1" in printed
    assert "robust s.e." in printed
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= 3

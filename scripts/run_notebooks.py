#!/usr/bin/env python3
"""Execute the tutorials, examples/*.ipynb, and keep their outputs. Run by the Python that has the package:

    build/python/bin/python scripts/run_notebooks.py [NOTEBOOK ...] [--check]

--check only runs them: does each succeed?
"""
import argparse
import pathlib

import nbformat
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    for path in arguments.notebooks or sorted(ROOT.glob("examples/*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False).execute()
        notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                             "language_info": {"name": "python"}}
        if not arguments.check:
            nbformat.write(notebook, path)
        print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells ran")


if __name__ == "__main__":
    main()

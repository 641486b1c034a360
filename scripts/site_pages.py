"""Hook of mkdocs.yml: pages and files of the repository that lie outside docs/, and the tutorials.

README.md becomes the first page, CONTRIBUTING.md, CHANGELOG.md, SECURITY.md and THIRD_PARTY.md become pages, and a file outside docs/ that a
page links to (an example, a script) is copied into the site, so that no link leads out of it. The notebooks of examples/ become
pages with the outputs that they keep.
"""
import json
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md",
         "SECURITY.md": "SECURITY.md", "THIRD_PARTY.md": "THIRD_PARTY.md"}
TUTORIALS = {f"examples/{name}.ipynb": f"tutorials/{name}.md" for name in ("tutorial", "economist", "paper")}
LINK = re.compile(r"\]\((?!https?:|mailto:|data:|#)([^)\s#]+)(#[^)]*)?\)")


def site_place(path):
    """Where the file at this path of the repository stands in the site, relative to the site's root."""
    if path in PAGES or path in TUTORIALS:
        return {**PAGES, **TUTORIALS}[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else "repository/" + path


def links(text):
    return [match.group(1) for match in LINK.finditer(text)]


def output_markdown(output):
    """What a cell printed or returned: a picture, else text."""
    data = output.get("data", {})
    if "image/png" in data:
        return f"![output](data:image/png;base64,{''.join(data['image/png']).strip()})\n"
    if "image/svg+xml" in data:
        return "".join(data["image/svg+xml"]).strip() + "\n"
    text = "".join(output.get("text") or data.get("text/plain", ""))
    return f"```text\n{text.rstrip()}\n```\n" if text.strip() else ""


def notebook_markdown(path):
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [output_markdown(output) for output in cell.get("outputs", [])]
    return "\n\n".join(parts) + "\n"


def on_files(files, config):
    for source, place in TUTORIALS.items():
        files.append(File.generated(config, place, content=notebook_markdown(ROOT / source)))
    for source, place in PAGES.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    outside = set()
    for page in [*ROOT.glob("docs/**/*.md"), *(ROOT / name for name in (*PAGES, *TUTORIALS))]:
        folder = page.parent.relative_to(ROOT).as_posix()
        outside |= {posixpath.normpath(posixpath.join(folder, link)) for link in links(page.read_text())}
    for path in sorted(outside):
        if site_place(path).startswith("repository/") and (ROOT / path).is_file():
            files.append(File.generated(config, site_place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown, page, config, files):
    at_root = {place: source for source, place in {**PAGES, **TUTORIALS}.items()}
    source = at_root.get(page.file.src_uri, "docs/" + page.file.src_uri)
    here = posixpath.dirname(page.file.src_uri)

    def moved(match):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), match.group(1)))
        return f"]({posixpath.relpath(site_place(path), here or '.')}{match.group(2) or ''})"

    return LINK.sub(moved, markdown)

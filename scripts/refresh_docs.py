#!/usr/bin/env python3
"""Run the commands that stand in a page of docs/ again and put their outputs in place of the old ones.

    scripts/refresh_docs.py docs/command_line.md docs/distributions.md [--bl build/release/bl]
    scripts/refresh_docs.py docs/explain.md --data DATA_FOLDER
    scripts/refresh_docs.py docs/first_model.md --check      # only run them: does each succeed?

```sh blocks that begin with `# run` are run as they are; where one fails the page stays as it is. In ```console blocks the lines after `$ ` are commands, and what
they print, standard error included, becomes the rest of the block. All blocks of a page share a new folder, in which the
files of DATA_FOLDER can be read (a page that needs one says so in a `# run` block).
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```\n", re.S | re.M)


class Page:
    def __init__(self, bl, folder):
        self.folder = folder
        self.failed = []
        self.environment = {"PATH": f"{pathlib.Path(bl).resolve().parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                            "REPOSITORY": str(pathlib.Path(__file__).resolve().parent.parent)}

    def shell(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def refreshed(self, match):
        kind, body = match.groups()
        if kind == "sh":
            if body.startswith("# run"):
                done = self.shell(body)
                print(done.stdout, end="")
                if done.returncode != 0:
                    sys.exit(f"failed, and nothing was changed (is --data given?):\n{body}")
            return match.group(0)
        lines = []
        for line in body.splitlines():
            if line.startswith("$ "):
                done = self.shell(line[2:])
                if done.returncode != 0:
                    self.failed.append(f"{line}\n{done.stdout}")
                output = done.stdout.rstrip("\n")
                lines += [line] + ([output] if output else [])
        return "```console\n" + "\n".join(lines) + "\n```\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a command does")
    parser.add_argument("--data", type=pathlib.Path, help="folder whose files the commands can read")
    arguments = parser.parse_args()
    for path in arguments.pages:
        with tempfile.TemporaryDirectory() as folder:
            for file in arguments.data.iterdir() if arguments.data else []:
                pathlib.Path(folder, file.name).symlink_to(file.resolve())
            page = Page(arguments.bl, folder)
            text = BLOCK.sub(page.refreshed, path.read_text())
            if not arguments.check:
                path.write_text(text)
            elif page.failed:
                sys.exit(f"{path}: {len(page.failed)} commands failed\n" + "\n".join(page.failed))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The software that a build is made of, as CycloneDX JSON, and the texts of its licenses.

    scripts/bill_of_materials.py OUTPUT.cdx.json [--notices OUTPUT.txt]

Versions are those of the installed Debian packages and of the nanobind of the Python that runs this. The list of libraries
is the table in THIRD_PARTY.md; a library there that is not in the list here, or the other way round, is an error.
"""
import argparse
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Name as in THIRD_PARTY.md: the Debian package (a pattern), the license as SPDX says it.
LIBRARIES = {
    "OpenBLAS": ("libopenblas0-pthread", "BSD-3-Clause"),
    "Highway": ("libhwy-dev", "Apache-2.0 OR BSD-3-Clause"),
    "fmt": ("libfmt-dev", "MIT"),
    "zlib": ("zlib1g-dev", "Zlib"),
    "GCC's Fortran runtime": ("libgfortran5", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "GCC's quadmath library": ("libquadmath0", "LGPL-2.1-or-later"),
    "Eigen": ("libeigen3-dev", "MPL-2.0"),
    "CLI11": ("libcli11-dev", "BSD-3-Clause"),
    "JSON for Modern C++": ("nlohmann-json3-dev", "MIT"),
    "toml++": ("libtomlplusplus-dev", "MIT"),
    "Random123": ("librandom123-dev", "BSD-3-Clause"),
    "nanobind": (None, "BSD-3-Clause"),
}


def version_of_project():
    return re.search(r"project\(behavior_learning VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def check_list():
    listed = set(re.findall(r"^\| \[([^\]]+)\]", (ROOT / "THIRD_PARTY.md").read_text(), re.M))
    if listed != set(LIBRARIES):
        sys.exit(f"THIRD_PARTY.md and the list here differ: {sorted(listed ^ set(LIBRARIES))}")


def installed_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def component(name, package, license_expression):
    if package is None:
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            version = None
        address = f"pkg:pypi/{name}"
    else:
        version = installed_version(package)
        address = f"pkg:deb/debian/{package}"
    out = {"type": "library", "name": name, "licenses": [{"expression": license_expression}],
           "purl": f"{address}@{version}" if version else address}
    if version:
        out["version"] = version
    return out


def document():
    version = version_of_project()
    name = f"behavior-learning@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}",
        "version": 1,
        "metadata": {"component": {"type": "library", "name": "behavior-learning", "version": version,
                                   "licenses": [{"expression": "MIT"}], "purl": f"pkg:pypi/{name}"}},
        "components": [component(one, *rest) for one, rest in LIBRARIES.items()],
    }


def notices():
    """The copyright files of the Debian packages, one after the other."""
    parts = []
    for name, (package, expression) in LIBRARIES.items():
        path = pathlib.Path("/usr/share/doc", package or "", "copyright")
        text = path.read_text(errors="replace") if package and path.is_file() else f"License: {expression}\n"
        parts.append(f"{'=' * 78}\n{name} ({expression})\n{'=' * 78}\n{text}")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--notices", type=pathlib.Path)
    arguments = parser.parse_args()
    check_list()
    arguments.output.write_text(json.dumps(document(), indent=2) + "\n")
    if arguments.notices:
        arguments.notices.write_text(notices())


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Lists sources of src that no test names: nothing that they define is spoken of in tests.

What a source defines are its functions and the classes whose members they are. A source that is reached only through
another one stands in THROUGH with a test that reaches it; a line there that is not needed any more is an error too.
Exits 1 where the list and the tree disagree; --list prints the sources that are reached only so.
"""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path

from check_functions import functions

ROOT = Path(__file__).resolve().parent.parent

# Sources, by pattern: the test that reaches them, and how.
THROUGH = {
    "api/devices.cpp": "tests/gpu/gpu_test.cpp: lists GPUs; where there is none there is nothing to list",
    "artifact/stored_inference.cpp": "tests/unit/artifact/model_file_test.cpp: written and read with the model",
    "artifact/version_1.cpp": "tests/unit/artifact/model_file_test.cpp: files of version 1 in tests/data",
    "check/*.cpp": "tests/frontends/check_command_test.cpp: bl check, of tables and choices",
    "choice/*.cpp": "tests/frontends/choice_fit_test.cpp: bl fit --choice and the commands on its model",
    "data/*_reader.cpp": "tests/unit/data/formats_test.cpp: read_table chooses them by the file",
    "data/expression_parser.cpp": "tests/unit/data/expression_test.cpp: Expression::parse",
    "data/gzip_source.cpp": "tests/unit/data/formats_test.cpp: a compressed table",
    "data/png_folder.cpp": "tests/unit/data/images_test.cpp: a folder of pictures",
    "data/table_hash.cpp": "tests/unit/data/table_test.cpp: table_digest",
    "economics/*.cpp": "tests/frontends/choice_economics_test.cpp: bl explain --economics and bl whatif",
    "economics/shapley.cpp": "tests/frontends/explain_command_test.cpp: bl explain --shapley",
    "engine/chains.cpp": "tests/property/engines_agree_test.cpp: run_chains of every engine",
    "evidence/*.cpp": "tests/unit/zoo/evidence_test.cpp: bl demo and bl reproduce",
    "explain/*.cpp": "tests/unit/explain/render_test.cpp: explain_model in every format",
    "features/choice_*.cpp": "tests/unit/features/choice_data_test.cpp: read_choices",
    "features/beyond_names.cpp": "tests/frontends/choice_beyond_test.cpp: names in summaries",
    "features/linear_terms.cpp": "tests/unit/choice/linear_test.cpp: terms of linear utilities",
    "fit/*.cpp": "tests/unit/fit/fit_options_test.cpp: bl::fit, whose parts they are",
    "inference/column_rules.cpp": "tests/property/canonical_test.cpp: canonical forms of random architectures",
    "inference/ridge.cpp": "tests/frontends/choice_ridge_test.cpp: parameters that run away",
    "metrics/rows.cpp": "tests/unit/metrics/classification_test.cpp: weights and checks of every metric",
    "plan/*.cpp": "tests/unit/plan/plan_test.cpp: from settings to plans; what was used stands in model files",
    "predict/*.cpp": "tests/unit/predict/distribution_test.cpp: Model::predict and distributions",
    "random_utility/drawn_linear.cpp": "tests/unit/random_utility/gradient_test.cpp: mixed logits of linear utilities",
    "report/*.cpp": "tests/frontends/report_command_test.cpp: bl report, of every kind of response",
    "simplify/head_columns.cpp": "tests/frontends/simplify_command_test.cpp: bl simplify",
    "summary/*.cpp": "tests/frontends/summary_command_test.cpp: bl summary",
}


def defined(path: Path) -> set[str]:
    """Names of functions and of the classes they belong to, without those of unnamed namespaces."""
    source = path.read_text()
    hidden = re.sub(r"namespace \{\n.*?\n\}  // namespace\n", "", source, flags=re.DOTALL)
    names = set()
    for name, _, _ in functions(hidden):
        parts = [part for part in re.split(r"::|<.*?>", name) if part]
        names.update(parts if len(parts) > 1 else parts[-1:])
    return names


def main() -> int:
    words = set()
    for path in (ROOT / "tests").rglob("*.[ch]pp"):
        words.update(re.findall(r"\w+", path.read_text()))
    unnamed = [
        str(path.relative_to(ROOT / "src"))
        for path in sorted((ROOT / "src").rglob("*.cpp"))
        if not defined(path) & words
    ]
    bad = 0
    for name in unnamed:
        if not any(fnmatch(name, pattern) for pattern in THROUGH):
            print(f"src/{name}: no test names what it defines")
            bad += 1
    for pattern, through in THROUGH.items():
        if not any(fnmatch(name, pattern) for name in unnamed):
            print(f"scripts/check_tests.py: {pattern}: all have tests of their own or are gone; take it off the list")
            bad += 1
        elif not (ROOT / through.split(":")[0]).exists():
            print(f"scripts/check_tests.py: {pattern}: there is no {through.split(':')[0]}")
            bad += 1
    if "--list" in sys.argv:
        print("\n".join(unnamed))
    print(f"{len(unnamed)} sources are tested through others, {bad} disagreements")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Lists sources of src that no test names: nothing that they alone define is spoken of in tests.

What a source defines are its functions and the classes whose members they are. A source that is reached only through
another one stands in THROUGH with a test that reaches it; one there that is not needed any more is an error too.
Tests of a folder of src stand in the folder of this name in tests/unit.
Exits 1 where the list and the tree disagree; --list prints the sources that are reached only so.
"""

import re
import sys
from collections import Counter
from pathlib import Path

from check_functions import functions, without_text

ROOT = Path(__file__).resolve().parent.parent

# Sources, one by one: the test that reaches them, and how.
THROUGH = {
    "tests/frontends/check_command_test.cpp: bl check, of tables and choices; bl reproduce identification": """
        check/choice_check evidence/identification_svg""",
    "tests/frontends/choice_beyond_test.cpp: bl fit --choice of models beyond the logit, and the commands on them": """
        choice/beyond choice/beyond_estimate choice/beyond_notes choice/beyond_start choice/beyond_text choice/fit_beyond
        economics/beyond_economics features/beyond_names features/choice_beyond""",
    "tests/frontends/choice_economics_test.cpp: bl explain --economics and bl whatif": """
        economics/choice_errors economics/choice_scenario economics/choice_sums economics/delta""",
    "tests/frontends/choice_fit_test.cpp: bl fit --choice and the commands on its model": """
        choice/coefficients choice/estimate choice/estimation choice/fit_linear choice/reference choice/undetermined
        explain/linear_text""",
    "tests/frontends/choice_networks_test.cpp: choices by networks, with rivals too": """
        choice/common_utility choice/fit_network economics/rival_responses economics/trust features/choice_rivals""",
    "tests/frontends/choice_ridge_test.cpp: parameters that run away": "choice/beyond_ridge inference/ridge",
    "tests/frontends/choice_sources_test.cpp: segments of persons, rankings": "features/choice_ranks features/choice_segments",
    "tests/frontends/choice_terms_test.cpp: terms that a declaration makes": "features/choice_terms",
    "tests/frontends/decide_command_test.cpp: bl predict and evaluate --decide": "predict/decide",
    "tests/frontends/explain_command_test.cpp: bl explain, with rows too": """
        economics/responses explain/network_svg explain/overview""",
    "tests/frontends/first_steps_test.cpp: bl data": "datasets/datasets",
    "tests/frontends/report_command_test.cpp: bl report, of every kind of response": """
        report/choice_html report/choice_importance report/choice_scenarios report/choice_subject report/constraints
        report/matters report/page report/picture_sheet report/pixels report/quality_class report/quality_number
        report/record report/response_curves report/responses report/uncertainty report/what_if""",
    "tests/frontends/simplify_command_test.cpp: bl simplify": "simplify/head_columns simplify/render",
    "tests/frontends/summary_command_test.cpp: bl summary, of curves and products too": """
        summary/compare_render summary/curve_estimates summary/curve_render summary/inference_render
        summary/inference_summary summary/product_render summary/stored_estimate summary/table_estimation""",
    "tests/gpu/gpu_test.cpp: GPUs, listed and asked; where there is none there is nothing to list": """
        api/devices engine/cuda/failure""",
    "tests/property/canonical_test.cpp: canonical forms of random architectures": "inference/column_rules",
    "tests/property/column_set_test.cpp: every type of column": """
        features/columns/level_fit features/columns/line features/columns/line_json features/columns/nominal
        features/columns/ordinal features/columns/text features/feature_source features/moments""",
    "tests/property/derivatives_test.cpp: every network's sweeps": "model/input_product model/lane_network",
    "tests/property/engines_agree_test.cpp: steps and chains of every engine": """
        compute/update_kernels engine/chains engine/cpu/context_product""",
    "tests/unit/artifact/model_file_test.cpp: written and read with the model; files of version 1 in tests/data": """
        artifact/stored_inference artifact/version_1""",
    "tests/unit/choice/linear_test.cpp: linear utilities": "choice/column_moments features/linear_terms",
    "tests/unit/compute/lane_kernels_test.cpp: the kernels, by the names that a macro gives": "compute/lane_kernels",
    "tests/unit/data/expression_test.cpp: Expression::parse": "data/expression_parser",
    "tests/unit/data/formats_test.cpp: read_table chooses them by the file": """
        data/arff_reader data/arff_text data/csv_reader data/gzip_source data/idx_reader data/line_reader
        data/npy_reader""",
    "tests/unit/data/images_test.cpp: a folder of pictures": "data/png_folder",
    "tests/unit/data/table_test.cpp: table_digest": "data/table_hash",
    "tests/unit/economics/economics_test.cpp: effects of rows": "economics/effects",
    "tests/unit/explain/curve_terms_test.cpp: curves and products read back": """
        explain/coefficients explain/curve_terms explain/expansion explain/svg_parts""",
    "tests/unit/features/choice_data_test.cpp: read_choices": "features/choice_long features/choice_wide",
    "tests/unit/features/curve_kinds_test.cpp: cubic and periodic curves": "features/spline",
    "tests/unit/fit/fit_options_test.cpp: bl::fit, whose parts they are": """
        api/fit fit/fit_notes fit/fit_record fit/prepared fit/train_minimum fit/train_steps""",
    "tests/unit/fit/fit_objective_test.cpp: the objective of training and of what follows": "plan/fit_objective",
    "tests/unit/gibbs/mode_test.cpp: modes of smooth distributions": "gibbs/smooth_climber",
    "tests/unit/gibbs/sampler_test.cpp: chains that learn their step": "gibbs/adaptation",
    "tests/unit/metrics/classification_test.cpp: weights and checks of every metric": "metrics/rows",
    "tests/unit/plan/plan_test.cpp: from settings to plans; what was used stands in model files": """
        plan/unused_settings plan/used_settings""",
    "tests/unit/predict/distribution_test.cpp: Model::predict and distributions": """
        predict/distribution predict/evaluation predict/given_values predict/predicted_rows predict/prediction
        predict/row_distribution predict/sample predict/unusual_rows""",
    "tests/unit/random_utility/gradient_test.cpp: mixed logits of linear utilities": """
        random_utility/drawn_linear random_utility/drawn_utility random_utility/person_tasks""",
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
    words = set()  # names of types, and of functions that are called
    for path in (ROOT / "tests").rglob("*.[ch]pp"):
        words.update(re.findall(r"\b[A-Z]\w*|\b[a-z]\w*(?=(?:<[^;(){}]*>)?[(])", without_text(path.read_text())))
    sources = {
        str(path.relative_to(ROOT / "src").with_suffix("")): defined(path)
        for path in sorted((ROOT / "src").rglob("*.cpp"))
    }
    # A function's name that several sources define says of none that it is tested; a class may have several sources.
    count = Counter(name for names in sources.values() for name in names)
    own = {
        source: {name for name in names if count[name] == 1 or name[0].isupper()} for source, names in sources.items()
    }
    unnamed = [source for source, names in own.items() if not names & words]
    listed = [source for through in THROUGH.values() for source in through.split()]
    bad = [f"src/{source}.cpp: no test names what it defines" for source in unnamed if source not in listed]
    bad += [
        f"scripts/check_tests.py: {source} has a test of its own or is gone; take it off the list"
        for source in listed
        if source not in unnamed
    ]
    bad += [f"scripts/check_tests.py: {source} is listed twice" for source, n in Counter(listed).items() if n > 1]
    tests = [through.split(":")[0] for through in THROUGH]
    bad += [f"scripts/check_tests.py: there is no {test}" for test in tests if not (ROOT / test).exists()]
    folders = {path.name for path in (ROOT / "src").iterdir()}
    bad += [
        f"tests/unit/{path.name}: there is no such folder in src"
        for path in sorted((ROOT / "tests/unit").iterdir())
        if path.name not in folders
    ]
    print("\n".join(bad + (unnamed if "--list" in sys.argv else [])))
    print(f"{len(unnamed)} sources are tested through others, {len(bad)} disagreements")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Whole fits of wide inputs by decay of weights, judged on rows that no reported figure is measured on.

    experiments/wide_defaults.py DATA_FOLDER [--bl build/release/bl] [--decays 0.05,0.1,0.15,0.25,0.5,1] [--seeds 2]
        [--layers 88 88,42 88,42,20] [--only mnist,fashion_mnist] [--options "--device cuda"] [--jobs 1]
        [--results wide_defaults.jsonl]

DATA_FOLDER holds mnist/ and fashion_mnist/ (IDX files, plain or gzip). Every fit learns from five sixths of the training images and is
judged on the other sixth; test images are never read. Prints mean log loss and accuracy of held-out images by set, layers and decay.
Runs found in the file of results are not made again.
"""
import argparse
import concurrent.futures
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile


def images(folder):
    plain = folder / "train-images-idx3-ubyte"
    return plain if plain.exists() else plain.with_name(plain.name + ".gz")


def fit(a, name, layers, decay, seed):
    with tempfile.TemporaryDirectory() as folder:
        command = [a.bl, "fit", str(images(a.data / name)), "--target", "label", "--nominal", "label", "--layers", layers,
                   "--fractions", "5:1:0", "--weight-decay", str(decay), "--seed", str(seed), "--json", "--output",
                   f"{folder}/model.bl", *shlex.split(a.options)]
        result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")
    found = json.loads(result.stdout)["validation"]
    return {"set": name, "layers": layers, "decay": decay, "seed": seed, "log_loss": found["log_loss"],
            "accuracy": found["accuracy"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--decays", default="0.05,0.1,0.15,0.25,0.5,1")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--layers", nargs="+", default=["88", "88,42", "88,42,20"])
    parser.add_argument("--only", default="mnist,fashion_mnist")
    parser.add_argument("--options", default="", help="further options of bl fit")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("wide_defaults.jsonl"))
    a = parser.parse_args()
    results = [json.loads(line) for line in a.results.read_text().splitlines()] if a.results.exists() else []
    done = {(r["set"], r["layers"], r["decay"], r["seed"]) for r in results}
    work = [(name, layers, float(decay), 100 + seed) for seed in range(a.seeds) for name in a.only.split(",")
            for layers in a.layers for decay in a.decays.split(",")]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool, open(a.results, "a") as out:
        for found in pool.map(lambda one: fit(a, *one), [one for one in work if one not in done]):
            results.append(found)
            out.write(json.dumps(found) + "\n")
            out.flush()
    print("| set | layers | decay | seeds | log loss | accuracy |\n|---|---|---|---|---|---|")
    for name, layers, decay in dict.fromkeys(one[:3] for one in work):
        runs = [r for r in results if (r["set"], r["layers"], r["decay"]) == (name, layers, decay)]
        print(f"| {name} | [{layers}] | {decay} | {len(runs)} | {statistics.mean(r['log_loss'] for r in runs):.4f} | "
              f"{100 * statistics.mean(r['accuracy'] for r in runs):.2f} |")


if __name__ == "__main__":
    main()

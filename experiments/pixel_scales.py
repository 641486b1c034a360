#!/usr/bin/env python3
"""Fits of images by all rules of the program, judged on training images that they have not seen.

    experiments/pixel_scales.py DATA_FOLDER [--bl build/release/bl] [--seeds 1] [--layers 88 88,42 88,42,20]
        [--options "--device cuda"] [--jobs 1]

50,000 of the 60,000 training images of MNIST and Fashion-MNIST are written to files of their own and learned from without any option beyond the
layers; the other 10,000 judge. Test images are never read. Ways to scale pixels are compared by programs with another `share_scale`
(src/features/encoder_fit.cpp), one run each. Prints means over the seeds and the decays that were chosen.
"""
import argparse
import concurrent.futures
import json
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

import numpy as np


def run(*command):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def written(folder, name, pixels, labels):
    """An IDX pair; the path of the images."""
    path = folder / f"{name}-images-idx3-ubyte"
    path.write_bytes(struct.pack(">IIII", 2051, len(pixels), 28, 28) + pixels.tobytes())
    (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, len(labels)) + labels.tobytes())
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--layers", nargs="+", default=["88", "88,42", "88,42,20"])
    parser.add_argument("--options", default="", help="further options of bl fit")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    a = parser.parse_args()

    def judged(folder, train, judge, layers, seed):
        model = folder / f"{layers}-{seed}.bl"
        run(a.bl, "fit", train, "--layers", layers, "--seed", seed, "--json", "-o", model, *shlex.split(a.options))
        used = run(a.bl, "inspect", model, "--json")["information"].get("used", {})
        found = run(a.bl, "evaluate", model, judge, "--json")
        return found["accuracy"], found["log_loss"], found["calibration_error"], used.get("weight_decay")

    for name in ("mnist", "fashion_mnist"):
        pixels = np.fromfile(a.data / name / "train-images-idx3-ubyte", dtype=np.uint8)[16:].reshape(-1, 784)
        labels = np.fromfile(a.data / name / "train-labels-idx1-ubyte", dtype=np.uint8)[8:]
        known, held = np.split(np.random.default_rng(7).permutation(len(labels)), [len(labels) * 5 // 6])
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            folder = pathlib.Path(folder)
            train, judge = written(folder, "train", pixels[known], labels[known]), written(folder, "held", pixels[held], labels[held])
            runs = [(layers, pool.submit(judged, folder, train, judge, layers, seed)) for layers in a.layers for seed in range(a.seeds)]
            for layers in a.layers:
                *figures, decays = zip(*(run.result() for one, run in runs if one == layers))
                accuracy, loss, error = np.mean(figures, axis=1)
                spread = np.std(figures[0], ddof=1) if a.seeds > 1 else 0
                print(f"{name} [{layers}]: accuracy {100 * accuracy:.2f} ± {100 * spread:.2f}, log loss {loss:.4f}, "
                      f"calibration error {error:.4f}, decays {' '.join(map(str, decays))}", flush=True)


if __name__ == "__main__":
    main()

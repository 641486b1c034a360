#!/usr/bin/env python3
"""Fits of images by all rules of the program, judged on training images that they have not seen.

    experiments/pixel_scales.py DATA_FOLDER [--bl build/release/bl] [--seeds 1] [--layers 88 88,42 88,42,20]

50,000 of the 60,000 training images of MNIST and Fashion-MNIST are written to files of their own and learned from without any option beyond the
layers; the other 10,000 judge. Test images are never read. Ways to scale pixels are compared by programs with another `share_scale`
(src/features/encoder_fit.cpp), one run each. Prints accuracy, log loss, calibration error and the decay that was chosen.
"""
import argparse
import json
import pathlib
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
    a = parser.parse_args()
    for name in ("mnist", "fashion_mnist"):
        pixels = np.fromfile(a.data / name / "train-images-idx3-ubyte", dtype=np.uint8)[16:].reshape(-1, 784)
        labels = np.fromfile(a.data / name / "train-labels-idx1-ubyte", dtype=np.uint8)[8:]
        known, held = np.split(np.random.default_rng(7).permutation(len(labels)), [len(labels) * 5 // 6])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            train, judge = written(folder, "train", pixels[known], labels[known]), written(folder, "held", pixels[held], labels[held])
            for layers in a.layers:
                for seed in range(a.seeds):
                    model = folder / "model.bl"
                    run(a.bl, "fit", train, "--layers", layers, "--seed", seed, "--json", "-o", model)
                    used = run(a.bl, "inspect", model, "--json")["information"].get("used", {})
                    found = run(a.bl, "evaluate", model, judge, "--json")
                    print(f"{name} [{layers}] seed {seed}: accuracy {100 * found['accuracy']:.2f}, log loss {found['log_loss']:.4f}, "
                          f"calibration error {found['calibration_error']:.4f}, decay {used.get('weight_decay')}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Whole commands on the GPU and on the processor: an image model and the density of two numbers trained, and a bootstrap.

    bench/gpu/whole_commands.py build/release/bl [--mnist FOLDER] [--resamples 10000] [--processor-resamples 1000]

FOLDER holds the four IDX files of MNIST, as they are or as .gz. The bootstrap is that of a logit of 20 parameters, from 2,000
choices among three alternatives, which are drawn here. The last line is JSON.
"""
import argparse
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ATTRIBUTES = [f"a{j}" for j in range(18)]
ALTERNATIVES = {"car": 0.4, "train": -0.3, "bus": 0.0}  # constants


def run(command):
    started = time.time()
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout + result.stderr, time.time() - started


def write_choices(path, situations):
    """Choices by a logit: 18 attributes and two constants."""
    draw = random.Random(5)
    weights = [0.6 * math.cos(1.7 * j) for j in range(len(ATTRIBUTES))]
    with open(path, "w") as out:
        out.write(f"situation,alternative,chosen,{','.join(ATTRIBUTES)}\n")
        for i in range(situations):
            x = {name: [draw.gauss(0, 1) for _ in ATTRIBUTES] for name in ALTERNATIVES}
            weight = [math.exp(b + sum(p * q for p, q in zip(weights, x[name]))) for name, b in ALTERNATIVES.items()]
            choice = draw.choices(list(ALTERNATIVES), weight)[0]
            for name in ALTERNATIVES:
                out.write(f"{i},{name},{int(name == choice)},{','.join(f'{v:.5f}' for v in x[name])}\n")


def errors_of(bl, model, data, resamples, device):
    """Bootstrap errors by parameter, and the seconds that the resamples took."""
    summary = [bl, "summary", model, data, "--format", "json", "--device", device]
    _, without = run(summary)
    text, seconds = run(summary + ["--bootstrap", str(resamples)])
    found = json.loads(text)
    return {one["name"]: one["bootstrap_error"] for one in found["estimates"]}, seconds - without, found["bootstrap"]


def bootstrap(bl, folder, resamples, processor_resamples, devices):
    data, model = str(folder / "choices.csv"), str(folder / "choices.bl")
    write_choices(data, 2000)
    run([bl, "fit", data, "--choice", "long", "--situation", "situation", "--alternative", "alternative", "--chosen", "chosen",
         "--attributes", ",".join(ATTRIBUTES), "-q", "-o", model])
    out = {"resamples": resamples}
    for device in devices:
        count = resamples if device == "cuda" else processor_resamples
        errors, seconds, reached = errors_of(bl, model, data, count, device)
        out[device] = {"resamples": count, "reached_a_minimum": reached, "seconds": round(seconds, 2)}
        print(f"bootstrap, {count} resamples, {device}: {seconds:.2f} s, {reached} reached a minimum", flush=True)
    if len(devices) == 2:  # the same resamples on both
        pairs = [errors_of(bl, model, data, processor_resamples, device)[0] for device in devices]
        out["largest_difference"] = max(abs(pairs[0][name] / pairs[1][name] - 1) for name in pairs[0])
        print(f"largest relative difference of a bootstrap error, {processor_resamples} resamples: {out['largest_difference']:.1e}")
    return out


def write_moons(path, rows):
    """Two numbers on two half circles with noise of 0.1; beside them a feature that says nothing."""
    draw = random.Random(7)
    with open(path, "w") as out:
        out.write("x,a,b\n")
        for i in range(rows):
            angle = math.pi * draw.random()
            a, b = (math.cos(angle), math.sin(angle)) if i % 2 else (1 - math.cos(angle), 0.5 - math.sin(angle))
            out.write(f"{draw.gauss(0, 1):.5f},{a + draw.gauss(0, 0.1):.5f},{b + draw.gauss(0, 0.1):.5f}\n")


def density(bl, folder, devices):
    data = str(folder / "moons.csv")
    write_moons(data, 4000)
    out = {}
    for device in devices:
        text, whole = run([bl, "fit", data, "--target", "a,b", "--device", device, "--json", "-o", str(folder / f"{device}.bl")])
        found = json.loads(text)
        out[device] = {"training_seconds": round(found["seconds"], 2), "command_seconds": round(whole, 2),
                       "log_likelihood": found["test"]["log_likelihood"]}
        print(f"two numbers, 4,000 rows, {device}: {out[device]}", flush=True)
    return out


def mnist(bl, folder, data, devices):
    named = lambda part: next(str(path) for path in sorted(data.glob(f"{part}-images-idx3-ubyte*")))
    out = {}
    for device in devices:
        model = str(folder / f"{device}.bl")
        text, whole = run([bl, "fit", named("train"), "--target", "label", "--nominal", "label", "--layers", "88", "--device", device, "-o", model])
        training = float(re.search(r"epochs in ([0-9.]+) s", text).group(1))
        told, _ = run([bl, "evaluate", model, named("t10k"), "--json"])
        accuracy = json.loads(told)["accuracy"]
        out[device] = {"training_seconds": training, "command_seconds": round(whole, 2), "test_accuracy": accuracy}
        print(f"MNIST [88], {device}: {training} s of training, {whole:.1f} s in all, accuracy {accuracy:.4f}", flush=True)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bl")
    parser.add_argument("--mnist", type=pathlib.Path)
    parser.add_argument("--resamples", type=int, default=10000)
    parser.add_argument("--processor-resamples", type=int, default=1000)
    parser.add_argument("--devices", default="cuda,cpu")
    a = parser.parse_args()
    devices = a.devices.split(",")
    with tempfile.TemporaryDirectory() as folder:
        out = {"cores": os.cpu_count(), "bootstrap": bootstrap(a.bl, pathlib.Path(folder), a.resamples, a.processor_resamples, devices)}
        out["density"] = density(a.bl, pathlib.Path(folder), devices)
        if a.mnist:
            out["mnist"] = mnist(a.bl, pathlib.Path(folder), a.mnist, devices)
    print(json.dumps(out))


if __name__ == "__main__":
    main()

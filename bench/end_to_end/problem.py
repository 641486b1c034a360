"""A work of the benchmark as bench_training wrote it: data, starting values, orders of rows, noise."""

import json
import pathlib
import subprocess
import tempfile

import numpy


class Problem:
    def __init__(self, program, work):
        self.work = work
        with tempfile.TemporaryDirectory() as name:
            subprocess.run([program, "problem", work["name"], name], check=True)
            folder = pathlib.Path(name)
            meta = json.loads((folder / "problem.json").read_text())
            rows, epochs = work["rows"], work["epochs"]

            def read(file, kind, *shape):
                return numpy.fromfile(folder / file, dtype=kind).reshape(shape)

            self.start_loss = meta["start_loss"]
            self.tensors = meta["tensors"]
            self.context = read("context.f32", numpy.float32, rows, work["context"])
            self.values = read("values.f32", numpy.float32, rows, work["values"])
            self.classes = read("classes.i32", numpy.int32, -1).astype(numpy.int64)
            self.fixed_noise = read("fixed_noise.f64", numpy.float64, rows, work["values"]).astype(numpy.float32)
            self.parameters = read("parameters.f32", numpy.float32, -1)
            self.gradient = read("gradient.f32", numpy.float32, -1)
            self.orders = read("orders.i64", numpy.int64, epochs, rows)
            self.noise = read("noise.f32", numpy.float32, epochs, rows, work["values"])

    def tensor(self, name, flat=None):
        """The tensor of this name within a flat vector (the starting values, unless another is given)."""
        for entry in self.tensors:
            if entry["name"] == name:
                end = entry["offset"] + entry["rows"] * entry["cols"]
                flat = self.parameters if flat is None else flat
                return flat[entry["offset"]:end].reshape(entry["rows"], entry["cols"])
        raise KeyError(name)

    def stacked(self, layer, what, flat=None):
        """Weights, biases or lambdas of all heads of a layer: utility, inequality, equality."""
        return numpy.concatenate([self.tensor(f"layers/{layer}/{kind}/{what}", flat) for kind in "UCT"])

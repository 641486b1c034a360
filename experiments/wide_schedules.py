#!/usr/bin/env python3
"""Decay of weights and length of training for wide inputs (src/plan/wide_plan.cpp), compared on held-out training images.

    experiments/wide_schedules.py DATA_FOLDER [--seeds 4] [--decays 0.05,0.1,...] [--layers 88 88,42 88,42,20]
        [--only mnist,fashion_mnist] [--schedules NAMES] [--rates 0.003] [--results wide_schedules.jsonl]

Needs PyTorch and a GPU: our model is written a second time there, so that fits with every decay and seed run as one batched fit. A
schedule is a list of parts, each so many epochs of so many rows by a cosine. Of 60,000 training images the last 10,000 of a fixed order
judge ("outer"); the others are what a user would have: 7/10 of them teach first, the remaining 3/10 are held out from that ("inner").
Test images are never read.
"""
import argparse
import gzip
import json
import lzma
import math
import pathlib

import numpy as np
import torch

# (rows, epochs) of each part: "first" are the 7/10, a number is that many of them, "all" the 10/10. Each goes on from the one before.
SCHEDULES = {
    "8+12": [("first", 8), ("all", 12)],
    "20": [("all", 20)],
    "14": [("all", 14)],
    "4+14": [("first", 4), ("all", 14)],
    "4+12": [("first", 4), ("all", 12)],
    "4+4+8": [("first", 4), ("first", 4), ("all", 8)],
    "4+4+10": [("first", 4), ("first", 4), ("all", 10)],
    "4+4+12": [("first", 4), ("first", 4), ("all", 12)],
    "1": [("first", 1)],
    "2": [("first", 2)],
    "3": [("first", 3)],
    "4 of 24000": [(24000, 4)],
    "5 of 24000": [(24000, 5)],
    "8 of 8000": [(8000, 8)],
    "8 of 16000": [(16000, 8)],
}
BATCH = 64


def idx(path):
    for suffix, opener in (("", open), (".gz", gzip.open), (".xz", lzma.open)):
        found = path.with_name(path.name + suffix)
        if found.exists():
            with opener(found, "rb") as file:
                return np.frombuffer(file.read(), dtype=np.uint8)
    raise SystemExit(f"{path} is not there")


class Images:
    def __init__(self, folder):
        pixels = idx(folder / "train-images-idx3-ubyte")[16:].reshape(-1, 784)
        labels = idx(folder / "train-labels-idx1-ubyte")[8:]
        order = np.random.default_rng(7).permutation(len(labels))
        outer = len(labels) // 6
        known = order[:-outer]
        first = known[:len(known) * 7 // 10]
        x = pixels.astype(np.float32)
        x = (x - x[first].mean()) / x[first].std()
        self.columns = int((x[first].std(axis=0) > 0).sum())
        self.x, self.y = torch.tensor(x).cuda(), torch.tensor(labels.astype(np.int64)).cuda()
        here = lambda rows: torch.tensor(rows.copy()).cuda()
        self.parts = {"first": here(first), "all": here(known), "inner": here(known[len(first):]), "outer": here(order[-outer:])}

    def rows(self, part):
        return self.parts["first"][:part] if isinstance(part, int) else self.parts[part]


class Models:
    """As many networks side by side as there are decays times seeds; they see the same batches."""

    def __init__(self, images, widths, decays, seeds, rate):
        self.images, self.rate = images, rate
        self.count = len(decays) * seeds
        self.decays = torch.tensor([d for d in decays for _ in range(seeds)], device="cuda").reshape(-1, 1, 1)
        generator = torch.Generator("cuda").manual_seed(1)
        uniform = lambda bound, *shape: bound * (2 * torch.rand(*shape, device="cuda", generator=generator) - 1)
        self.weights, self.others, fan = [], [], 784
        for width in widths:
            bound = 1 / math.sqrt(images.columns if fan == 784 else fan)
            self.weights.append(uniform(bound, seeds, fan, 3 * width))
            self.others += [uniform(bound, seeds, 1, 3 * width), torch.full((seeds, 1, 3 * width), math.log(math.e - 1), device="cuda")]
            fan = width
        self.weights.append(uniform(1 / math.sqrt(fan), seeds, fan, 10))
        every = lambda p: p.repeat(len(decays), 1, 1).requires_grad_(True)  # the same start for every decay
        self.weights, self.others = [every(p) for p in self.weights], [every(p) for p in self.others]
        self.optimizer = torch.optim.Adam(self.weights + self.others, lr=torch.tensor(rate, device="cuda"), fused=True, capturable=True)
        self.start = [p.detach().clone() for p in self.weights + self.others]

    def outputs(self, x):
        s = None
        for layer, w in enumerate(self.weights[:-1]):
            bias, raw = self.others[2 * layer:2 * layer + 2]
            if layer == 0:
                flat = x @ w.transpose(0, 1).reshape(784, -1)
                heads = flat.reshape(len(x), self.count, -1).transpose(0, 1) + bias
            else:
                heads = torch.baddbmm(bias, s, w)
            u, c, t = heads.chunk(3, dim=-1)
            lu, lc, lt = torch.nn.functional.softplus(raw).chunk(3, dim=-1)
            s = lu * torch.tanh(u) - lc * torch.relu(c) - lt * torch.abs(t)
        return torch.bmm(s, self.weights[-1])

    def step(self):
        rows = self.order.index_select(0, self.counter).squeeze(0)
        self.optimizer.param_groups[0]["lr"].copy_(self.rates.index_select(0, self.counter).squeeze(0))
        self.optimizer.zero_grad(set_to_none=True)
        log_p = torch.log_softmax(self.outputs(self.images.x[rows]), dim=-1)
        target = self.images.y[rows].reshape(1, -1, 1).expand(self.count, -1, 1)
        (-log_p.gather(2, target).sum() / BATCH).backward()
        with torch.no_grad():
            for w in self.weights:
                w.mul_(1 - self.optimizer.param_groups[0]["lr"] * self.decays)
        self.optimizer.step()
        self.counter += 1

    def forget_moments(self):
        for state in self.optimizer.state.values():
            for value in state.values():
                value.zero_()

    def train(self, part, epochs, seed):
        rows = self.images.rows(part)
        per_epoch = len(rows) // BATCH
        generator = torch.Generator("cuda").manual_seed(seed)
        orders = [rows[torch.randperm(len(rows), device="cuda", generator=generator)[:per_epoch * BATCH]] for _ in range(epochs)]
        self.order = torch.cat(orders).reshape(-1, BATCH)
        rates = [self.rate / 2 * (1 + math.cos(math.pi * e / epochs)) for e in range(epochs)]
        self.rates = torch.tensor(rates, device="cuda").repeat_interleave(per_epoch)
        self.counter = torch.zeros(1, dtype=torch.int64, device="cuda")
        before = [p.detach().clone() for p in self.weights + self.others]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step()
        with torch.no_grad():
            for p, value in zip(self.weights + self.others, before):
                p.copy_(value)
        self.forget_moments()
        self.counter.zero_()
        for _ in range(len(self.order)):
            graph.replay()

    @torch.no_grad()
    def judge(self, part):
        """Log loss, accuracy and calibration error of each network."""
        rows, found = self.images.rows(part), []
        p = torch.cat([torch.softmax(self.outputs(self.images.x[some]).double(), dim=-1) for some in rows.split(1000)], dim=1)
        y = self.images.y[rows]
        for one in p:
            top, which = one.max(dim=1)
            right = (which == y).double()
            place = (top * 15).long().clamp(max=14)
            gaps = torch.zeros(15, dtype=torch.float64, device="cuda").index_add_(0, place, right - top)
            found.append((float(-one[torch.arange(len(y)), y].clamp_min(1e-300).log().mean()), float(right.mean()),
                          float(gaps.abs().sum() / len(y))))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--decays", default="0.03,0.06,0.1,0.15,0.2,0.25,0.35,0.5,0.7,1")
    parser.add_argument("--layers", nargs="+", default=["88", "88,42", "88,42,20"])
    parser.add_argument("--only", default="mnist,fashion_mnist")
    parser.add_argument("--schedules", default=";".join(SCHEDULES))
    parser.add_argument("--rates", default="0.003")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("wide_schedules.jsonl"))
    a = parser.parse_args()
    decays = [float(d) for d in a.decays.split(",")]
    with open(a.results, "a") as out:
        for name in a.only.split(","):
            images = Images(a.data / name)
            for layers in a.layers:
                for rate in map(float, a.rates.split(",")):
                    for schedule in a.schedules.split(";"):
                        models = Models(images, [int(w) for w in layers.split(",")], decays, a.seeds, rate)
                        for i, (part, epochs) in enumerate(SCHEDULES[schedule]):
                            models.train(part, epochs, 10 + i)
                            for judge in ("inner", "outer") if part != "all" else ("outer",):
                                for k, (loss, accuracy, error) in enumerate(models.judge(judge)):
                                    out.write(json.dumps({"set": name, "layers": layers, "rate": rate, "schedule": schedule, "after": i,
                                                          "judge": judge, "decay": decays[k // a.seeds], "seed": k % a.seeds,
                                                          "log_loss": loss, "accuracy": accuracy, "ece": error}) + "\n")
                        out.flush()
                        print(name, layers, rate, schedule, "done", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How images are changed while they are learned, and how pixels are scaled, compared on held-out training images.

    experiments/image_shifts.py DATA_FOLDER [--seeds 4] [--layers 88 88,42 88,42,20] [--only mnist,fashion_mnist]
        [--variants "plain;shifts;..."] [--schedule 4+12] [--decays 0.06,0.125,0.2,0.31] [--border edge] [--limit 500]

Needs PyTorch and a GPU: our model is written a second time (experiments/wide_schedules.py), so that all decays and seeds are one
batched fit. Of 60,000 training images 50,000 teach and 10,000 judge; test images are never read. Prints accuracy, log loss, calibration
error and AUROC (energy) against training images of the other set, means over the seeds, for each decay. --limit: seconds after
which no further fit is begun.
"""
import argparse
import pathlib
import time

import numpy as np
import torch
from wide_schedules import Models, idx

# scale: pixels less the mean of all ("common"), less their own ("own"), less the average of both ("half"); all over
# the standard deviation of all pixels. shift, flip: share of the images of a step that are moved (by up to a pixel, evenly over the nine
# ways, so that a ninth of them stays) or mirrored. copies: so many fixed ways to move an image. noise: standard deviation of what is added to pixels.
# pixels: share that is dropped. average: weight of the past in a running mean of the parameters. mixed: images mixed with another
# of the step. smoothing: of labels.
VARIANTS = {
    "plain": {},
    "shifts": {"scale": "own", "shift": .5, "rate": .002},
    "shifts, step size .003": {"scale": "own", "shift": .5},
    "shifts, half": {"scale": "half", "shift": .5},
    "shifts, half, step size .002": {"scale": "half", "shift": .5, "rate": .002},
    "shifts, common": {"shift": .5},
    "shifts of a quarter": {"scale": "own", "shift": .25},
    "shifts of all, common": {"shift": 1},
    "shifts, two copies": {"scale": "own", "shift": .5, "rate": .002, "copies": 2},
    "shifts and noise": {"scale": "own", "shift": .5, "noise": .2},
    "shifts and average": {"scale": "own", "shift": .5, "average": .999},
    "shifts and smoothing": {"scale": "own", "shift": .5, "smoothing": .05},
    "own": {"scale": "own"},
    "half": {"scale": "half"},
    "own, mirrored": {"scale": "own", "flip": .5},
    "mirrored": {"flip": .5},
    "noise .2": {"noise": .2},
    "noise .4": {"noise": .4},
    "pixels dropped": {"pixels": .2},
    "average": {"average": .999},
    "mixed": {"mixed": .5},
    "step size .0015": {"rate": .0015},
}
SCHEDULES = {"4+12": [("first", 4), ("all", 12)], "4+16": [("first", 4), ("all", 16)], "16": [("all", 16)], "24": [("all", 24)]}
SIDE = 28


class Images:
    """Pixels with a border, so that a shift is a choice of columns."""

    def __init__(self, folder, other, scale, border):
        pixels = self.read(folder)
        labels = idx(folder / "train-labels-idx1-ubyte")[8:]
        order = np.random.default_rng(7).permutation(len(labels))
        known, outer = order[:-len(labels) // 6], order[-(len(labels) // 6):]
        of_known = pixels[known]
        mean = {"common": of_known.mean(), "own": of_known.mean(0), "half": (of_known.mean(0) + of_known.mean()) / 2}[scale]
        self.mean = torch.tensor(np.broadcast_to(mean, pixels.shape[1]).astype(np.float32)).cuda()
        self.scale = float(of_known.std())
        self.columns = int((of_known.std(axis=0) > 0).sum())
        self.padded, self.foreign = self.bordered(pixels, border), self.bordered(self.read(other)[:10000], border)
        self.y = torch.tensor(labels.astype(np.int64)).cuda()
        here = lambda rows: torch.tensor(rows.copy()).cuda()
        self.parts = {"all": here(known), "first": here(known[:len(known) * 7 // 10]), "outer": here(outer)}
        across = torch.arange(SIDE)
        ways = [(down, right) for down in (1, 0, 2) for right in (1, 0, 2)]  # the first is no shift
        columns = lambda along: torch.stack([((torch.arange(SIDE)[:, None] + down) * (SIDE + 2) + along[None, :] + right).reshape(-1)
                                             for down, right in ways])
        self.ways = torch.cat([columns(across), columns(across.flip(0))]).cuda()

    @staticmethod
    def read(folder):
        return idx(folder / "train-images-idx3-ubyte")[16:].reshape(-1, SIDE * SIDE).astype(np.float32)

    @staticmethod
    def bordered(pixels, border):
        square = np.pad(pixels.reshape(-1, SIDE, SIDE), ((0, 0), (1, 1), (1, 1)), mode=border)
        return torch.tensor(square).reshape(len(pixels), -1).cuda()

    def rows(self, part):
        return self.parts[part]

    def seen(self, padded, ways):
        return (torch.gather(padded, 1, self.ways[ways]) - self.mean) / self.scale

    def plain(self, padded):
        return self.seen(padded, torch.zeros(len(padded), dtype=torch.int64, device="cuda"))


class ChangedModels(Models):
    """The models of wide_schedules.py, with images that are changed at every step."""

    def __init__(self, images, widths, decays, seeds, variant):
        super().__init__(images, widths, decays, seeds, variant.get("rate", .003))
        self.variant = variant
        generator = torch.Generator("cuda").manual_seed(2)
        self.copies = torch.randint(1, 9, (len(images.y), max(1, variant.get("copies", 0))), device="cuda", generator=generator)
        self.parameters = self.weights + self.others
        self.mean = [p.detach().clone() for p in self.parameters] if "average" in variant else None

    def ways(self, rows):
        count, v = len(rows), self.variant
        ways = torch.zeros(count, dtype=torch.int64, device="cuda")
        if "shift" in v:
            if "copies" in v:
                drawn = self.copies[rows, torch.randint(0, v["copies"], (count,), device="cuda")]
            else:
                drawn = torch.randint(0, 9, (count,), device="cuda")
            ways = torch.where(torch.rand(count, device="cuda") < v["shift"], drawn, ways)
        if "flip" in v:
            ways = ways + 9 * (torch.rand(count, device="cuda") < v["flip"]).long()
        return ways

    def changed(self, rows):
        v, x = self.variant, self.images.seen(self.images.padded[rows], self.ways(rows))
        if "pixels" in v:
            x = x * (torch.rand_like(x) > v["pixels"])
        if "noise" in v:
            x = x + v["noise"] * torch.randn_like(x)
        return x

    def loss(self, rows):
        v, y, x = self.variant, self.images.y[rows], self.changed(rows)
        share = torch.ones(len(rows), 1, device="cuda")
        if "mixed" in v:
            share = 1 - v["mixed"] / 2 * torch.rand(len(rows), 1, device="cuda")
            x = share * x + (1 - share) * x.roll(1, 0)
        log_p = torch.log_softmax(self.outputs(x), dim=-1)
        of = lambda labels: log_p.gather(2, labels.reshape(1, -1, 1).expand(self.count, -1, 1)).squeeze(2)
        smoothing = v.get("smoothing", 0)
        likelihood = share.T * of(y) + (1 - share.T) * of(y.roll(1, 0))
        return -((1 - smoothing) * likelihood.sum() + smoothing * log_p.mean(-1).sum()) / len(rows)

    def step(self):
        rows = self.order.index_select(0, self.counter).squeeze(0)
        self.optimizer.param_groups[0]["lr"].copy_(self.rates.index_select(0, self.counter).squeeze(0))
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(rows).backward()
        with torch.no_grad():
            for w in self.weights:
                w.mul_(1 - self.optimizer.param_groups[0]["lr"] * self.decays)
        self.optimizer.step()
        if self.mean is not None:
            torch._foreach_lerp_(self.mean, [p.detach() for p in self.parameters], 1 - self.variant["average"])
        self.counter += 1

    @torch.no_grad()
    def judged(self):
        """Accuracy, log loss, calibration error and AUROC of each network."""
        if self.mean is not None:
            for p, value in zip(self.parameters, self.mean):
                p.copy_(value)
        images = self.images
        score = lambda padded: torch.cat([self.outputs(images.plain(some)).double() for some in padded.split(1000)],
                                         dim=1)
        outer = images.rows("outer")
        y, found = images.y[outer], []
        for own, foreign in zip(score(images.padded[outer]), score(images.foreign)):
            p = torch.softmax(own, dim=-1)
            top, which = p.max(dim=1)
            right = (which == y).double()
            gaps = torch.zeros(15, dtype=torch.float64, device="cuda")
            gaps.index_add_(0, (top * 15).long().clamp(max=14), right - top)
            ranks = torch.cat([own.logsumexp(1), foreign.logsumexp(1)]).argsort().argsort().double() + 1
            n = len(own)
            found.append((100 * float(right.mean()), float(-p[torch.arange(n), y].clamp_min(1e-300).log().mean()),
                          float(gaps.abs().sum() / n), 100 * float((ranks[:n].sum() - n * (n + 1) / 2) / (n * len(foreign)))))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--layers", nargs="+", default=["88", "88,42", "88,42,20"])
    parser.add_argument("--only", default="mnist,fashion_mnist")
    parser.add_argument("--variants", default=";".join(VARIANTS))
    parser.add_argument("--schedule", choices=list(SCHEDULES), default="4+12")
    parser.add_argument("--decays", default="0.06,0.125,0.2,0.31")
    parser.add_argument("--border", choices=["edge", "constant"], default="edge", help="what comes in: the edge again, or zeros")
    parser.add_argument("--limit", type=float, default=float("inf"))
    a = parser.parse_args()
    started = time.time()
    decays = [float(d) for d in a.decays.split(",")]
    for name in a.only.split(","):
        other = "mnist" if name == "fashion_mnist" else "fashion_mnist"
        for variant in a.variants.split(";"):
            images = Images(a.data / name, a.data / other, VARIANTS[variant].get("scale", "common"), a.border)
            for layers in a.layers:
                if time.time() - started > a.limit:
                    return print("stopped at the limit")
                models = ChangedModels(images, [int(w) for w in layers.split(",")], decays, a.seeds, VARIANTS[variant])
                for i, (part, epochs) in enumerate(SCHEDULES[a.schedule]):
                    models.train(part, epochs, 10 + i)
                means = np.array(models.judged()).reshape(len(decays), a.seeds, 4).mean(axis=1)
                print(name, layers, variant, *(f"[{d}: {m[0]:.2f} {m[1]:.4f} {m[2]:.3f} {m[3]:.1f}]" for d, m in zip(decays, means)),
                      flush=True)


if __name__ == "__main__":
    main()

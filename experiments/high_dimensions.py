#!/usr/bin/env python3
"""Images and texts (section 4.3 of the paper): BL beside the energy-based MLP, at depths 1 to 3.

    experiments/high_dimensions.py DATA_FOLDER [--bl build/release/bl] [--seeds 5] [--depths 1,2,3]
        [--only mnist,fashion_mnist,ag_news,reviews] [--models bl,emlp,emlp_torch] [--results high_dimensions.jsonl]
        [--options "--device cuda"] [--jobs 1]

DATA_FOLDER holds mnist/ and fashion_mnist/ (IDX files), ag_news/ (train.csv or train_10000.csv, test.csv) and, as the second set of
texts, yelp/ or rt_polarity/ (train.csv, test.csv: label, text). `emlp` is the plain ReLU network of the paper's widths by our
engine (`--heads 0,1,0 --lambda free`), `emlp_torch` the same in PyTorch (left out where it is not installed). Training has no
options beyond the layers, but for --options, which say where it runs. Seconds are those of the whole command `bl fit`; with --jobs above 1
several run at a time. Every run is kept in the file of results as it ends; runs found there are not made again. Prints mean and
standard deviation over seeds beside the paper's figures. --rows N takes the first N rows of each file: a test that all works.
"""
import argparse
import concurrent.futures
import csv
import functools
import json
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

IMAGE_LAYERS = {"bl": ["88", "88,42", "88,42,20"], "emlp": ["256", "256,128", "256,128,32"]}
TEXT_LAYERS = {"bl": ["380", "512,128", "256,128,64"], "emlp": ["1024", "1000,256", "512,256,128"]}
OTHER = {"mnist": "fashion_mnist", "fashion_mnist": "mnist", "ag_news": "reviews", "reviews": "ag_news"}
PAPER = {  # accuracy, AUROC, ECE, NLL of BL and accuracy, AUROC of the E-MLP, by depth; "reviews" is Yelp there
    "mnist": [(97.97, 91.17, .02, .26, 98.15, 88.72), (98.05, 90.57, .02, .16, 98.11, 90.32),
              (97.93, 92.92, .02, .13, 98.14, 87.76)],
    "fashion_mnist": [(89.26, 91.89, .05, .36, 88.79, 90.57), (88.96, 89.87, .07, .44, 88.88, 84.61),
                      (88.79, 89.24, .07, .49, 89.33, 83.13)],
    "ag_news": [(89.52, 66.18, .02, .31, 88.74, 59.24), (89.22, 63.68, .06, .43, 89.29, 62.48),
                (88.80, 64.44, .05, .39, 89.37, 66.82)],
    "reviews": [(91.56, 57.06, .00, .20, 91.16, 57.60), (91.39, 57.31, .02, .23, 91.32, 57.47),
                (91.13, 57.16, .02, .22, 91.23, 57.36)],
}


# --- data

def images(folder, part, rows):
    """Pixels and labels of an IDX pair."""
    pixels = np.fromfile(folder / f"{part}-images-idx3-ubyte", dtype=np.uint8)
    count, height, width = struct.unpack(">III", pixels[4:16].tobytes())
    labels = np.fromfile(folder / f"{part}-labels-idx1-ubyte", dtype=np.uint8)[8:]
    return pixels[16:].reshape(count, height * width)[:rows], labels[:rows], (height, width)


def texts(data, name):
    """Training and test file of a set of texts."""
    if name == "ag_news":
        whole = data / "ag_news" / "train.csv"
        return whole if whole.exists() else data / "ag_news" / "train_10000.csv", data / "ag_news" / "test.csv"
    folder = data / "yelp" if (data / "yelp").exists() else data / "rt_polarity"
    return folder / "train.csv", folder / "test.csv"


def written(data, name, work, rows):
    """Training and test file as our program reads them; made once."""
    if name in IMAGES:
        paths = [work / f"{name}-{part}-images-idx3-ubyte" for part in ("train", "t10k")]
        for path, part in zip(paths, ("train", "t10k")):
            if not path.exists():
                pixels, labels, shape = images(data / name, part, rows)
                path.write_bytes(struct.pack(">IIII", 2051, len(pixels), *shape) + pixels.tobytes())
                labels_path = pathlib.Path(str(path).replace("images-idx3", "labels-idx1"))
                labels_path.write_bytes(struct.pack(">II", 2049, len(labels)) + labels.tobytes())
        return paths
    paths = [work / f"{name}-{part}.csv" for part in ("train", "test")]
    for source, path in zip(texts(data, name), paths):
        if path.exists():
            continue
        with open(source, newline="") as lines, open(path, "w", newline="") as out:
            reader = csv.reader(lines)
            header = next(reader)
            writer = csv.writer(out)
            writer.writerow(["label", "text"])
            if header[0] != "label":  # the published files have no names
                writer.writerow([header[0], " ".join(header[1:])])
            for i, row in enumerate(reader):
                if rows is None or i < rows:
                    writer.writerow([row[0], " ".join(row[1:])])
    return paths


IMAGES = ("mnist", "fashion_mnist")


# --- figures

def calibration_error(p, truth, bins=15):
    confidence, right = p.max(axis=1), p.argmax(axis=1) == truth
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    return sum(abs(right[place == b].mean() - confidence[place == b].mean()) * np.mean(place == b)
               for b in range(bins) if np.any(place == b))


def detection(inside, outside):
    """AUROC, AUPR (rows of the own kind are positive) and FPR at a TPR of 95%; scores are high for the own kind."""
    scores = np.concatenate([inside, outside])
    positive = np.concatenate([np.ones(len(inside)), np.zeros(len(outside))])
    order = np.argsort(-scores, kind="stable")
    hits, false = np.cumsum(positive[order]), np.cumsum(1 - positive[order])
    recall, precision = hits / len(inside), hits / (hits + false)
    ranks = np.argsort(np.argsort(scores, kind="stable")) + 1
    auroc = (ranks[positive == 1].sum() - len(inside) * (len(inside) + 1) / 2) / len(inside) / len(outside)
    aupr = float(np.sum(np.diff(np.concatenate([[0], recall])) * precision))
    threshold = np.quantile(inside, 0.05)
    return 100 * auroc, 100 * aupr, 100 * float(np.mean(outside >= threshold))


def figures(p, truth, energy, energy_outside, maximum_outside):
    out = {"accuracy": 100 * float(np.mean(p.argmax(axis=1) == truth)),
           "nll": float(-np.mean(np.log(np.maximum(p[np.arange(len(truth)), truth], 1e-300)))),
           "ece": float(calibration_error(p, truth))}
    out["auroc"], out["aupr"], out["fpr95"] = detection(energy, energy_outside)
    out["auroc_probability"] = detection(p.max(axis=1), maximum_outside)[0]
    return out


# --- models

def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout


def predictions(bl, model, path):
    """Columns of bl predict --ood as numbers."""
    lines = csv.reader(run([bl, "predict", model, str(path), "--ood"]).splitlines())
    names = next(lines)
    values = np.array([[float(cell) for cell in line] for line in lines])
    column = {name: values[:, i] for i, name in enumerate(names)}
    p = np.column_stack([column[name] for name in names if name.startswith("p(")])
    levels = [float(name[2:-1]) for name in names if name.startswith("p(")]
    return p, levels, column["energy"], column["max_probability"]


def labels_of(path):
    if path.suffix == ".csv":
        with open(path, newline="") as file:
            return np.array([float(row["label"]) for row in csv.DictReader(file)])
    return np.fromfile(str(path).replace("images-idx3", "labels-idx1"), dtype=np.uint8)[8:].astype(float)


def by_engine(a, name, model, depth, seed, files, other, work):
    layers = (IMAGE_LAYERS if name in IMAGES else TEXT_LAYERS)[model][depth - 1]
    kept = str(work / f"{name}-{model}-{depth}-{seed}.bl")
    command = [a.bl, "fit", str(files[0]), "--target", "label", "--nominal", "label", "--layers", layers, "--seed",
               str(seed), "--json", "-o", kept, *shlex.split(a.options)]
    if model == "emlp":
        command += ["--heads", "0,1,0", "--lambda", "free"]
    if a.epochs:
        command += ["--epochs", str(a.epochs)]
    started = time.time()
    told = json.loads(run(command))
    seconds = time.time() - started
    p, levels, energy, _ = predictions(a.bl, kept, files[1])
    _, _, energy_outside, maximum_outside = predictions(a.bl, kept, other[1])
    truth = np.searchsorted(np.array(levels), labels_of(files[1]))
    return {**figures(p, truth, energy, energy_outside, maximum_outside), "seconds": seconds,
            "training_seconds": told["seconds"], "decay": decay_of(a.bl, kept)}


def decay_of(bl, model):
    """The decay of weights that the fit chose; None where nothing was chosen."""
    used = json.loads(run([bl, "inspect", model, "--json"]))["information"].get("used", {})
    return float(used["weight_decay"]) if "weight_decay" in used else None


@functools.cache
def torch_inputs(name, files, other):
    """Training, test and foreign rows as the paper encodes them."""
    if name in IMAGES:
        rows = [np.fromfile(path, dtype=np.uint8)[16:].reshape(-1, 784) / 255.0 for path in (*files, other[1])]
        mean, scale = rows[0].mean(), rows[0].std()
        return [(one - mean) / scale for one in rows]
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer, StandardScaler
    read = lambda path: [row["text"] for row in csv.DictReader(open(path, newline=""))]
    encode = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2, max_features=200000),
                           TruncatedSVD(128, random_state=0), StandardScaler(), Normalizer())
    return [encode.fit_transform(read(files[0])), encode.transform(read(files[1])), encode.transform(read(other[1]))]


def by_torch(a, name, depth, seed, files, other):
    import torch
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows = [torch.tensor(one, dtype=torch.float32, device=device) for one in torch_inputs(name, tuple(files), tuple(other))]
    levels, train = np.unique(labels_of(files[0]), return_inverse=True)
    widths = (IMAGE_LAYERS if name in IMAGES else TEXT_LAYERS)["emlp"][depth - 1].split(",")
    layers, last = [], rows[0].shape[1]
    for width in map(int, widths):
        layers += [torch.nn.Linear(last, width), torch.nn.ReLU()]
        last = width
    network = torch.nn.Sequential(*layers, torch.nn.Linear(last, len(levels))).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    target = torch.tensor(train, device=device)
    started = time.time()
    for _ in range(a.epochs or 20):
        for batch in torch.randperm(len(target), device=device).split(64):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(rows[0][batch]), target[batch]).backward()
            optimizer.step()
    seconds = time.time() - started
    with torch.no_grad():
        inside, outside = (network(one).double().cpu() for one in rows[1:])
    truth = np.searchsorted(levels, labels_of(files[1]))
    return {**figures(inside.softmax(1).numpy(), truth, inside.logsumexp(1).numpy(), outside.logsumexp(1).numpy(),
                      outside.softmax(1).max(1).values.numpy()), "seconds": seconds}


# --- report

def report(results, depths, models):
    names = ["accuracy", "nll", "ece", "auroc", "auroc_probability", "aupr", "fpr95", "seconds"]
    print("| set | model | depth | seeds | " + " | ".join(names) + " | paper: BL accuracy, NLL, ECE, AUROC | "
          "paper: E-MLP accuracy, AUROC |\n|" + "---|" * (len(names) + 6))
    for name in OTHER:
        for depth in depths:
            for model in models:
                runs = [r for r in results if (r["set"], r["model"], r["depth"]) == (name, model, depth)]
                if not runs:
                    continue
                cells = []
                for one in names:
                    values = [r[one] for r in runs]
                    digits = 3 if one in ("nll", "ece") else 2
                    cells.append(f"{np.mean(values):.{digits}f}" +
                                 (f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""))
                acc, auroc, ece, nll, mlp, mlp_auroc = PAPER[name][depth - 1]
                print(f"| {name} | {model} | {depth} | {len(runs)} | " + " | ".join(cells) +
                      f" | {acc}, {nll}, {ece}, {auroc} | {mlp}, {mlp_auroc} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--depths", default="1,2,3")
    parser.add_argument("--only", default=",".join(OTHER))
    parser.add_argument("--models", default="bl,emlp,emlp_torch")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("high_dimensions.jsonl"))
    parser.add_argument("--options", default="", help="further options of bl fit")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--rows", type=int, help="the first so many rows of each file only")
    parser.add_argument("--epochs", type=int, help="for tests; without it the program decides")
    a = parser.parse_args()
    depths, models = [int(one) for one in a.depths.split(",")], a.models.split(",")
    if "emlp_torch" in models:
        try:
            import torch  # noqa: F401
        except ImportError:
            print("emlp_torch is left out: PyTorch is not installed", file=sys.stderr)
            models.remove("emlp_torch")
    results = [json.loads(line) for line in a.results.read_text().splitlines()] if a.results.exists() else []
    key = lambda r: (r["set"], r["model"], r["depth"], r["seed"])
    done = {key(r) for r in results}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        todo = [one for one in ((name, model, depth, seed) for seed in range(a.seeds) for name in a.only.split(",")
                                for depth in depths for model in models) if one not in done]
        files = {name: written(a.data, name, work, a.rows) for one in todo for name in (one[0], OTHER[one[0]])}

        def made(one):
            name, model, depth, seed = one
            found = (by_torch(a, name, depth, seed, files[name], files[OTHER[name]]) if model == "emlp_torch" else
                     by_engine(a, name, model, depth, seed, files[name], files[OTHER[name]], work))
            return {"set": name, "model": model, "depth": depth, "seed": seed, **found}

        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for result in pool.map(made, todo):
                results.append(result)
                with open(a.results, "a") as out:
                    out.write(json.dumps(result) + "\n")
                print(json.dumps(result), file=sys.stderr, flush=True)
    report(results, depths, models)


if __name__ == "__main__":
    main()

"""A Langevin step of ours beside one of the published package `blnetwork` under PyTorch.

The two take turns, each round timing both; medians over the rounds and the ratio of the medians are printed as a table
and as JSON, of the wall-clock time and of the processor's time (which other work on the machine disturbs less). First both compute the gradient of BL/tau for the same weights and points: where these differ the run
fails, so that a fast wrong answer is no result. Without PyTorch or blnetwork only our own time is printed.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
STEPS = 200
TOLERANCE = 1e-4  # of the largest component: sums of some hundred float32 products


def ours(program, threads):
    output = subprocess.run([program, "time", str(threads)], check=True, capture_output=True, text=True).stdout
    return [float(number) for number in output.split()]


def load_problem(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "problem.json"
        subprocess.run([program, "problem", str(path)], check=True)
        return json.loads(path.read_text())


def tensor(torch, entry):
    return torch.tensor(entry["values"], dtype=torch.float32).reshape(entry["shape"])


def published_model(torch, problem):
    from blnetwork.model import BLDeep

    model = BLDeep(hidden_dims=[36, 6], task="continuous")
    model.build(tensor(torch, problem["x"]), tensor(torch, problem["y"]))
    weights = {name: tensor(torch, entry) for name, entry in problem["weights"].items()}
    with torch.no_grad():
        for number, block in enumerate(model.backbone.blocks):
            linears = {"U": block.unit.lin_u, "C": block.unit.lin_c, "T": block.unit.lin_t}
            for row, (letter, linear) in enumerate(linears.items()):
                prefix = f"layers/{number}/{letter}/"
                linear.weight.copy_(weights[prefix + "weight"])
                linear.bias.copy_(weights[prefix + "bias"].flatten())
                block.unit.lam[row].copy_(weights[prefix + "lambda"].flatten())
        model.head.weight.copy_(weights["readout/weight"])
        model.head.bias.copy_(weights["readout/bias"].flatten())
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return model


def score_gradient(torch, model, x, y, temperature):
    y = y.detach().requires_grad_(True)
    return torch.autograd.grad((model.score(x, y) / temperature).sum(), y)[0]


def published(torch, model, problem, threads):
    torch.set_num_threads(threads)
    x, y = tensor(torch, problem["x"]), tensor(torch, problem["y"])
    step = problem["step"]
    begin, busy = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        gradient = score_gradient(torch, model, x, y, problem["temperature"])
        y = y + step**2 / 2 * gradient + step * torch.randn_like(y)
    seconds = [(time.perf_counter() - begin) / STEPS, (time.process_time() - busy) / STEPS]
    if not torch.isfinite(y).all():
        sys.exit("the published package's chains left the finite numbers")
    return seconds


def check_gradient(torch, model, problem):
    theirs = score_gradient(torch, model, tensor(torch, problem["x"]), tensor(torch, problem["y"]), problem["temperature"])
    mine = tensor(torch, problem["gradient"])
    error = float((theirs - mine).abs().max() / theirs.abs().max())
    if not error < TOLERANCE:
        sys.exit(f"the gradients differ by {error:.2g} of the largest component (allowed: {TOLERANCE:g})")
    return error


def medians(prefix, rounds):
    wall, processor = (statistics.median(times) for times in zip(*rounds))
    return {prefix + "_seconds": wall, prefix + "_processor_seconds": processor}


def compare(program, threads):
    problem = load_problem(program)
    result = {"benchmark": "langevin_step", "chains": 512, "responses": 8, "context": 12, "layers": [36, 6],
              "precision": "float32", "threads": threads}
    try:
        import torch

        model = published_model(torch, problem)
    except ModuleNotFoundError as missing:
        result |= medians("ours", [ours(program, threads) for _ in range(ROUNDS)])
        result["skipped"] = f"no module '{missing.name}': comparison skipped (pip install torch blnetwork)"
        return result
    result["torch"] = torch.__version__
    result["gradient_difference"] = check_gradient(torch, model, problem)
    # PyTorch with one thread or with all, whichever is faster for it; the first turn warms up.
    published(torch, model, problem, threads)
    taken = {count: published(torch, model, problem, count)[0] for count in sorted({1, threads})}
    torch_threads = min(taken, key=taken.get)
    mine, theirs = [], []
    for _ in range(ROUNDS):
        mine.append(ours(program, threads))
        theirs.append(published(torch, model, problem, torch_threads))
    result |= medians("ours", mine) | medians("published", theirs)
    for kind in ("seconds", "processor_seconds"):
        result[f"share_of_{kind}"] = result[f"ours_{kind}"] / result[f"published_{kind}"]
    return result


def line(name, result, prefix):
    wall, processor = result[prefix + "_seconds"], result[prefix + "_processor_seconds"]
    return f"{name:<22}{wall * 1e6:12.1f} us{processor * 1e6:12.1f} us"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the bench_langevin that ./run bench built")
    parser.add_argument("--threads", type=int, default=1)
    result = compare(**vars(parser.parse_args()))
    print("One Langevin step of 512 chains x 8 responses, 12 context columns, layers [36, 6], float32, "
          f"threads: {result['threads']}")
    print(f"{'':<22}{'time':>15}{'processor':>15}")
    print(line("ours", result, "ours"))
    if "skipped" in result:
        print(result["skipped"])
    else:
        print(line("blnetwork, PyTorch", result, "published"))
        print(f"{'ours / published':<22}{result['share_of_seconds']:12.3f}   {result['share_of_processor_seconds']:12.3f}")
        print(f"torch {result['torch']}; gradients differ by {result['gradient_difference']:.1e} of the largest component")
    print(json.dumps(result))


if __name__ == "__main__":
    main()

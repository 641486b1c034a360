"""Several processes on one fit (docs/cluster.md): their speed, memory and what they send each other.

    python experiments/ranks.py rows FOLDER --rows 1000000 --columns 100 --files 1    # writes FOLDER/rows-1.csv ...
    python experiments/ranks.py speed FOLDER --bl build/release/bl --ranks 1 2 [-- options of bl fit]
    python experiments/ranks.py capped FOLDER --bl build/release/bl --ranks 2 --megabytes 1024 [-- options of bl fit]
    python experiments/ranks.py growth            # the model of docs/cluster.md, from the figures measured there

`speed` runs the same fit with each number of ranks, one core for each, and says the wall-clock seconds of the whole command and
of training, what rank 0 received, how long it waited, and the largest memory of a rank; the model files must be equal. `capped`
runs one fit with every rank in a memory control group of its own (version 1; root). Needs NumPy for `rows`, Open MPI for the rest."""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

# What `speed` measured with one rank: seconds of a step, rows of a batch, numbers of an encoded row, parameters, lanes that a
# batch is cut into; and how many collectives a step takes. A wide first layer is shared by heads: of its weights every rank
# receives what the others have computed, once.
MEASURED = {
    "[36,6], 256 rows": dict(step=0.38e-3, batch=256, width=100, summed=11922, joined=0, lanes=4, calls=2),
    "[128,16], 4,096 rows": dict(step=20.5e-3, batch=4096, width=100, summed=46192, joined=0, lanes=8, calls=2),
    "curves, 256 rows": dict(step=6.7e-3, batch=256, width=2200, summed=1100, joined=237600, lanes=4, calls=4),
}


def write_rows(folder, rows, columns, files):
    import numpy

    cells = numpy.array(["%6.3f," % (v / 1000) for v in range(-5000, 5001)], dtype="S7").view("u1").reshape(-1, 7)
    labels = numpy.array([" no\n", "yes\n"], dtype="S4").view("u1").reshape(-1, 4)
    weights = numpy.random.default_rng(0).normal(size=columns) / columns**0.5
    for file in range(files):
        draw = numpy.random.default_rng(1 + file)
        with open(folder / f"rows-{file + 1}.csv", "wb") as out:
            out.write((",".join([f"x{i}" for i in range(columns)] + ["y"]) + "\n").encode())
            left = rows // files
            while left > 0:
                n = min(20000, left)
                left -= n
                x = draw.standard_normal((n, columns), dtype="f4")
                utility = x @ weights + abs(x[:, 0]) - numpy.maximum(x[:, 1], 0)
                yes = (utility + draw.logistic(size=n) > 0).astype(int)
                codes = numpy.clip(numpy.rint(x * 1000), -5000, 5000).astype("i4") + 5000
                out.write(numpy.concatenate([cells[codes].reshape(n, -1), labels[yes]], axis=1).tobytes())


def command(arguments, ranks, output, wrapper=()):
    fit = [*wrapper, arguments.bl, "fit", str(arguments.folder / "rows-*.csv"), "--target", "y", "--threads", "1", "--json",
           "-o", str(output), *arguments.options]
    if ranks == 1:
        return ["taskset", "-c", "0", *fit]
    return ["mpirun", "--allow-run-as-root", "--bind-to", "core", "--quiet", "-n", str(ranks), *fit]


def run(arguments, ranks, wrapper=()):
    output = arguments.folder / "model.bl"
    began = time.monotonic()
    done = subprocess.run(command(arguments, ranks, output, wrapper), capture_output=True, text=True)
    seconds = time.monotonic() - began
    if done.returncode != 0:
        sys.exit(done.stderr or f"exit code {done.returncode}")
    found = json.loads(done.stdout)
    digest = hashlib.sha256(output.read_bytes()).hexdigest()[:12]
    sent = found["communication"]
    print(f"{ranks} ranks: {seconds:.1f} s in all, {found['seconds']:.1f} s of training ({found['epochs']} epochs), received "
          f"{sent['megabytes']:.0f} MB in {sent['calls']} calls and {sent['seconds']:.1f} s, peak {found['peak_megabytes']:.0f} MB, "
          f"model {digest}", *found["notes"], sep="\n  ", flush=True)
    return seconds, found["seconds"], digest


def speed(arguments):
    print(f"load before: {os.getloadavg()[0]:.1f}")
    results = [run(arguments, ranks) for ranks in arguments.ranks]
    for ranks, (seconds, training, digest) in zip(arguments.ranks[1:], results[1:]):
        same = "the same model" if digest == results[0][2] else "ANOTHER MODEL"
        print(f"{ranks} ranks: {results[0][0] / seconds:.2f} times as fast in all, {results[0][1] / training:.2f} in training; {same}")


def capped(arguments):
    group = Path("/sys/fs/cgroup/memory/bl_ranks")
    script = arguments.folder / "capped.sh"
    script.write_text(f"""#!/bin/bash
group={group}_$OMPI_COMM_WORLD_RANK
mkdir -p $group && echo {arguments.megabytes}M > $group/memory.limit_in_bytes && echo $$ > $group/tasks || exit 1
exec "$@"
""")
    script.chmod(0o755)
    run(arguments, arguments.ranks[0], [str(script)])
    for rank in range(arguments.ranks[0]):
        own = Path(f"{group}_{rank}")
        peak = int((own / "memory.max_usage_in_bytes").read_text()) >> 20
        print(f"rank {rank}: at most {peak} MB with the pages of files, cap {arguments.megabytes} MB")
        own.rmdir()


def growth():
    """Seconds of a step: computation over the ranks that have lanes, what each receives over the network, and its latency."""
    networks = ((10e9, 50e-6), (100e9, 5e-6))  # bit/s, seconds of a message
    print("| network | ranks | " + " | ".join(f"{bits / 1e9:.0f} Gbit/s, {1e6 * wait:.0f} us" for bits, wait in networks) + " |")
    print("|---|---|---|---|")
    for name, m in MEASURED.items():
        for ranks in (2, 4, 8, 64, 1024):
            cells = []
            for bits, latency in networks:
                sharing = min(ranks, m["lanes"])
                rows = m["batch"] * m["width"] * (1 - 1 / ranks)
                gradients = m["lanes"] * m["summed"] * (1 - 1 / sharing) + m["joined"] * (1 - 1 / ranks)
                messages = m["calls"] * (ranks - 1).bit_length()
                step = m["step"] / sharing + 4 * (rows + gradients) * 8 / bits + messages * latency
                cells.append(f"{m['step'] / step:.2f} times, {100 * m['step'] / step / ranks:.1f}%")
            print(f"| {name} | {ranks:,} | {cells[0]} | {cells[1]} |")


def main():
    own = [*sys.argv[1:], "--"]
    split = own.index("--")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rows", "speed", "capped", "growth"])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--megabytes", type=int, default=1024)
    arguments = parser.parse_args(own[:split])
    arguments.options = [word for word in own[split + 1:] if word != "--"]
    if arguments.what == "growth":
        return growth()
    if arguments.what == "rows":
        arguments.folder.mkdir(parents=True, exist_ok=True)
        return write_rows(arguments.folder, arguments.rows, arguments.columns, arguments.files)
    return {"speed": speed, "capped": capped}[arguments.what](arguments)


if __name__ == "__main__":
    main()

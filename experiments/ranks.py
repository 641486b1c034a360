"""Several processes on one fit (docs/cluster.md): their speed, memory and what they send each other.

    python experiments/ranks.py rows FOLDER --rows 1000000 --columns 100 --files 1    # writes FOLDER/rows-1.csv ...
    python experiments/ranks.py speed FOLDER --bl build/release/bl --ranks 1 2 [-- options of bl fit]
    python experiments/ranks.py predict FOLDER --bl build/release/bl --ranks 1 2 [-- options of bl predict]
    python experiments/ranks.py capped FOLDER --bl build/release/bl --ranks 2 --megabytes 1024 [-- options of bl fit]
    python experiments/ranks.py network FOLDER --bl build/release/bl --rates 1000 100 [--delay 1] [-- options of bl fit]
    python experiments/ranks.py growth            # the model of docs/cluster.md, from the figures measured there

`speed` runs the same fit with each number of ranks, one core for each, and says the wall-clock seconds of the whole command and
of training, what rank 0 received, how long it waited, and the largest memory of a rank; the model files must be equal. `predict`
predicts the rows with FOLDER/model.bl, which `speed` leaves there; the predictions must be equal. `capped`
runs one fit with every rank in a memory control group of its own (version 1; root). `network` runs two ranks in network
namespaces of their own (root), joined by a link of these rates in Mbit/s and this delay in milliseconds each way, and says how much
longer the command takes than without a limit, beside what the bytes and calls that it counted foretell. Needs NumPy for `rows`, Open MPI for the rest."""

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
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


def predict(arguments):
    print(f"load before: {os.getloadavg()[0]:.1f}")
    results = []
    for ranks in arguments.ranks:
        output = arguments.folder / "predictions.csv"
        work = [arguments.bl, "predict", str(arguments.folder / "model.bl"), str(arguments.folder / "rows-*.csv"), "--threads", "1",
                "-o", str(output), *arguments.options]
        start = ["taskset", "-c", "0"] if ranks == 1 else ["mpirun", "--allow-run-as-root", "--bind-to", "core", "--quiet", "-n", str(ranks)]
        began = time.monotonic()
        subprocess.run([*start, *work], check=True)
        results.append((time.monotonic() - began, hashlib.sha256(output.read_bytes()).hexdigest()[:12]))
        same = "the same predictions" if results[-1][1] == results[0][1] else "OTHER PREDICTIONS"
        print(f"{ranks} ranks: {results[-1][0]:.1f} s, {results[0][0] / results[-1][0]:.2f} times as fast; {same}", flush=True)


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


@contextlib.contextmanager
def link(rate, delay):
    """Two namespaces joined by a link of this many Mbit/s (0: without a limit) and milliseconds each way."""
    names, agent = ("bl_ranks_0", "bl_ranks_1"), Path(tempfile.mkdtemp()) / "agent.sh"
    agent.write_text(f'#!/bin/bash\nshift\nexec ip netns exec {names[1]} bash -c "$*"\n')  # in place of ssh to the second
    agent.chmod(0o755)
    tell = lambda *words: subprocess.run(words, check=True)
    try:
        for name in names:
            tell("ip", "netns", "add", name)
        tell("ip", "link", "add", "bl0", "netns", names[0], "type", "veth", "peer", "name", "bl1", "netns", names[1])
        for rank, name in enumerate(names):
            tell("ip", "-n", name, "addr", "add", f"10.77.0.{rank + 1}/24", "dev", f"bl{rank}")
            for device in ("lo", f"bl{rank}"):
                tell("ip", "-n", name, "link", "set", device, "up")
            shape = ["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", f"bl{rank}", "root"]
            if delay > 0:
                tell(*shape, "netem", "delay", f"{delay}ms", *(["rate", f"{rate}mbit"] if rate else []))
            elif rate > 0:
                tell(*shape, "tbf", "rate", f"{rate}mbit", "burst", "64kb", "latency", "100ms")
        only = [word for kind in ("btl_tcp", "oob_tcp") for word in ("--mca", f"{kind}_if_include", "10.77.0.0/24")]
        yield ["ip", "netns", "exec", names[0], "mpirun", "--allow-run-as-root", "--quiet", "--host", "10.77.0.1:1,10.77.0.2:1",
               "--mca", "plm_rsh_agent", str(agent), "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", *only, "-n", "2"]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False)
        shutil.rmtree(agent.parent)


def network(arguments):
    arguments.bl = str(Path(arguments.bl).resolve())
    arguments.folder = arguments.folder.resolve()
    free = None
    for rate in [0, *arguments.rates]:
        with link(rate, arguments.delay if rate else 0) as start:
            output = arguments.folder / "model.bl"
            began = time.monotonic()
            done = subprocess.run([*start, *command(arguments, 1, output)[3:]], capture_output=True, text=True)
            seconds = time.monotonic() - began
        if done.returncode != 0:
            sys.exit(done.stderr or f"exit code {done.returncode}")
        sent = json.loads(done.stdout)["communication"]
        said = f"{seconds:.1f} s, {sent['seconds']:.1f} s of it in {sent['calls']} calls for {sent['megabytes']:.0f} MB"
        if free is None:
            free = seconds, sent["seconds"]
            print(f"no limit: {said}", flush=True)
            continue
        predicted = 8 * sent["megabytes"] * 1.048576 / rate + sent["calls"] * arguments.delay / 1000
        print(f"{rate} Mbit/s, {arguments.delay} ms: {said}; {seconds - free[0]:.1f} s longer in all, "
              f"{sent['seconds'] - free[1]:.1f} s in calls; predicted {predicted:.1f} s", flush=True)


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
    parser.add_argument("what", choices=["rows", "speed", "predict", "capped", "network", "growth"])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--rates", type=int, nargs="+", default=[1000, 100])
    parser.add_argument("--delay", type=float, default=0)
    arguments = parser.parse_args(own[:split])
    arguments.options = [word for word in own[split + 1:] if word != "--"]
    if arguments.what == "growth":
        return growth()
    if arguments.what == "rows":
        arguments.folder.mkdir(parents=True, exist_ok=True)
        return write_rows(arguments.folder, arguments.rows, arguments.columns, arguments.files)
    return {"speed": speed, "predict": predict, "capped": capped, "network": network}[arguments.what](arguments)


if __name__ == "__main__":
    main()

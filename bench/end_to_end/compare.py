"""Training and sampling of ours beside the published package `blnetwork` and beside plain PyTorch tuned by hand.

Same data, batches, optimizer, number of steps and starting values; the contestants take turns, and what is printed are
medians over the rounds: of the wall-clock time, and of the processor's time, which other work on the machine disturbs
less. Ratios are of medians taken in the same run. A fast wrong answer is no result: loss and gradient at the start must
agree to float32 accuracy, the final loss with plain PyTorch (which gets our orders of rows and our noise) to 1%, and
with the published package (which shuffles for itself) to 10%. The rate of a matrix product is measured between the rounds.
Without PyTorch only our own figures are printed. The last line is JSON.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

import langevin_torch

START_TOLERANCE = 2e-4    # of the largest component: float32 sums of up to a thousand products
PLAIN_TOLERANCE = 0.01    # final loss, same batches and noise: what rounding grows to over the steps
SHUFFLE_TOLERANCE = 0.10  # final loss, other shuffles and noise
# What the project set out to reach: against whom, how many times, which share of the product rate.
TARGETS = {
    "score_2_1": ("published", 100, None), "score_36_6": ("published", 30, None),
    "score_36_6_wide": ("published", 20, None), "two_classes": ("published", 25, None),
    "ten_classes_scalar": ("published", 30, None), "ten_classes_vector": ("plain", 8, 0.6),
    "four_classes_vector": ("plain", 6, 0.6), "langevin": ("published", 12, None),
}


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


class OurRun:
    def __init__(self, program, work, threads):
        self.command = (program, "train", work["name"], threads)
        self.work = work

    def round(self):
        result = json.loads(output_of(*self.command, 5))
        seconds, processor = (statistics.median(result[kind][1:]) for kind in ("seconds", "processor_seconds"))
        return seconds, processor, result["final_loss"]


class TorchRun:
    """PyTorch with as many threads as serve it best: small operations on a busy machine run faster with one."""

    def __init__(self, run, threads):
        self.run = run
        self.epochs = run.problem.work["epochs"]
        taken = {}
        for count in sorted({1, threads}):
            torch_threads(count)
            self.run.train(1)
            begin = time.perf_counter()
            self.run.train(1)
            taken[count] = time.perf_counter() - begin
        self.threads = min(taken, key=taken.get)

    def round(self):
        torch_threads(self.threads)
        begin, busy = time.perf_counter(), time.process_time()
        loss = self.run.train(self.epochs)
        seconds, processor = time.perf_counter() - begin, time.process_time() - busy
        return seconds, processor, loss()


def torch_threads(count):
    import torch

    torch.set_num_threads(count)


def torch_runs(problem, threads, result):
    """The contestants that are installed and know this form; why not, in result["skipped"]."""
    runs = {}
    try:
        import plain_torch

        of_loss, of_gradient = plain_torch.start_check(problem)
        result["start_differences"] = {"loss": of_loss, "gradient": of_gradient}
        if not max(of_loss, of_gradient) < START_TOLERANCE:
            sys.exit(f"{problem.work['name']}: loss or gradient differ at the start: {of_loss:.2g}, {of_gradient:.2g}")
        runs["plain"] = TorchRun(plain_torch.PlainRun(problem), threads)
        import published

        runs["published"] = TorchRun(published.PublishedRun(problem), threads)
    except ModuleNotFoundError as missing:
        result["skipped"] = f"no module '{missing.name}'"
    except NotImplementedError as reason:
        result["skipped"] = str(reason)
    return runs


def check_losses(name, ours, losses):
    for who, loss in losses.items():
        allowed = PLAIN_TOLERANCE if who == "plain" else SHUFFLE_TOLERANCE
        if not abs(loss - ours) <= allowed * abs(ours):
            sys.exit(f"{name}: the final loss is {ours:.6g}, that of {who} {loss:.6g} (allowed: {allowed:.0%})")


def compare_training(program, work, threads, rounds):
    rows = work["rows"] * work["epochs"]
    result = {"name": work["name"], "title": work["title"], "batch": work["batch"], "steps_rows": rows}
    runs = {"ours": OurRun(program, work, threads)}
    try:
        from problem import Problem

        runs |= torch_runs(Problem(program, work), threads, result)
    except ModuleNotFoundError as missing:
        result["skipped"] = f"no module '{missing.name}'"
    taken = {who: [] for who in runs}
    rates = []
    for _ in range(rounds):
        rates.append([float(rate) for rate in output_of(program, "product", threads).split()])
        for who, run in runs.items():
            taken[who].append(run.round())
    losses = {who: times[0][2] for who, times in taken.items()}
    result["final_losses"] = dict(losses)
    check_losses(work["name"], losses.pop("ours"), losses)
    result["torch_threads"] = {who: run.threads for who, run in runs.items() if who != "ours"}
    for who, times in taken.items():
        wall, processor = (statistics.median(column) for column in list(zip(*times))[:2])
        result[who] = {"rows_per_second": rows / wall, "rows_per_processor_second": rows / processor}
    if work["objective"] == "likelihood":
        for kind, rate in zip(("rows_per_second", "rows_per_processor_second"), zip(*rates)):
            rate = statistics.median(rate)
            share = work["product_operations_per_row"] * result["ours"][kind] / rate
            result.setdefault("share_of_product_rate", {})[kind] = share
            result.setdefault("product_rate", {})[kind] = rate
    return result


def compare_langevin(program, threads):
    times = langevin_torch.compare(program, threads)
    result = {"name": "langevin", "title": "Langevin, 512 chains, [36,6], 12 + 8 inputs", "batch": 512}
    for who, prefix in (("ours", "ours"), ("published", "published")):
        if prefix + "_seconds" in times:
            result[who] = {"rows_per_second": 512 / times[prefix + "_seconds"],
                           "rows_per_processor_second": 512 / times[prefix + "_processor_seconds"]}
    return result


def ratios(result):
    """Ours over each other contestant, by the clock and by the processor's time."""
    for who in ("published", "plain"):
        if who in result:
            result[f"times_{who}"] = {kind: result["ours"][kind] / result[who][kind] for kind in result[who]}


def verdict(result):
    against, times, share = TARGETS[result["name"]]
    if f"times_{against}" not in result:
        return "not compared"
    reached = result[f"times_{against}"]["rows_per_second"] >= times
    if share is not None:
        reached = reached and result["share_of_product_rate"]["rows_per_second"] >= share
    goal = f"{times}x {against}" + (f", {share:.0%}" if share is not None else "")
    return f"{goal}: {'reached' if reached else 'not reached'}"


def print_table(results):
    print(f"{'rows or chain-steps a second':<55}{'batch':>6}{'ours':>11}{'published':>11}{'plain':>9}"
          f"{'x publ.':>9}{'x plain':>9}{'(cpu)':>16}{'product (cpu)':>15}  to reach")
    for r in results:
        def rate(who):
            return f"{r[who]['rows_per_second']:,.0f}" if who in r else "-"

        def times(who, kind="rows_per_second"):
            return f"{r['times_' + who][kind]:.1f}" if "times_" + who in r else "-"

        cpu = f"({times('published', 'rows_per_processor_second')}, {times('plain', 'rows_per_processor_second')})"
        shares = r.get("share_of_product_rate", {}).values()
        share = "{:.0%} ({:.0%})".format(*shares) if shares else "-"
        print(f"{r['title']:<55}{r['batch']:>6}{rate('ours'):>11}{rate('published'):>11}{rate('plain'):>9}"
              f"{times('published'):>9}{times('plain'):>9}{cpu:>16}{share:>15}  {verdict(r)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where ./run bench put bench_training and bench_langevin")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="names of works, comma-separated")
    arguments = parser.parse_args()
    try:
        import torch

        print(f"torch {torch.__version__}; ours with {arguments.threads} threads, PyTorch with 1 or "
              f"{arguments.threads}, whichever is faster")
    except ModuleNotFoundError:
        print("PyTorch is not installed for this Python: only our own figures follow. Set BL_BENCH_PYTHON to a "
              "Python that has torch, numpy and blnetwork (pip install torch numpy blnetwork).")
    program = f"{arguments.folder}/bench_training"
    wanted = set(arguments.only.split(",")) - {""}
    results = []
    for work in json.loads(output_of(program, "list")):
        if not wanted or work["name"] in wanted:
            results.append(compare_training(program, work, arguments.threads, arguments.rounds))
            ratios(results[-1])
    if not wanted or "langevin" in wanted:
        results.append(compare_langevin(f"{arguments.folder}/bench_langevin", arguments.threads))
        ratios(results[-1])
    print_table(results)
    print(json.dumps(results))


if __name__ == "__main__":
    main()

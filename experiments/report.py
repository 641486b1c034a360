"""Reports on data of our own making: their pictures in docs/report, and how long they take.

    python experiments/report.py pictures --bl build/release/bl       # writes docs/report/*.png
    python experiments/report.py times --bl build/release/bl          # seconds to build, size, opening, slider
    python experiments/report.py times --bl build/release/bl --data DATA_FOLDER   # of adult, Boston, Swissmetro, MNIST
    python experiments/report.py times --bl build/release/bl --report FILE   # of a report that is there already

Our own data are a class, a number, a choice, and "large": 100 blocks and 100,000 rows. Needs Debian's chromium and
Playwright's client (pip install playwright). Times are processor times, so that other programs on the machine do not
change them; build_wall_seconds is the wall-clock time of the same command."""

import argparse
import json
import math
import random
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def commuters(path, rows=4000):
    """How people get to work: by bicycle more often when young, near and dry; a hill costs more the longer the way."""
    draw = random.Random(1)
    lines = ["age,kilometres,hill,weather,parking_cost,goes_by,minutes"]
    for _ in range(rows):
        age, far = draw.uniform(18, 70), draw.lognormvariate(1.4, 0.6)
        hill, cost = draw.uniform(0, 120), draw.uniform(0, 12)
        weather = draw.choices(["dry", "rain", "snow"], [6, 3, 1])[0]
        wet = {"dry": 0, "rain": 1.2, "snow": 2.5}[weather]
        utility = 1.6 - 0.05 * max(0, age - 35) - 0.25 * far - 0.004 * hill * math.sqrt(far) - wet + 0.18 * cost
        bicycle = draw.random() < 1 / (1 + math.exp(-utility))
        speed = 15 - 0.05 * hill if bicycle else 28
        minutes = 4 + 60 * far / speed * math.exp(0.12 * draw.gauss(0, 1) * (1 + wet))
        lines.append(f"{age:.1f},{far:.2f},{hill:.0f},{weather},{cost:.1f},{'bicycle' if bicycle else 'car'},{minutes:.1f}")
    path.write_text("\n".join(lines) + "\n")


def trips(path, situations=3000):
    """Choices among three ways to travel, from a utility linear in time and fare, with errors of Gumbel."""
    draw = random.Random(2)
    lines = ["trip,mode,time,fare,chosen"]
    for trip in range(situations):
        far = draw.lognormvariate(3.4, 0.5)
        modes = {
            "bus": (far * draw.uniform(1.6, 2.4), 1 + 0.08 * far),
            "train": (far * draw.uniform(0.9, 1.4) + 8, 2 + 0.16 * far),
            "car": (far * draw.uniform(0.8, 1.5), 3 + 0.21 * far * draw.uniform(0.8, 1.2)),
        }
        if draw.random() < 0.2:
            del modes["car"]
        constant = {"bus": 0.0, "train": 0.4, "car": 0.9}
        worth = {
            mode: constant[mode] - 0.05 * time - 0.25 * fare - math.log(-math.log(draw.random()))
            for mode, (time, fare) in modes.items()
        }
        best = max(worth, key=worth.get)
        lines += [f"{trip},{mode},{time:.1f},{fare:.2f},{int(mode == best)}" for mode, (time, fare) in modes.items()]
    path.write_text("\n".join(lines) + "\n")


def wide(path, rows=100_000, columns=20):
    """Two classes from a utility with a bend in each column and a few products."""
    draw = random.Random(3)
    with path.open("w") as file:
        file.write(",".join(f"x{k}" for k in range(columns)) + ",outcome\n")
        for _ in range(rows):
            x = [draw.gauss(0, 1) for _ in range(columns)]
            utility = sum(max(0.0, v - 0.1 * k) - 0.4 for k, v in enumerate(x)) + x[0] * x[1] - x[2] * x[3]
            yes = draw.random() < 1 / (1 + math.exp(-utility))
            file.write(",".join(f"{v:.3f}" for v in x) + (",yes" if yes else ",no") + "\n")


def build_seconds(command):
    """Processor and wall-clock seconds of a command."""
    begin = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return processor, time.monotonic() - begin


def fits_of_ours(folder):
    """By kind: a data file and what bl fit needs beside it."""
    commuters(folder / "commuters.csv")
    trips(folder / "trips.csv")
    long = ["--choice", "long", "--situation", "trip", "--alternative", "mode", "--chosen", "chosen"]
    return {
        "class": [folder / "commuters.csv", "--target", "goes_by", "--ignore", "minutes"],
        "number": [folder / "commuters.csv", "--target", "minutes"],
        "choice": [folder / "trips.csv", *long, "--attributes", "time,fare"],
    }


def large_fit(folder):
    wide(folder / "wide.csv")
    return {"large": [folder / "wide.csv", "--target", "outcome", "--layers", "100", "--members", "1", "--epochs", "2"]}


def fits_of_tables(data):
    return {
        "adult": [data / "adult.csv", "--target", "income"],
        "boston": [data / "boston_housing.csv", "--target", "MEDV"],
        "swissmetro": [data / "swissmetro.dat", "--choice", ROOT / "examples/swissmetro_network.toml"],
        "mnist": [data / "mnist/t10k-images-idx3-ubyte", "--epochs", "2", "--refit", "none"],
    }


def made_reports(bl, fits, folder):
    """Kind, path of the report, processor and wall-clock seconds to build it."""
    for kind, arguments in fits.items():
        data, model, report = arguments[0], folder / f"{kind}.bl", folder / f"{kind}.html"
        subprocess.run([bl, "fit", data, *arguments[1:], "--quiet", "--output", model], check=True, stdout=subprocess.DEVNULL)
        yield kind, report, build_seconds([bl, "report", model, data, "--output", report])


def opened(browser, report, width=1100, height=1000):
    page = browser.new_page(viewport={"width": width, "height": height})
    clock = page.context.new_cdp_session(page)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(report.resolve().as_uri())
    return page, clock


def busy_seconds(clock):
    metrics = {one["name"]: one["value"] for one in clock.send("Performance.getMetrics")["metrics"]}
    return metrics["TaskDuration"]


def page_times(browser, report):
    page, clock = opened(browser, report)
    opening = busy_seconds(clock)
    if page.locator("#what-if-controls input[type=range]").count() == 0:
        page.close()
        return opening, math.nan
    moves = """(value) => {
        const input = document.querySelector('#what-if-controls input[type=range]');
        input.value = Number(input.min) + value * (input.max - input.min);
        input.dispatchEvent(new Event('input'));
    }"""
    times = []
    for i in range(10):
        before = busy_seconds(clock)
        page.evaluate(moves, i / 10)
        times.append(busy_seconds(clock) - before)
    page.close()
    return opening, sorted(times)[len(times) // 2]


def reports(arguments, bl, folder):
    if arguments.report:
        return [("given", arguments.report, (math.nan, math.nan))]
    if arguments.data:
        return made_reports(bl, fits_of_tables(arguments.data.resolve()), folder)
    large = large_fit(folder) if arguments.what == "times" else {}
    return made_reports(bl, fits_of_ours(folder) | large, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["pictures", "times"])
    parser.add_argument("--bl", default=str(ROOT / "build/release/bl"))
    parser.add_argument("--report", type=Path)
    parser.add_argument("--data", type=Path, help="folder with adult.csv, boston_housing.csv, swissmetro.dat, mnist/")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    bl = str(Path(arguments.bl).resolve())
    with sync_playwright() as client, tempfile.TemporaryDirectory() as name:
        browser = client.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for kind, report, (processor, wall) in reports(arguments, bl, Path(name)):
            if arguments.what == "pictures":
                page, _ = opened(browser, report, 1000, 760)
                (ROOT / "docs/report").mkdir(exist_ok=True)
                page.screenshot(path=ROOT / f"docs/report/{kind}.png")
                page.close()
                continue
            opening, move = page_times(browser, report)
            print(json.dumps({"report": kind, "build_seconds": round(processor, 2),
                              "build_wall_seconds": round(wall, 2), "bytes": report.stat().st_size,
                              "open_seconds": round(opening, 3), "slider_milliseconds": round(1000 * move, 1)}))
        browser.close()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Seconds and memory of a text column: as many documents as asked for, made of the words of a set of texts.

    experiments/text_columns.py TEXTS.csv [--bl build/release/bl] [--documents 100000] [--words 40]

TEXTS.csv has columns label and others that hold text, such as AG News. A made-up document takes runs of one to six words from random texts of
its label, so words and pairs of words are about as varied as in the texts. One epoch is trained: what is timed is reading, encoding and
writing the model.
"""
import argparse
import csv
import pathlib
import random
import resource
import subprocess
import tempfile
import time


def documents(path, count, words):
    by_label = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            text = " ".join(value for key, value in row.items() if key != "label")
            by_label.setdefault(row["label"], []).append(text.split())
    choose = random.Random(0)
    labels = sorted(by_label)
    for i in range(count):
        label, out = labels[i % len(labels)], []
        while len(out) < words:
            text = choose.choice(by_label[label])
            start = choose.randrange(len(text))
            out += text[start:start + choose.randint(1, 6)]
        yield label, " ".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--documents", type=int, default=100000)
    parser.add_argument("--words", type=int, default=40)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "documents.csv"
        with open(path, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["label", "text"])
            writer.writerows(documents(a.texts, a.documents, a.words))
        started = time.time()
        subprocess.run([a.bl, "fit", str(path), "--target", "label", "--nominal", "label", "--text", "text", "--layers", "4",
                        "--epochs", "1", "--refit", "none", "-o", str(path.with_suffix(".bl"))], check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{a.documents} documents: {time.time() - started:.0f} s wall-clock time, {used.ru_utime + used.ru_stime:.0f} s of "
              f"processors, {used.ru_maxrss / 2**20:.2f} GB, model file {path.with_suffix('.bl').stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()

"""Small files with the names and columns of those in the pages' examples, so that the examples run where the real data are
not. Their figures mean nothing."""

import math
import random
import struct
import zlib


def logistic(value):
    return 1 / (1 + math.exp(-value))


def softplus(value):
    return math.log1p(math.exp(-abs(value))) + max(value, 0)


def write(path, names, rows, separator=","):
    lines = [separator.join(names)] + [separator.join(map(str, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def purchases(folder, draw):
    """data.csv: a class `y` of `price` and `quality` by `person`, which one block with a constraint determines well;
    new.csv without the class."""
    rows = []
    for i in range(1500):
        price, quality = draw.gauss(0, 2), draw.gauss(0, 2)
        utility = {"a": 6 * math.tanh(0) - 8 * softplus(0)}
        for name, u, c in [("b", (0.2, 1.6), (-0.35, 1.4)), ("c", (1.3, 0.9), (0.4, 0.15))]:
            utility[name] = 6 * math.tanh(u[0] * price + u[1] * quality) - 8 * softplus(c[0] * price + c[1] * quality)
        y = max(utility, key=lambda name: utility[name] - math.log(-math.log(draw.random())))
        rows.append([round(price, 3), round(quality, 3), i % 100, y])
    write(folder / "data.csv", ["price", "quality", "person", "y"], rows)
    new = [[*row[:3], round(draw.gauss(6, 1), 2), round(draw.gauss(10, 2), 2)] for row in rows[:5]]
    write(folder / "new.csv", ["price", "quality", "person", "rooms", "poverty"], new)


def houses(folder, draw):
    names = "CRIM,ZN,INDUS,CHAS,NOX,RM,AGE,DIS,RAD,TAX,PTRATIO,B,LSTAT,MEDV".split(",")
    rows = []
    for i in range(100):
        x = [round(draw.lognormvariate(0, 1), 3) for _ in names[:-1]]
        x[3], x[5] = int(i % 12 == 0), round(draw.gauss(6.2, 0.7), 3)
        rows.append([*x, round(22 + 6 * (x[5] - 6.2) - x[12] + 2 * draw.gauss(0, 1), 1)])
    write(folder / "boston_housing.csv", names, rows)
    prices = [[row[5], row[12], round(math.exp(0.2 * row[5] + 0.1 * draw.gauss(0, 1)), 3)] for row in rows]
    write(folder / "houses.csv", ["rooms", "poverty", "price"], prices)


def people(folder, draw):
    for name, response in [("adult", "income"), ("compas", "two_year_recid"), ("magic_gamma", "class")]:
        rows = []
        for _ in range(400):
            age, hours = draw.randint(18, 80), draw.randint(10, 70)
            x = [round(draw.gauss(0, 1), 3) for _ in range(3)]
            yes = draw.random() < logistic(0.05 * (hours - 40) - 0.001 * (age - 50) ** 2 + x[0])
            rows.append([age, hours, *x, "yes" if yes else "no"])
        write(folder / f"{name}.csv", ["age", "hours_per_week", "a", "b", "c", response], rows)


def visits(folder, draw):
    """visits.csv: customers who look at the price and customers who follow advertisements."""
    rows = []
    for customer in range(200):
        member = int(draw.random() < 0.5)
        thrifty = draw.random() < (0.7 if member else 0.2)
        for _ in range(8):
            price, ad = round(draw.gauss(0, 1), 3), draw.randint(0, 1)
            utility = 0.5 - 2 * price if thrifty else -1 + 1.8 * ad
            rows.append([customer, member, price, ad, "yes" if draw.random() < logistic(utility) else "no"])
    write(folder / "visits.csv", ["customer", "member", "price", "ad", "buys"], rows)


def swissmetro(folder, draw):
    names = ("GROUP SURVEY SP ID PURPOSE FIRST TICKET WHO LUGGAGE AGE MALE INCOME GA ORIGIN DEST TRAIN_AV CAR_AV SM_AV "
             "TRAIN_TT TRAIN_CO TRAIN_HE SM_TT SM_CO SM_HE SM_SEATS CAR_TT CAR_CO CHOICE").split()
    rows = []
    for i in range(360):
        row = {"GROUP": 2, "SURVEY": 0, "SP": 1, "ID": i // 6, "PURPOSE": draw.choice([1, 3]), "TRAIN_AV": 1, "CAR_AV": 1,
               "SM_AV": 1, "GA": int(i % 50 < 6)}
        for name, most in [("FIRST", 1), ("TICKET", 3), ("WHO", 2), ("LUGGAGE", 1), ("AGE", 4), ("MALE", 1), ("INCOME", 3),
                           ("ORIGIN", 3), ("DEST", 3), ("SM_SEATS", 1)]:
            row[name] = draw.randint(0, most)
        far = draw.uniform(0.7, 2)
        row |= {"TRAIN_TT": round(150 * far * draw.uniform(0.8, 1.2)), "TRAIN_CO": round(60 * far * draw.uniform(0.6, 1.4)),
                "TRAIN_HE": draw.choice([30, 60, 120]), "SM_TT": round(80 * far * draw.uniform(0.8, 1.2)),
                "SM_CO": round(80 * far * draw.uniform(0.6, 1.4)), "SM_HE": draw.choice([10, 20, 30]),
                "CAR_TT": round(130 * far * draw.uniform(0.7, 1.3)), "CAR_CO": round(70 * far * draw.uniform(0.6, 1.4))}
        worth = {1: -0.7 - 0.013 * row["TRAIN_TT"] - 0.011 * row["TRAIN_CO"], 2: -0.013 * row["SM_TT"] - 0.011 * row["SM_CO"],
                 3: -0.15 - 0.013 * row["CAR_TT"] - 0.011 * row["CAR_CO"]}
        row["CHOICE"] = max(worth, key=lambda mode: worth[mode] - math.log(-math.log(draw.random())))
        rows.append([row[name] for name in names])
    write(folder / "swissmetro.dat", names, rows, "\t")


def trips(folder, draw):
    rows = []
    for trip in range(300):
        modes = {mode: (round(draw.uniform(10, 60)), round(draw.uniform(1, 9), 1)) for mode in ("train", "bus", "car")}
        worth = {mode: -0.05 * time - 0.3 * cost - math.log(-math.log(draw.random())) for mode, (time, cost) in modes.items()}
        best = max(worth, key=worth.get)
        rows += [[trip, trip // 5, mode, *modes[mode], int(mode == best), int(mode == best), 1] for mode in modes]
    write(folder / "trips.csv", ["trip", "person", "mode", "time", "cost", "picked", "chosen", "there"], rows)


def png(pixels):
    """A grey image of 8 bits."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def npy(path, kind, shape, body):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body)


def images(folder, draw, side=6, count=120):
    """Digits 0 and 1: a bright left or right half."""
    labels = [i % 2 for i in range(count)]
    pixels = [[[min(255, draw.randint(0, 90) + 150 * ((c < side // 2) == (label == 0))) for c in range(side)]
               for _ in range(side)] for label in labels]
    body = bytes(value for image in pixels for row in image for value in row)
    for name in ("train", "new"):
        (folder / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 0x803, count, side, side) + body)
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, count) + bytes(labels))
    npy(folder / "pixels.npy", "|u1", (count, side, side), body)
    npy(folder / "digits.npy", "|u1", (count,), bytes(labels))
    for label, name in enumerate(("cat", "dog")):
        (folder / "photographs" / name).mkdir(parents=True)
        for i in range(label, 80, 2):
            (folder / "photographs" / name / f"{i}.png").write_bytes(png(pixels[i]))


def make(folder):
    draw = random.Random(1)
    for part in (purchases, houses, people, swissmetro, trips, images, visits):
        part(folder, draw)

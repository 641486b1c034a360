#!/usr/bin/env python3
"""Nested, mixed and panel mixed logit of Swissmetro: bl, Biogeme and xlogit on the same situations and the same draws.

    experiments/choice_models.py DATA_FOLDER [--bl build/release/bl] [--draws 500] [--programs bl,biogeme,xlogit]
        [--models nested,mixed,panel] [--limit 900] [--cores 1]

DATA_FOLDER holds swissmetro.dat. Needs `pip install biogeme xlogit` for these two. Models: `nested` is Biogeme's example b09nested,
`mixed` its b05normal_mixture (a normal coefficient of time, a draw per situation), `panel` the same with one draw per person. All
programs take Halton draws of base 2, person after person (mixed: situation after situation), with the first ten points left out. All
start at 0, spreads at 1 (bl: at the logit). Each runs in a process of its own that is bound to the same cores. Processor time is that
of the estimation with standard errors, threads added up: compilation that a program does at run time is part of it, reading the file is
not (of bl it is). `--limit` is in seconds of wall-clock time for each program and model.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


def run_bl(arguments, model):
    schema = (EXAMPLES / f"swissmetro_{'nested' if model == 'nested' else 'mixed'}.toml").read_text()
    schema = schema.replace("count = 1000", f"count = {arguments.draws}")
    if model == "panel":
        schema = schema.replace('# person = "ID"', 'person = "ID"')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "schema.toml").write_text(schema)
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        subprocess.run([arguments.bl, "fit", f"{arguments.data}/swissmetro.dat", "--choice", str(folder / "schema.toml"),
                        "--output", str(folder / "model.bl"), "--threads", str(arguments.cores)], check=True, capture_output=True)
        wall, after = time.time() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        out = {}
        for kind in ("classical", "robust"):
            text = subprocess.run([arguments.bl, "summary", str(folder / "model.bl"), "--covariance", kind, "--format", "json"],
                                  check=True, capture_output=True, text=True).stdout
            out[kind] = json.loads(text)
    names = {"constant[train]": "ASC_TRAIN", "constant[car]": "ASC_CAR", "time": "B_TIME", "cost": "B_COST", "sd(time)": "B_TIME_S",
             "mu(existing)": "MU_EXISTING"}
    return {"log_likelihood": out["robust"]["log_likelihood"],
            "estimates": {names[one["name"]]: one["estimate"] for one in out["robust"]["estimates"]},
            "errors": {names[one["name"]]: one["standard_error"] for one in out["classical"]["estimates"]},
            "robust": {names[one["name"]]: one["standard_error"] for one in out["robust"]["estimates"]},
            "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "wall": wall}


def read_situations(folder):
    import pandas
    frame = pandas.read_csv(f"{folder}/swissmetro.dat", sep="\t")
    frame = frame[frame.PURPOSE.isin([1, 3]) & (frame.CHOICE != 0)].reset_index(drop=True)
    pays = frame.GA == 0
    out = pandas.DataFrame({"CHOICE": frame.CHOICE, "ID": frame.ID})
    for code, name in ((1, "TRAIN"), (2, "SM"), (3, "CAR")):
        out[f"TT{code}"] = frame[f"{name}_TT"] / 100
        out[f"CO{code}"] = frame[f"{name}_CO"] * (pays if code < 3 else 1) / 100
        out[f"AV{code}"] = frame[f"{name}_AV"] * ((frame.SP != 0) if code != 2 else 1)
    return out.astype(float)


def run_biogeme(arguments, model):
    import biogeme.biogeme as bio
    import biogeme.database as db
    from biogeme.expressions import Beta, Draws, MonteCarlo, PanelLikelihoodTrajectory, Variable, log
    from biogeme.models import logit, lognested
    from biogeme.results_processing.variance_covariance import EstimateVarianceCovariance
    from biogeme.nests import NestsForNestedLogit, OneNestForNestedLogit
    frame = read_situations(arguments.data)
    os.chdir(tempfile.mkdtemp())
    pathlib.Path("biogeme.toml").touch()  # else it writes one, which some versions of tomlkit refuse
    database = db.Database("swissmetro", frame)
    asc_car, asc_train = Beta("ASC_CAR", 0, None, None, 0), Beta("ASC_TRAIN", 0, None, None, 0)
    b_cost = Beta("B_COST", 0, None, None, 0)
    b_time = Beta("B_TIME", 0, None, None, 0)
    if model != "nested":
        b_time = b_time + Beta("B_TIME_S", 1, None, None, 0) * Draws("b_time", "NORMAL_HALTON2")
    constant = {1: asc_train, 2: 0, 3: asc_car}
    v = {k: constant[k] + b_time * Variable(f"TT{k}") + b_cost * Variable(f"CO{k}") for k in (1, 2, 3)}
    av = {k: Variable(f"AV{k}") for k in (1, 2, 3)}
    if model == "panel":
        database.panel("ID")
        value = log(MonteCarlo(PanelLikelihoodTrajectory(logit(v, av, Variable("CHOICE")))))
    elif model == "mixed":
        value = log(MonteCarlo(logit(v, av, Variable("CHOICE"))))
    else:
        nest = OneNestForNestedLogit(nest_param=Beta("MU_EXISTING", 1, 1, 10, 0), list_of_alternatives=[1, 3], name="existing")
        value = lognested(v, av, NestsForNestedLogit(choice_set=[1, 2, 3], tuple_of_nests=(nest,)), Variable("CHOICE"))
    options = {} if model == "nested" else {"number_of_draws": arguments.draws}
    started, before = time.time(), resource.getrusage(resource.RUSAGE_SELF)
    the = bio.BIOGEME(database, value, generate_html=False, generate_yaml=False, save_iterations=False, **options)
    the.model_name = model
    results = the.estimate()
    after = resource.getrusage(resource.RUSAGE_SELF)
    names = list(results.get_beta_values())
    return {"log_likelihood": results.final_loglikelihood, "estimates": results.get_beta_values(),
            "errors": {name: results.get_parameter_std_err(name, EstimateVarianceCovariance.RAO_CRAMER) for name in names},
            "robust": {name: results.get_parameter_std_err(name, EstimateVarianceCovariance.ROBUST) for name in names},
            "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "wall": time.time() - started}


def run_xlogit(arguments, model):
    if model == "nested":  # it has none
        return None
    import numpy
    from xlogit import MixedLogit
    frame = read_situations(arguments.data)
    n = len(frame)
    x = numpy.zeros((n, 3, 4))
    for j, code in enumerate((1, 2, 3)):
        x[:, j] = numpy.column_stack([numpy.full(n, code == 1), numpy.full(n, code == 3), frame[f"TT{code}"], frame[f"CO{code}"]])
    started, before = time.time(), resource.getrusage(resource.RUSAGE_SELF)
    fitted = MixedLogit()
    fitted.fit(x.reshape(-1, 4), (frame.CHOICE.to_numpy()[:, None] == [1, 2, 3]).reshape(-1),
               ["ASC_TRAIN", "ASC_CAR", "B_TIME", "B_COST"], numpy.tile([1, 2, 3], n), numpy.repeat(numpy.arange(n), 3),
               randvars={"B_TIME": "n"}, avail=frame[["AV1", "AV2", "AV3"]].to_numpy().reshape(-1), n_draws=arguments.draws,
               halton_opts={"drop": 11, "primes": [2]}, verbose=0, panels=numpy.repeat(frame.ID, 3) if model == "panel" else None,
               init_coeff=numpy.array([0, 0, 0, 0, 1.0]), mnl_init=False)  # from the logit its line search gives up
    after = resource.getrusage(resource.RUSAGE_SELF)
    names = ["B_TIME_S" if name == "sd.B_TIME" else name for name in fitted.coeff_names]
    if not fitted.convergence:
        print(f"xlogit: {fitted.estimation_message}", file=sys.stderr)
    return {"log_likelihood": fitted.loglikelihood, "converged": bool(fitted.convergence), "estimates": dict(zip(names, fitted.coeff_.tolist())),
            "errors": dict(zip(names, fitted.stderr.tolist())), "robust": {},
            "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "wall": time.time() - started}


RUNS = {"bl": run_bl, "biogeme": run_biogeme, "xlogit": run_xlogit}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--bl", default="build/release/bl")
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--programs", default="bl,biogeme,xlogit")
    parser.add_argument("--models", default="nested,mixed,panel")
    parser.add_argument("--limit", type=float, default=900)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:  # in a process of its own
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:arguments.cores])
        program, model = arguments.one.split(":")
        print("RESULT " + json.dumps(RUNS[program](arguments, model)))
        return
    for model in arguments.models.split(","):
        print(f"\n{model} logit" + ("" if model == "nested" else f", {arguments.draws} draws") + f", {arguments.cores} core(s)")
        first = None
        for program in arguments.programs.split(","):
            found = run_one(arguments, program, model)
            if found is None:
                continue
            first = first or found
            show(program, found, first)


def run_one(arguments, program, model):
    call = [sys.executable, __file__, arguments.data, "--bl", os.path.abspath(arguments.bl), "--draws", str(arguments.draws), "--cores",
            str(arguments.cores), "--one", f"{program}:{model}"]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=arguments.limit)
    except subprocess.TimeoutExpired:
        print(f"  {program:<9} no result within {arguments.limit:g} s", flush=True)
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        print(f"  {program}: failed\n{done.stderr[-2000:]}")
        return None
    return json.loads(lines[0][7:])


def show(program, found, first):
    print(f"  {program:<9} log-likelihood {found['log_likelihood']:.4f}, {found['processor']:.2f} s of processor time "
          f"({found['processor'] / first['processor']:.1f} times the first), {found['wall']:.2f} s"
          + ("" if found.get("converged", True) else "; DID NOT CONVERGE"))
    for name, value in sorted(found["estimates"].items()):
        print(f"    {name:<12}{value:>12.6f}  s.e. {found['errors'].get(name, float('nan')):.6f}  robust "
              f"{found['robust'].get(name, float('nan')):.6f}", flush=True)


if __name__ == "__main__":
    main()

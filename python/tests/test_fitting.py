"""Progress, interrupts, errors, threads, warm starts, files."""

import copy
import csv
import os
import pickle
import signal
import subprocess
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from behavior_learning import (
    BLChoice,
    BLClassifier,
    BLDensity,
    BLRegressor,
    InterruptedWarning,
    ModelFileError,
    UsageError,
)


def test_the_command_line_learns_the_same_bits(tmp_path, command, numbers, labels):
    """The same data, settings and seed: the same file, byte for byte."""
    X, y = numbers
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(d=np.where(X[:, 1] > 0, "u", "v"))
    cases = [
        (BLClassifier, pd.Series(labels[1], name="target"), "nominal"),
        (BLRegressor, pd.Series(y, name="target"), "continuous"),
    ]
    for estimator, target, kind in cases:
        frame.assign(target=target).to_csv(tmp_path / "data.csv", index=False)
        options = dict(layers=[4, 2], epochs=6, seed=7, fractions="7:1:2", split="random", unseen="error")
        estimator(**options).fit(frame, target).save(tmp_path / "python.bl")
        arguments = ["--layers", "4,2", "--epochs", "6", "--seed", "7", "--split", "random", f"--{kind}", "target"]
        arguments += ["--fractions", "7:1:2", "--unseen", "error"]
        subprocess.run(
            [command, "fit", tmp_path / "data.csv", "--target", "target", *arguments, "-o", tmp_path / "command.bl"],
            check=True,
            capture_output=True,
        )
        assert (tmp_path / "python.bl").read_bytes() == (tmp_path / "command.bl").read_bytes()
        there = estimator.load(tmp_path / "command.bl")
        assert there.layers == "4,2" and there.seed == "7" and there.nominal is None
        there.fit(frame, target).save(tmp_path / "again.bl")
        assert (tmp_path / "again.bl").read_bytes() == (tmp_path / "command.bl").read_bytes()
        here = estimator.load(tmp_path / "python.bl")
        np.testing.assert_array_equal(there.predict(frame), here.predict(frame))


def test_the_command_line_reads_what_python_wrote(tmp_path, command, labels):
    X, y = labels
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = BLClassifier(layers=[3], epochs=5).fit(frame, y)
    model.save(tmp_path / "m.bl")
    frame.to_csv(tmp_path / "d.csv", index=False)
    subprocess.run([command, "predict", tmp_path / "m.bl", tmp_path / "d.csv", "--digits", "full", "-o", tmp_path / "p.csv"], check=True)
    with open(tmp_path / "p.csv", newline="") as file:  # Python's own float() reads every digit
        predicted = [[float(row[f"p({one})"]) for one in model.classes_] for row in csv.DictReader(file)]
    np.testing.assert_array_equal(predicted, model.predict_proba(frame))


def test_choice_models_of_both_front_ends(tmp_path, command, choices):
    long, _ = choices
    model = BLChoice(
        layout="long",
        situation="situation",
        alternative="alternative",
        chosen="chosen",
        attributes=["price", "quality"],
    )
    model.set_params(form="linear").fit(long)
    (tmp_path / "schema.toml").write_text(model.schema_text())
    long.to_csv(tmp_path / "d.csv", index=False)
    subprocess.run(
        [command, "fit", tmp_path / "d.csv", "--choice", tmp_path / "schema.toml", "-o", tmp_path / "m.bl"],
        check=True,
        capture_output=True,
    )
    there = BLChoice.load(tmp_path / "m.bl")
    np.testing.assert_array_equal(there.predict_proba(long), model.predict_proba(long))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what the file says has an effect
        np.testing.assert_array_equal(there.fit(long).predict_proba(long), model.predict_proba(long))


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_copies_are_the_same_model(labels, numbers, copied):
    X, y = labels
    classifier = BLClassifier(layers=[3], members=2, epochs=5).fit(X, y)
    np.testing.assert_array_equal(copied(classifier).predict_proba(X), classifier.predict_proba(X))
    density = BLDensity(layers=[3], epochs=5).fit(X[:, :1])
    np.testing.assert_array_equal(copied(density).utility(X[:, :1]), density.utility(X[:, :1]))


def test_files_of_another_kind_are_refused(tmp_path, labels, numbers):
    BLClassifier(layers=[2], epochs=2).fit(*labels).save(tmp_path / "class.bl")
    with pytest.raises(ModelFileError, match="BLClassifier"):
        BLRegressor.load(tmp_path / "class.bl")
    with pytest.raises(ModelFileError, match="features"):
        BLDensity.load(tmp_path / "class.bl")
    with pytest.raises(ModelFileError, match="not of choices"):
        BLChoice.load(tmp_path / "class.bl")
    (tmp_path / "junk.bl").write_bytes(b"junk")
    with pytest.raises(ModelFileError, match="junk.bl"):
        BLClassifier.load(tmp_path / "junk.bl")
    loaded = BLClassifier.load(tmp_path / "class.bl")
    assert not hasattr(loaded, "feature_names_in_") and loaded.n_features_in_ == 3
    loaded.predict(labels[0])


def test_progress_is_heard_and_may_stop(labels):
    heard = []
    model = BLClassifier(layers=[2], epochs=50).fit(*labels, progress=lambda p: heard.append(p) or len(heard) == 4)
    assert [one["epoch"] for one in heard] == [1, 2, 3, 4]
    assert {"train_loss", "validation_loss", "seconds_left"} <= set(heard[0])
    assert model.n_iter_ == 4 and model.stop_reason_ == "interrupted" and not model.interrupted_
    assert len(model.history_["train_loss"]) == 4


def test_work_without_epochs_tells_a_line(labels):
    heard = []
    BLClassifier(single=True, starts=2).fit(*labels, progress=heard.append)
    assert any(one["text"].startswith("starts at their minimum: 2 of 2") for one in heard)
    assert all(np.isnan(one["train_loss"]) for one in heard if one["text"])


@pytest.mark.parametrize("fitted_before", [False, True])
@pytest.mark.parametrize("kind", ["callback", "data", "setting"])
def test_an_exception_leaves_the_estimator_as_it_was(labels, fitted_before, kind):
    X, y = labels
    model = BLClassifier(layers=[2], epochs=4)
    if fitted_before:
        model.fit(X, y)
    before = dict(model.__dict__)

    def fail(progress):
        raise RuntimeError("from the callback")

    if kind == "callback":
        with pytest.raises(RuntimeError, match="from the callback"):
            model.fit(X[:, :2], y, progress=fail)
    elif kind == "data":
        with pytest.raises(ValueError):
            model.fit(np.where(X > 2, np.inf, X)[:, :2], y)
    else:
        model.set_params(layers="two")
        before["layers"] = "two"
        with pytest.raises(UsageError, match="layers"):
            model.fit(X[:, :2], y)
    assert model.__dict__ == before
    if fitted_before:
        assert len(model.predict(X)) == len(X)


@pytest.fixture
def heard_interrupts():
    """A process in the background inherits SIGINT ignored; the test must hear it there too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_keeps_the_best_model_so_far(labels, heard_interrupts):
    X, y = np.tile(labels[0], (20, 1)), np.tile(labels[1], 20)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    model = BLClassifier(layers=[64, 16], epochs=100000, patience=100000)
    timer.start()
    with pytest.warns(InterruptedWarning):
        model.fit(X, y)
    assert model.interrupted_ and model.stop_reason_ == "interrupted"
    assert model.score(X, y) > 0.7


def test_an_interrupt_ends_a_summary(labels, heard_interrupts):
    X, y = labels[0][:, :2], labels[1]
    model = BLClassifier(single=True, utility_activation="identity", heads="1,0,0", starts=1).fit(X, y)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.summary(X, y, bootstrap=1000000)
    assert len(model.summary(X, y).params) > 0


def test_two_threads_fit_at_once(numbers, labels):
    X, y = labels
    alone = BLClassifier(layers=[6, 2], epochs=30, threads=2).fit(X, y).predict_proba(X)
    results, errors = {}, []

    def work(name):
        try:
            results[name] = BLClassifier(layers=[6, 2], epochs=30, threads=2).fit(X, y).predict_proba(X)
        except BaseException as error:  # shown by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    ticks = 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.001)
        ticks += 1  # the interpreter is free while the library works
    assert not errors and ticks > 0
    for result in results.values():
        np.testing.assert_array_equal(result, alone)


def test_warm_start_goes_on(labels):
    X, y = labels
    options = dict(layers=[3], epochs=3, average=0, fractions="1:0:0")
    cold = BLClassifier(**options).fit(X, y)
    warm = BLClassifier(warm_start=True, **options).fit(X, y)
    first = warm.log_density(X, y).mean()
    np.testing.assert_array_equal(cold.predict_proba(X), warm.predict_proba(X))
    for _ in range(3):
        warm.fit(X, y)
    assert warm.log_density(X, y).mean() > first
    assert warm.history_["train_loss"][0] < cold.history_["train_loss"][0]
    with pytest.raises(UsageError, match="architecture"):
        warm.set_params(layers=[5]).fit(X, y)


def test_validation_rows_of_ones_own(labels, mixed_frame):
    X, y = labels
    model = BLClassifier(layers=[3], epochs=5).fit(X[:200], y[:200], validation=(X[200:], y[200:]))
    assert "200 training, 40 validation, 0 test" in model.plan_
    frame, decision = mixed_frame
    model = BLClassifier(layers=[3], epochs=5).fit(
        frame[:200], decision[:200], validation=(frame[200:], decision[200:])
    )
    assert "200 training, 40 validation, 0 test" in model.plan_


def test_groups_stay_together(labels):
    X, y = labels
    model = BLClassifier(layers=[2], epochs=3).fit(X, y, groups=np.arange(len(X)) // 8)
    assert "208 training, 32 validation" in model.plan_ or "216 training, 24 validation" in model.plan_


def test_results_do_not_depend_on_threads(numbers):
    X, y = numbers
    one = BLRegressor(layers=[3], epochs=4, threads=1).fit(X, y)
    two = BLRegressor(layers=[3], epochs=4, threads=2).fit(X, y)
    np.testing.assert_array_equal(one.predict(X[:20]), two.predict(X[:20]))


def test_seeds(labels):
    X, y = labels
    a = BLClassifier(layers=[2], epochs=3, seed=5).fit(X, y).predict_proba(X)
    b = BLClassifier(layers=[2], epochs=3, random_state=5).fit(X, y).predict_proba(X)
    c = BLClassifier(layers=[2], epochs=3, random_state=6).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 1e-3
    with pytest.raises(UsageError, match="seed"):
        BLClassifier(seed=1, random_state=1).fit(X, y)

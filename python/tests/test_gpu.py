"""Fits, resamples and chains on a GPU from Python, beside those of the processor. Skipped, with a word, where there is no GPU."""

import numpy as np
import pytest

from behavior_learning import BLChoice, BLClassifier, BLRegressor, UsageError, devices

GPU = any(one["device"] == "cuda" for one in devices())
needs_gpu = pytest.mark.skipif(not GPU, reason="SKIPPED, no GPU")
OPTIONS = dict(method="mala", step=0.3, chains=64, warmup=50, seed=3)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2))
    Y = np.stack([X[:, 0] + 0.5 * rng.normal(size=400), X[:, 1] + 0.5 * rng.normal(size=400)], axis=1)
    return BLRegressor(layers=[4], epochs=20, seed=1).fit(X, Y), X[:3]


@needs_gpu
def test_a_fit_on_the_gpu_is_that_of_the_processor():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 6))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=600) > 0).astype(int)
    options = dict(layers=[6], epochs=15, members=2, seed=1, precision="float64", curves="none")
    here, there = (BLClassifier(device=device, **options).fit(X, y).predict_proba(X) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(there, here, atol=1e-8)  # the same start, orders and steps; rounding grows along them


@needs_gpu
def test_resamples_on_the_gpu_are_those_of_the_processor(choices):
    long, _ = choices
    rest = dict(layout="long", situation="situation", alternative="alternative", chosen="chosen", attributes=["price", "quality"])
    model = BLChoice(form="linear", **rest).fit(long)
    here, there = (model.summary(long, bootstrap=50, device=device).to_dict() for device in ("cpu", "cuda"))
    for a, b in zip(here["estimates"], there["estimates"]):
        assert b["bootstrap_error"] == pytest.approx(a["bootstrap_error"], rel=1e-7)


@needs_gpu
def test_chains_on_the_gpu_are_those_of_the_processor(fitted):
    model, rows = fitted
    here, there = (model.sample(rows, 640, device=device, **OPTIONS) for device in ("cpu", "cuda"))
    assert here.shape == (3, 640, 2)
    np.testing.assert_allclose(there, here, atol=1e-7)  # the same streams; rounding grows along a chain


@needs_gpu
def test_chains_that_learn_their_step_are_refused(fitted):
    model, rows = fitted
    with pytest.raises(UsageError, match="learn their step"):
        model.sample(rows, 64, method="mala", device="cuda")


@pytest.mark.skipif(GPU, reason="there is a GPU")
def test_without_a_gpu_a_device_of_its_name_is_refused(fitted):
    model, rows = fitted
    with pytest.raises(UsageError, match="device"):
        model.sample(rows, 640, device="cuda", **OPTIONS)

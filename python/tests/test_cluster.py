"""Many fits on a real Dask cluster of two worker processes: the same numbers as here.

Skipped, with a word, where dask[distributed] is not installed; `./run test` installs it where it can."""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from behavior_learning import BLChoice, BLClassifier, BLRegressor, bootstrap, check, tune


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as local, distributed.Client(local) as client:
        yield client


@pytest.fixture(scope="module")
def logit():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 2))
    y = np.where(rng.random(400) < 1 / (1 + np.exp(-1.5 * X[:, 0] + X[:, 1])), "b", "a")
    single = BLClassifier(
        single=True, utility_activation="identity", heads="1,0,0", degree=1, starts=1, fractions="1:0:0"
    )
    return single.fit(X, y), X, y


def linear_choice():
    return BLChoice(
        layout="long",
        situation="situation",
        alternative="alternative",
        chosen="chosen == 1",
        attributes={"price": "price", "quality": "quality"},
        form="linear",
    )


def test_cross_validation_is_the_same_on_the_cluster(cluster, labels):
    X, y = labels
    estimator = BLClassifier(epochs=8, seed=1, threads=1)
    here = cross_val_score(estimator, X, y, cv=3)
    with joblib.parallel_config(backend="dask"):
        there = cross_val_score(estimator, X, y, cv=3, n_jobs=-1)
    assert np.array_equal(here, there)


def test_the_bootstrap_is_the_same_on_the_cluster_and_near_the_robust_errors(cluster, logit):
    estimator, X, y = logit
    with joblib.parallel_config(backend="dask"):
        there = bootstrap(estimator, X, y, resamples=60, seed=3, n_jobs=-1)
    assert np.array_equal(bootstrap(estimator, X, y, resamples=2, seed=3).values, there.values[:2])
    assert there.names == estimator.summary().names
    # The standard deviation of 60 draws is known to 9%; robust and bootstrap errors differ by order 1/sqrt(rows).
    assert np.allclose(there.standard_errors, np.asarray(estimator.summary().bse), rtol=0.4)
    assert "60 resamples" in repr(there)


def test_situations_of_choices_are_drawn_whole(choices):
    frame = choices[0]
    estimator = linear_choice().fit(frame)
    found = bootstrap(estimator, frame, resamples=20, seed=1)
    assert np.allclose(found.standard_errors, np.asarray(estimator.summary().bse), rtol=0.7)
    assert (found.intervals()[:, 0] < found.estimate).all() and (found.estimate < found.intervals()[:, 1]).all()


def test_a_check_by_simulation_on_the_cluster(cluster, logit):
    estimator, X, y = logit
    with joblib.parallel_config(backend="dask"):
        there = check(estimator, X, y, replications=40, seed=2, n_jobs=-1)
    here = check(estimator, X, y, replications=1, seed=2)
    assert np.array_equal(here["truth"], there["truth"])
    assert there["failed"] == 0
    # 95% of 40: below 0.83 in fewer than one case in a thousand.
    assert (there["coverage"] > 0.82).all()
    assert np.allclose(there["sd"], there["standard_error"], rtol=0.45)


def test_trials_of_a_search_run_on_the_cluster(cluster, labels):
    pytest.importorskip("optuna")
    X, y = labels
    with joblib.parallel_config(backend="dask"):
        best = tune(BLClassifier(epochs=5, layers=[3]), X, y, space={"learning_rate": [0.001, 0.02]}, trials=4, seed=1)
    assert len(best.study_.trials) == 4
    assert best.learning_rate in (0.001, 0.02)


def test_partitions_of_a_dask_frame_are_predicted(cluster, numbers):
    dask_frame = pytest.importorskip("dask.dataframe")
    X, y = numbers
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = BLRegressor(epochs=5, seed=1).fit(frame, y)
    parts = dask_frame.from_pandas(frame, npartitions=4)
    predicted = parts.map_partitions(lambda part: pd.Series(model.predict(part), index=part.index), meta=("y", float))
    assert np.array_equal(predicted.compute().to_numpy(), model.predict(frame))

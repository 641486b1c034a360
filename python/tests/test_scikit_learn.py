"""scikit-learn's own checks, and life among its tools."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from behavior_learning import BLClassifier, BLRegressor

# LightGBM's estimators fail the same check for a like reason.
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": "a row of weight 2 is one row of a mini-batch and of the split, "
    "two equal rows are two",
}


@pytest.mark.parametrize("estimator", [BLClassifier(), BLRegressor(layers=[4])], ids=["classifier", "regressor"])
def test_check_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, expected_failed_checks=EXPECTED_FAILURES)
    skipped = {one["check_name"] for one in results if one["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # only with SCIPY_ARRAY_API set
    assert len(results) > 40


def test_pipeline_grid_search_and_cross_validation(labels):
    X, y = labels
    pipeline = make_pipeline(StandardScaler(), BLClassifier(epochs=30))
    search = GridSearchCV(pipeline, {"blclassifier__layers": ["2", [4, 2]]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.8
    assert cross_val_score(BLClassifier(layers=[4], epochs=30), X, y, cv=3).min() > 0.7


def test_clone_keeps_parameters_and_drops_the_model(labels):
    fitted = BLClassifier(layers=[3], epochs=5, seed=4).fit(*labels)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "model_")


def test_parameters_are_stored_as_given_and_named_as_settings():
    from behavior_learning import setting_list

    layers = [5, 3]
    estimator = BLClassifier(layers=layers, temperature=2)
    assert estimator.layers is layers
    names = {one["name"] for one in setting_list()} | {"lambda_sign", "utility_activation"}
    assert set(estimator.get_params()) - {"warm_start", "random_state", "latent", "membership"} <= names
    assert all(value is None for name, value in BLRegressor().get_params().items() if name != "warm_start")


def test_types_are_installed_with_every_parameter():
    from pathlib import Path

    import behavior_learning

    folder = Path(behavior_learning.__file__).parent
    assert (folder / "py.typed").exists() and "class Model" in (folder / "_core.pyi").read_text()
    typed = (folder / "_parameters.pyi").read_text()
    assert all(f"        {name}: " in typed for name in BLClassifier().get_params())


def test_set_output_gives_frames_to_the_classifier(mixed_frame):
    frame, y = mixed_frame
    scaler = ColumnTransformer([("scale", StandardScaler(), ["income"])], remainder="passthrough")
    pipeline = make_pipeline(scaler, FunctionTransformer(), BLClassifier(layers=[3], epochs=10)).set_output(
        transform="pandas"
    )
    pipeline.fit(frame, y)
    assert list(pipeline[-1].feature_names_in_)[0] == "scale__income"
    assert set(pipeline.predict(frame)) <= {"buys", "leaves"}


def test_sample_weights_move_the_model(numbers):
    X, _ = numbers
    y = np.arange(len(X)) % 2  # nothing to learn but the shares
    plain = BLClassifier(layers=[2], epochs=30).fit(X, y)
    heavy = BLClassifier(layers=[2], epochs=30).fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0))
    assert abs(plain.predict_proba(X)[:, 1].mean() - 0.5) < 0.1
    assert abs(heavy.predict_proba(X)[:, 1].mean() - 0.9) < 0.07
    by_class = BLClassifier(layers=[2], epochs=30, class_weight={0: 1, 1: 9}).fit(X, y)
    np.testing.assert_array_equal(by_class.predict_proba(X), heavy.predict_proba(X))


def test_rows_without_weight_are_as_if_not_there(labels):
    X, y = labels
    weight = np.ones(len(X))
    weight[::3] = 0
    left_out = BLClassifier(layers=[2], epochs=5).fit(X, y, sample_weight=weight)
    removed = BLClassifier(layers=[2], epochs=5).fit(X[weight > 0], y[weight > 0], sample_weight=weight[weight > 0])
    np.testing.assert_array_equal(left_out.predict_proba(X), removed.predict_proba(X))


@pytest.mark.parametrize("form", ["list", "series", "frame", "polars"])
def test_targets_of_one_column(labels, numbers, form):
    import pandas as pd
    import polars as pl

    def shaped(y):
        return {
            "list": lambda: list(y),
            "series": lambda: pd.Series(y, name="target"),
            "frame": lambda: pd.DataFrame({"target": y}),
            "polars": lambda: pl.DataFrame({"target": y}),
        }[form]()

    X, y = labels
    options = dict(layers=[2], epochs=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = BLClassifier(**options).fit(X, shaped(y))
        regressor = BLRegressor(**options).fit(X, shaped(numbers[1]))
    np.testing.assert_array_equal(classifier.predict(X), BLClassifier(**options).fit(X, y).predict(X))
    assert regressor.predict(X).shape == (len(X),)
    expected = "y" if form == "list" else "target"
    assert classifier.model_.responses()[0].name == regressor.model_.responses()[0].name == expected

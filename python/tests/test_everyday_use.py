"""What people who know scikit-learn and pandas expect without reading a page."""

import itertools
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from behavior_learning import (
    BLChoice,
    BLClassifier,
    BLRegressor,
    DataError,
    UnusedSettingWarning,
    datasets,
)

SMALL = dict(layers=[2], epochs=3)


@pytest.fixture(scope="module")
def purchases():
    return datasets.load_purchases(return_X_y=True)


@pytest.fixture(scope="module")
def regressor(numbers):
    return BLRegressor(single=True, degree=1, epochs=20).fit(*numbers)


# --- levels, classes, dates


def test_a_level_unseen_in_training_is_missing(purchases, tmp_path):
    X, y = purchases
    X = X.assign(shop=["rare" if i == 7 else "usual" if i % 2 else "other" for i in range(len(X))])
    assert np.isfinite(cross_val_score(BLClassifier(**SMALL), X, y, cv=3)).all()
    new = X.head(2).assign(shop="never seen")
    lenient = BLClassifier(**SMALL).fit(X, y)
    assert lenient.settings_["unseen"] == "missing"
    expected = lenient.predict_proba(X.head(2).assign(shop=None))
    np.testing.assert_array_equal(lenient.predict_proba(new), expected)
    strict = BLClassifier(unseen="error", **SMALL).fit(X, y)
    with pytest.raises(DataError, match="'never seen'.*`unseen=\"missing\"`"):
        strict.predict(new)
    strict.save(tmp_path / "m.bl")
    loaded = BLClassifier.load(tmp_path / "m.bl")
    with pytest.raises(DataError):
        loaded.predict(new)
    assert len(loaded.set_params(unseen="missing").predict(new)) == 2  # as the message says
    assert np.isfinite(loaded.log_density(new, y.head(2))).all()


@pytest.mark.parametrize("gone", [None, np.nan, pd.NA])
def test_a_missing_class_is_named(labels, gone):
    X, y = labels
    y = y.astype(object)
    y[3] = gone
    with pytest.raises(ValueError, match=r"y holds .* at row 3 \(1 of 240 rows\); leave such rows out"):
        BLClassifier(**SMALL).fit(X, y)


def test_columns_of_many_types(purchases):
    X, y = purchases
    X = X.assign(
        region=X["region"].astype("category"),
        member=X["member"] == "yes",
        visits=pd.array([None if i % 9 == 0 else i % 5 for i in range(len(X))], dtype="Int64"),
        seen=pd.array([None if i % 11 == 0 else i % 2 == 0 for i in range(len(X))], dtype="boolean"),
    )
    model = pickle.loads(pickle.dumps(BLClassifier(**SMALL).fit(X, y)))
    assert np.isfinite(model.predict_proba(X)).all()
    dated = X.assign(day=pd.Timestamp("2024-05-01"))
    with pytest.raises(TypeError, match="'day' has the type datetime64.*dt.days"):
        BLClassifier(**SMALL).fit(dated, y)
    days = dated.assign(day=(dated["day"] - pd.Timestamp(0)).dt.days)  # as the message says
    BLClassifier(**SMALL).fit(days, y)


# --- settings


def test_settings_hold_what_was_used(numbers, labels):
    model = BLRegressor(epochs=0, threads=1, time_limit=3).fit(*numbers)
    used = model.settings_
    assert used["learning_rate"] > 0 and used["epochs"] > 0 and used["batch_size"] > 0 and used["members"] >= 1
    assert used["weight_decay"] >= 0 and used["patience"] > 0
    automatic = [k for k, v in used.items() if v == "auto"]
    assert set(automatic) <= {"delimiter", "outliers", "split", "response_transform", "point_masses", "support"}
    assert used["layers"] == ",".join(str(int(one)) for one in used["layers"].split(","))
    given = BLClassifier(layers=[3], epochs=2, utility_activation="identity", seed=4).fit(*labels).settings_
    assert (given["layers"], given["epochs"], given["utility_activation"], given["seed"]) == ("3", 2, "identity", 4)
    assert given["optimizer"] == "adam" and given["form"] in ("scalar", "vector")
    minimum = BLClassifier(single=True, identifiable=True, starts=2).fit(*labels).settings_
    assert minimum["optimizer"] == "lbfgs" and minimum["starts"] == 2


def test_parameters_without_effect_warn_and_grids_go_on(labels):
    X, y = labels
    with pytest.warns(UnusedSettingWarning, match="`momentum` = '0.5'.*sgd"):
        BLClassifier(momentum=0.5, **SMALL).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BLClassifier(momentum=0.5, optimizer="sgd", **SMALL).fit(X, y)
        warnings.simplefilter("ignore", UnusedSettingWarning)
        grid = {"blclassifier__optimizer": ["adam", "sgd"], "blclassifier__momentum": [0.5, 0.9]}
        search = GridSearchCV(
            make_pipeline(StandardScaler(), BLClassifier(**SMALL)), grid, cv=2, error_score="raise"
        ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_linear_choice_warns_too(choices):
    long, _ = choices
    options = dict(layout="long", situation="situation", alternative="alternative", chosen="chosen")
    model = BLChoice(attributes=["price", "quality"], form="linear", learning_rate=0.1, **options)
    with pytest.warns(UnusedSettingWarning, match="`learning_rate`.*linear"):
        model.fit(long)
    assert clone(model).learning_rate == 0.1


def test_errors_name_parameters(labels):
    X, y = labels
    for bad in (dict(utility_activation="cubic"), dict(lambda_sign="some"), dict(layers="two"), dict(epochs=-1)):
        with pytest.raises(ValueError) as raised:
            BLClassifier(**bad).fit(X, y)
        name = next(iter(bad))
        assert name in str(raised.value) and "--" not in str(raised.value)


# --- rows, scenarios, progress


def test_rows_are_counted_from_zero(regressor, numbers):
    X, y = numbers
    assert regressor.explain_row(X, y, 0).startswith("Row 0\n")
    assert regressor.explain_row(X, y, -1).replace("Row -1", "") == regressor.explain_row(X, y, 239).replace(
        "Row 239", ""
    )
    with pytest.raises(IndexError, match="row 240: X has the rows 0 to 239"):
        regressor.explain_row(X, y, 240)
    strict = BLClassifier(unseen="error", **SMALL).fit(pd.DataFrame({"a": ["u", "v"] * 20, "b": range(40)}), [0, 1] * 20)
    with pytest.raises(DataError, match="X:2: column 'a'"):
        strict.predict(pd.DataFrame({"a": ["u", "v", "w"], "b": [1, 2, 3]}))


def test_a_scenario_takes_a_text(regressor, numbers, choices):
    X, _ = numbers
    pd.testing.assert_frame_equal(regressor.what_if(X[:9], "x0 *= 2"), regressor.what_if(X[:9], ["x0 *= 2"]))
    long, _ = choices
    options = dict(layout="long", situation="situation", alternative="alternative", chosen="chosen")
    model = BLChoice(attributes=["price", "quality"], form="linear", **options).fit(long)
    one = model.what_if(long, {"a.price": "price * 2"})
    for text in ("a.price = price * 2", ["a.price = price * 2"]):
        np.testing.assert_array_equal(model.what_if(long, text)["after"], one["after"])
    with pytest.raises(ValueError, match="alternative.attribute"):
        model.what_if(long, "price")


def test_progress_ends_its_line(labels, capsys):
    BLClassifier(**SMALL).fit(*labels, progress=True)
    shown = capsys.readouterr().err
    assert shown.endswith("\n") and "epoch 3" in shown and shown.count("\n") == 1
    with pytest.raises(TypeError, match="progress"):
        BLClassifier(**SMALL).fit(*labels, progress="yes")


# --- averaged effects, Shapley values


def test_an_averaged_effect_is_a_mean_of_predictions(regressor, numbers, purchases):
    X, _ = numbers
    values, means = regressor.average_effect(X, 0, values=[-1.0, 2.0])
    for value, mean in zip(values, means):
        changed = X.copy()
        changed[:, 0] = value
        assert mean == pytest.approx(regressor.predict(changed).mean(), rel=1e-12)
    frame, y = purchases
    model = BLClassifier(**SMALL).fit(frame, y)
    levels, shares = model.average_effect(frame, "region", rows=50)
    assert list(levels) == ["east", "north", "south", "west"] and shares.shape == (4, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-9)


def by_hand(predict, row, background):
    """The definition, subset by subset."""
    columns = len(row)

    def value(subset):
        mixed = background.copy()
        mixed[:, list(subset)] = row[list(subset)]
        return predict(mixed).mean(axis=0)

    out = []
    for j in range(columns):
        others = [k for k in range(columns) if k != j]
        total = 0.0
        for size in range(columns):
            weight = math.factorial(size) * math.factorial(columns - size - 1) / math.factorial(columns)
            for subset in itertools.combinations(others, size):
                total = total + weight * (value((*subset, j)) - value(subset))
        out.append(total)
    return np.array(out)


def test_shapley_values_follow_their_definition(regressor, numbers, labels):
    X, _ = numbers
    found = regressor.shap_values(X[:2], X[:40])
    assert found.exact and found.background == 40 and not found.errors.any()
    expected = [by_hand(lambda rows: regressor.predict(rows, tolerance=1e-10), row, X[:40]) for row in X[:2]]
    np.testing.assert_allclose(found.values, expected, atol=1e-7)
    total = regressor.predict(X[:2], tolerance=1e-10) - found.base_values
    np.testing.assert_allclose(found.values.sum(axis=1), total, atol=1e-7)
    classifier = BLClassifier(layers=[3], epochs=10).fit(*labels)
    classes = classifier.shap_values(X[:2], X[:30])
    assert classes.values.shape == (2, 3, 3)
    expected = [by_hand(classifier.predict_proba, row, X[:30]) for row in X[:2]]
    np.testing.assert_allclose(classes.values, expected, atol=1e-10)


def test_drawn_shapley_values_are_near_the_exact_ones(labels):
    X, y = labels
    model = BLClassifier(layers=[3], epochs=10).fit(X, y)
    exact = model.shap_values(X[:3], X[:50])
    drawn = model.shap_values(X[:3], X[:50], rounds=6, seed=1)
    assert not drawn.exact and (drawn.errors > 0).any()
    error = np.maximum(drawn.errors, 1e-9)
    assert (np.abs(drawn.values - exact.values) < 5 * error).all()
    total = model.predict_proba(X[:3]) - drawn.base_values
    np.testing.assert_allclose(drawn.values.sum(axis=1), total, atol=1e-9)  # exactly, whatever was drawn
    again = model.shap_values(X[:3], X[:50], rounds=6, seed=1)
    np.testing.assert_array_equal(again.values, drawn.values)


# --- data sets


def test_data_sets_have_the_problems_they_state():
    assert datasets.names() == ["households", "commutes", "purchases"]
    trips = datasets.load_commutes()
    attributes = {"time": "{}_time", "cost": "{}_cost"}
    model = BLChoice(
        choice="mode", alternatives=["car", "train", "bus"], attributes=attributes, form="linear", person="person"
    ).fit(trips.frame)
    for one in model.coefficients_:
        truth = {"time": -0.05, "cost": -0.25, "train": -0.3, "bus": -0.6}
        name = next(key for key in truth if key in one["name"])
        assert abs(one["estimate"] - truth[name]) < 4 * one["standard_error"], one
    worth = model.trade_off(trips.frame, "time", "cost")
    assert abs(60 * worth["value"] - 12) < 4 * 60 * worth["standard_error"]

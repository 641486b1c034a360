"""Every way to ask a fitted estimator, against another way to the same number."""

import warnings

import numpy as np
import pytest

from behavior_learning import BLClassifier, BLDensity, BLRegressor, PredictionWarning, UsageError


@pytest.fixture(scope="module")
def classifier(labels):
    return BLClassifier(layers=[4], epochs=40).fit(*labels)


@pytest.fixture(scope="module")
def regressor(numbers):
    return BLRegressor(layers=[4], epochs=40).fit(*numbers)


def test_classes(classifier, labels):
    X, y = labels
    assert classifier.score(X, y) > 0.85
    utilities = classifier.utility(X)
    softmax = np.exp(utilities - utilities.max(axis=1, keepdims=True))
    probabilities = classifier.predict_proba(X)
    np.testing.assert_allclose(probabilities, softmax / softmax.sum(axis=1, keepdims=True), rtol=1e-9)
    np.testing.assert_array_equal(classifier.predict(X), classifier.classes_[probabilities.argmax(axis=1)])
    np.testing.assert_array_equal(classifier.decision_function(X), utilities)
    places = np.searchsorted(classifier.classes_, y)
    np.testing.assert_allclose(
        classifier.log_density(X, y), np.log(probabilities[np.arange(len(y)), places]), rtol=1e-9
    )
    np.testing.assert_array_equal(classifier.utility(X, y), utilities[np.arange(len(y)), places])
    draws = classifier.sample(X[:4], 4000, seed=1)
    assert draws.shape == (4, 4000)
    shares = np.array([[np.mean(row == one) for one in classifier.classes_] for row in draws])
    np.testing.assert_allclose(shares, probabilities[:4], atol=0.04)  # five standard deviations of 4000 draws


def test_decision_of_two_classes(labels):
    X, y = labels
    model = BLClassifier(layers=[2], epochs=10).fit(X, y == "high")
    assert model.classes_.dtype == bool
    difference = model.decision_function(X)
    assert difference.shape == (len(X),)
    np.testing.assert_allclose(1 / (1 + np.exp(-difference)), model.predict_proba(X)[:, 1], rtol=1e-9)


def test_numbers(regressor, numbers):
    X, y = numbers
    assert regressor.score(X, y) > 0.9
    quantiles = regressor.predict_quantiles(X[:5], [0.05, 0.5, 0.95])
    assert quantiles.shape == (5, 3)
    assert (np.diff(quantiles, axis=1) > 0).all()
    np.testing.assert_allclose(regressor.predict_interval(X[:5], 0.9), quantiles[:, [0, 2]], rtol=1e-12)
    assert (
        (regressor.predict_interval(X, 0.9)[:, 0] < y) & (y < regressor.predict_interval(X, 0.9)[:, 1])
    ).mean() > 0.75
    grid = np.linspace(quantiles[0, 0], quantiles[0, 2], 2001)
    density = np.exp(regressor.log_density(np.repeat(X[:1], len(grid), axis=0), grid))
    mass = np.sum((density[1:] + density[:-1]) / 2 * np.diff(grid))
    assert abs(mass - 0.9) < 1e-4
    best = regressor.predict_mode(X[:1])[0]
    at_best = regressor.utility(X[:1], [best])[0]
    assert (regressor.utility(np.repeat(X[:1], len(grid), axis=0), grid) <= at_best + 1e-9).all()
    draws = regressor.sample(X[:3], 3000, seed=2)
    np.testing.assert_allclose(draws.mean(axis=1), regressor.predict(X[:3]), atol=5 * draws.std() / np.sqrt(3000))


def test_two_responses_at_once(numbers):
    X, y = numbers
    both = np.column_stack([y, X[:, 0] * 2 + 1])
    model = BLRegressor(layers=[3], epochs=8).fit(X[:80], both[:80])
    assert model.predict(X[:3]).shape == (3, 2)
    assert model.predict_quantiles(X[:3], [0.1, 0.9]).shape == (3, 2, 2)
    assert model.predict_interval(X[:3], 0.8).shape == (3, 2, 2)
    assert model.sample(X[:3], 10).shape == (3, 10, 2)
    assert np.isfinite(model.log_density(X[:3], both[:3])).all()


def test_density(numbers):
    X, y = numbers
    model = BLDensity(layers=[4], epochs=30).fit(X[:, :1])
    grid = np.linspace(-8, 8, 4001)[:, None]
    mass = np.exp(model.log_density(grid)).sum() * 16 / 4000
    assert abs(mass - 1) < 1e-3
    assert model.score(X[:, :1]) == pytest.approx(model.score_samples(X[:, :1]).mean())
    u, log_p = model.utility(grid[2000:2003]), model.log_density(grid[2000:2003])
    np.testing.assert_allclose(np.diff(u), np.diff(log_p), rtol=1e-6)
    draws = model.sample(2000, seed=3)
    assert draws.shape == (2000, 1)
    assert abs(draws.mean() - X[:, 0].mean()) < 0.3
    three = BLDensity(layers=[2], epochs=3).fit(X)
    with pytest.raises(UsageError, match="utility"):
        three.log_density(X)
    held = three.sample_given(X[:2], ["x0"], 5)
    assert held.shape == (2, 5, 3)
    np.testing.assert_allclose(held[:, :, 0], X[:2, :1].repeat(5, axis=1), rtol=1e-12)


def test_identifiable_variants(numbers, labels):
    X, y = numbers
    options = dict(identifiable=True, layers=[1], optimizer="lbfgs", precision="float64", epochs=20, fractions="1:0:0")
    assert "softplus" in str(BLClassifier(**options).fit(*labels).explain())
    assert "softplus" in str(BLRegressor(**options).fit(X, y).explain())
    assert "softplus" in str(BLDensity(**options).fit(X[:, :2]).explain())


def test_explanations(classifier, regressor, labels):
    explanation = classifier.explain(terms=2)
    assert str(explanation) == explanation.text and "max" in explanation.text
    assert explanation.latex.startswith("\\documentclass")
    assert "|" in explanation.markdown
    assert explanation.dot.startswith("digraph")
    assert explanation.to_dict()
    assert explanation._repr_svg_().startswith("<svg") and "<pre>" in explanation._repr_html_()
    block = classifier.explain(block="L1.B2", terms="all")
    assert block.svg.startswith("<svg") and "<svg" in block._repr_html_()
    with pytest.raises(UsageError, match="L9"):
        classifier.explain(block="L9.B9")
    X, y = labels
    assert "utility" in classifier.explain_row(X, y, row=2)
    important = classifier.importance(X, y)
    assert {"x0", "x1", "x2"} <= set(important)
    assert important["x0"] > important["x1"] > important["x2"]  # 1, 0.5 and nothing
    assert {"accuracy", "log_loss"} <= set(classifier.evaluate(X, y))


def test_predictions_are_exact_to_the_tolerance_asked(regressor, numbers):
    X = numbers[0][:20]
    span = regressor.model_.responses()[0]
    width = span.upper - span.lower
    exact = regressor.predict(X, tolerance=1e-10)
    for tolerance in (1e-3, 1e-6):
        found = regressor.predict(X, tolerance=tolerance)
        assert np.abs(found - exact).max() <= tolerance * width
    assert np.array_equal(regressor.predict(X), found)
    for refused in (
        lambda: regressor.predict(X, tolerance=0),
        lambda: regressor.predict_quantiles(X, [0.5], tolerance=0),
        lambda: regressor.predict_interval(X, 0.9, tolerance=0),
    ):
        with pytest.raises(UsageError, match="tolerance"):
            refused()


def test_economics_of_tables(classifier, regressor, labels, numbers):
    X, y = numbers
    by_column = regressor.economics(X[:40], y[:40], numeraire="x1")
    assert list(by_column.index)[:3] == ["x0", "x1", "x2"]
    slopes = regressor.constraints(X[:40], y[:40])
    assert len(slopes) == 8  # an inequality and an equality in each of four blocks
    step = 1e-3
    moved = regressor.what_if(X[:40], [f"x0 += {step}"])
    after, before = (regressor.predict(rows, tolerance=1e-8) for rows in (X[:40] + [step, 0, 0], X[:40]))
    expected = (after - before).mean()
    assert moved["change"].iloc[0] == pytest.approx(expected, rel=1e-6)
    assert len(classifier.constraints(*labels)) == 8


def test_responses_are_means_of_predictions(classifier, labels):
    X = labels[0][:40]
    found = classifier.responses(X)
    assert sorted(set(found.index)) == ["x0", "x1", "x2"]
    for name, row in found.iterrows():
        changed = X.copy()
        changed[:, int(name[1])] = float(row["value"])
        np.testing.assert_allclose(list(row)[1:], classifier.predict_proba(changed).mean(axis=0), atol=1e-12)


def test_a_small_problem_in_place_of_a_large_one(labels):
    X, y = labels
    large = BLClassifier(epochs=20, seed=1).fit(X, y)
    assert len(str(large.explain()).splitlines()) <= 45
    assert "L1.B64" in str(large.explain(full=True))
    small = large.simplify(X, y, blocks=2, columns=2, starts=1)
    assert "x2" not in str(small.explain(terms="all")) and "x0" in str(small.explain())
    assert small.predict_proba(X).shape == (len(X), 3)
    assert small.sizes_["chosen"].sum() == 1 and "chosen" in small.simplification_
    with pytest.raises(UsageError, match="`columns` = 4"):
        large.simplify(X, y, columns=4)
    with pytest.raises(UsageError, match="simplify"):
        large.summary(X, y)


def test_readable_is_no_larger_than_it_says(labels):
    X, y = labels
    large = BLClassifier(epochs=10, seed=1).fit(X, y)
    small = large.simplify(X, y, starts=1, readable=True, head_columns=2)
    assert small.sizes_.index.max() == 3  # blocks
    for block in small.explain().to_dict()["layers"][0]:
        for head in block["heads"]:
            read = {term["curve"]["variable"] for term in head["terms"] if "curve" in term}
            assert len(read) <= 2


def test_classes_are_decided_by_what_is_wanted(labels):
    X, y = labels
    classifier = BLClassifier(epochs=10, seed=1).fit(X, y)
    p = classifier.predict_proba(X)
    np.testing.assert_array_equal(classifier.predict(X, decide="accuracy"), classifier.predict(X))
    costs = np.array([[0, 1, 1], [9, 0, 9], [1, 1, 0]])
    np.testing.assert_array_equal(classifier.predict(X, decide=costs), classifier.classes_[np.argmin(p @ costs, axis=1)])
    assert set(classifier.predict(X, decide="macro_f1")) <= set(classifier.classes_)
    with pytest.raises(ValueError, match="3 rows of 3"):
        classifier.predict(X, decide=np.eye(2))
    with pytest.raises(ValueError, match="macro_f1"):
        classifier.predict(X, decide="f1")
    with pytest.raises(ValueError, match="no weights for macro_f1"):
        BLClassifier(epochs=2, fractions="1:0:0").fit(X, y).predict(X, decide="macro_f1")


def test_a_mean_that_a_tail_dominates_comes_with_a_warning():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(400, 1)), np.exp(4 * random.normal(size=400))
    model = BLRegressor(epochs=20).fit(X, y)
    with pytest.warns(PredictionWarning, match="beyond 95% of its own distribution") as heard:
        model.predict(X)
    assert heard[0].filename == __file__  # the caller's line, not the package's
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_quantiles(X, [0.5])

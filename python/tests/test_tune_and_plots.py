import matplotlib
import numpy as np
import pytest

from behavior_learning import BLClassifier, BLRegressor, UsageError, plots, tune

matplotlib.use("Agg")


@pytest.mark.parametrize("jobs", [1, 2])
def test_tune_finds_parameters_and_prunes(labels, jobs):
    import optuna

    X, y = labels
    best = tune(
        BLClassifier(epochs=12),
        X,
        y,
        trials=8,
        jobs=jobs,
        seed=1,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=2, n_warmup_steps=2),
    )
    study = best.study_
    states = [one.state for one in study.trials]
    assert len(states) == 8 and optuna.trial.TrialState.FAIL not in states
    if jobs == 1:  # which trials there are depends on their order otherwise
        assert optuna.trial.TrialState.PRUNED in states
        assert best.score(X, y) > 0.5
    assert best.layers == study.best_trial.user_attrs["parameters"]["layers"]
    assert best.history_["validation_loss"].min() == pytest.approx(study.best_value)


def test_tune_spaces_and_mistakes(labels):
    X, y = labels
    best = tune(BLClassifier(epochs=3), X, y, space={"layers": ["2", "3"]}, trials=2, seed=0)
    assert best.layers in ("2", "3")
    single = tune(BLClassifier(epochs=2), X, y, space="single", trials=1)
    assert single.single and "single block" in single.plan_
    with pytest.raises(ValueError, match="trials or seconds"):
        tune(BLClassifier(), X, y)
    with pytest.raises(ValueError, match="validation rows"):
        tune(BLClassifier(epochs=2, fractions="1:0:0", layers=[2]), X, y, space={"seed": [1]}, trials=1)


def test_plots_show_the_numbers(labels, numbers):
    X, y = labels
    classifier = BLClassifier(layers=[3, 2], epochs=10).fit(X, y)
    drawn = plots.learning_curve(classifier)
    np.testing.assert_array_equal(drawn.lines[0].get_ydata(), classifier.history_["train_loss"])
    assert len(plots.importance(classifier, X, y).patches) == len(classifier.importance(X, y)) >= 3
    plots.calibration(classifier, X, y)
    plots.effect(classifier, X, 0)
    texts = {one.get_text() for one in plots.graph(classifier, threshold=0).texts}
    assert {"x0", "L1.B1", "L2.B2"} <= texts

    bent = BLClassifier(layers=[2], curves="all", epochs=3).fit(X, y)
    axes = plots.curves(bent, "L1.B2", columns=2)
    assert axes.shape == (2, 3)
    drawn = {(name.get_ylabel(), h): axes[i, h].lines[0].get_ydata() for i, name in enumerate(axes[:, 0]) for h in range(3)}
    for h, head in enumerate(bent.explain().to_dict()["layers"][0][1]["heads"]):
        for term in head["terms"]:
            if "curve" in term and (term["curve"]["variable"], h) in drawn:
                np.testing.assert_array_equal(drawn[term["curve"]["variable"], h], term["curve"]["values"])
    with pytest.raises(ValueError, match="no block L9"):
        plots.curves(bent, "L9")
    joint = BLClassifier(layers=[1], curves="all, x0~*x1~", epochs=3).fit(X, y)
    axes = plots.curves(joint, columns=2)
    assert axes.shape == (3, 3)
    assert axes[2, 0].get_xlabel() == "x0" and axes[2, 0].get_ylabel() == "x1"
    product = next(term["product"] for term in joint.explain().to_dict()["layers"][0][0]["heads"][0]["terms"]
                   if "product" in term)
    np.testing.assert_array_equal(axes[2, 0].collections[0].get_array().ravel(), np.ravel(np.transpose(product["values"])))
    with pytest.raises(UsageError, match="multiplied with itself"):
        BLClassifier(curves="x0~*x0~").fit(X, y)

    X, y = numbers
    regressor = BLRegressor(layers=[3], epochs=10).fit(X, y)
    curve = plots.density(regressor, X, rows=[0, 5]).lines[0]
    mass = np.sum(curve.get_ydata()) * (curve.get_xdata()[1] - curve.get_xdata()[0])
    assert abs(mass - 1) < 0.01
    line = plots.utility(regressor, X).lines[0]
    best = line.get_xdata()[np.argmax(line.get_ydata())]
    assert abs(best - regressor.predict_mode(X[:1])[0]) < 2 * (line.get_xdata()[1] - line.get_xdata()[0])
    plots.calibration(regressor, X, y)
    plots.effect(regressor, X, 1)
    with pytest.raises(ValueError, match="one number"):
        plots.density(classifier, X)


def test_heat_maps_circle_knots_that_are_not_told_from_zero():
    rng = np.random.default_rng(3)
    X = rng.random((800, 2))
    y = np.where(rng.random(800) < 1 / (1 + np.exp(-8 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5))), "b", "a")
    model = BLClassifier(
        single=True, utility_activation="identity", heads="1,0,0", curves="x0~*x1~", starts=1, fractions="1:0:0"
    ).fit(X, y)
    terms = model.explain().to_dict()["layers"][0][0]["heads"][0]["terms"]
    product = next(term["product"] for term in terms if "product" in term)
    zero = np.abs(product["values"]) <= 1.959964 * np.array(product["standard_errors"])
    circles = plots.curves(model)[-1, 0].collections[1]
    assert len(circles.get_offsets()) == zero.sum() > 0
    estimated = model.summary().to_dict()["products"][0]
    assert estimated["no_effect"] == product["no_effect"]
    np.testing.assert_allclose(estimated["standard_error"], product["standard_errors"])

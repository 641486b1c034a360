"""Latent classes of tables: rows of persons who belong to one of two classes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from behavior_learning import BLChoice, BLClassifier, BLRegressor, UsageError, compare


@pytest.fixture(scope="module")
def visits():
    """250 persons with eight rows each: some buy for the price, others for the advertisement."""
    rng = np.random.default_rng(2)
    person = np.repeat(np.arange(250), 8)
    member = (rng.random(250) < 0.5)[person].astype(int)
    follows_price = (rng.random(250) < np.where(member[::8] == 1, 0.7, 0.2))[person]
    frame = pd.DataFrame({"price": rng.normal(size=len(person)), "ad": rng.integers(0, 2, len(person)), "member": member})
    u = np.where(follows_price, 0.5 - 2.0 * frame.price, -1.0 + 1.8 * frame.ad)
    buys = (u + rng.logistic(size=len(person)) > 0).astype(int)
    return frame, buys, person


@pytest.fixture(scope="module")
def model(visits):
    X, y, person = visits
    return BLClassifier(latent={"classes": 2, "starts": 3}, membership=["member"]).fit(X, y, groups=person)


def test_the_planted_classes_are_found(model, visits):
    summary = model.summary()
    found = summary.params
    price = 1 if abs(found["price[1] (class 1)"]) > 1 else 2
    ad = 3 - price
    for name, truth in [
        (f"constant[1] (class {price})", 0.5),
        (f"price[1] (class {price})", -2.0),
        (f"ad[1] (class {price})", 0.0),
        (f"constant[1] (class {ad})", -1.0),
        (f"price[1] (class {ad})", 0.0),
        (f"ad[1] (class {ad})", 1.8),
    ]:
        assert abs(found[name] - truth) < 4 * summary.bse[name] < 2, name
    assert any("differences from '0'" in note for note in model.notes_)


def test_probabilities_are_those_of_the_definition(model, visits):
    X, y, person = visits
    b = model.summary().params
    odds = np.exp(b["share (class 2)"] + b["share by member (class 2)"] * X.member)
    shares = np.column_stack([1 / (1 + odds), odds / (1 + odds)])
    buys = np.column_stack(
        [
            1 / (1 + np.exp(-b[f"constant[1] (class {k})"] - b[f"price[1] (class {k})"] * X.price - b[f"ad[1] (class {k})"] * X.ad))
            for k in (1, 2)
        ]
    )
    probabilities = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_, [0, 1])
    np.testing.assert_allclose(probabilities[:, 1], (shares * buys).sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (probabilities[:, 1] > 0.5).astype(int))
    likelihood = np.where(y[:, None] == 1, buys, 1 - buys)
    by_person = shares[::8] * likelihood.reshape(250, 8, 2).prod(axis=1)
    metrics = model.evaluate(X, y, groups=person)
    assert metrics["log_likelihood"] == pytest.approx(np.log(by_person.sum(axis=1)).sum(), rel=1e-9)
    assert metrics["log_likelihood"] == pytest.approx(model.summary().llf, rel=1e-9)
    posterior = model.posterior(X, y, groups=person)
    np.testing.assert_allclose(posterior["p(class 1)"], (by_person / by_person.sum(axis=1, keepdims=True))[:, 0], atol=1e-9)
    # Rows of persons who are not known.
    alone = np.log((shares * likelihood).sum(axis=1)).sum()
    assert model.evaluate(X, y)["log_likelihood"] == pytest.approx(alone, rel=1e-9)


def test_bic_chooses_two_classes(model, visits):
    X, y, person = visits
    models = {str(k): clone(model).set_params(latent={"classes": k, "starts": 3}).fit(X, y, groups=person) for k in (1, 3)}
    bic = {name: one.summary().bic for name, one in models.items()}
    assert model.summary().bic < min(bic.values())
    assert "BIC" in str(compare({"one": models["1"], "two": model}))


def test_a_saved_model_is_one_of_choices(model, visits, tmp_path):
    X, y, person = visits
    model.save(tmp_path / "latent.bl")
    again = BLChoice.load(tmp_path / "latent.bl")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    # The same by the estimator of choices.
    frame = X.assign(buys=y, person=person)
    same = BLChoice(layout="table", choice="buys", person="person", latent={"classes": 2, "starts": 3}, membership=["member"])
    same.fit(frame)
    assert same.summary().llf == pytest.approx(model.summary().llf, abs=1e-6)


def test_what_has_no_meaning_is_refused(model, visits):
    X, y, person = visits
    with pytest.raises(UsageError, match="leave out validation"):
        BLClassifier(latent=2).fit(X, y, validation=(X, y))
    with pytest.raises(UsageError, match="say how many"):
        BLClassifier(membership=["member"]).fit(X, y)
    with pytest.raises(UsageError, match="predict_proba, evaluate and posterior"):
        model.summary(X, y)
    table = BLClassifier(layers=[2], epochs=1).fit(X, y)
    with pytest.raises(ValueError, match="latent classes"):
        table.evaluate(X, y, groups=person)
    with pytest.raises(UsageError, match="latent classes"):
        table.posterior(X, y)
    with pytest.raises(UsageError, match="is a number"):
        BLChoice(layout="table", choice="price", latent=2).fit(X.assign(buys=y))
    with pytest.raises(TypeError):
        BLRegressor(latent=2)

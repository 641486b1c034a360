import numpy as np
import pandas as pd
import pytest

from behavior_learning import BLChoice, DataError, UsageError

LONG = dict(
    layout="long",
    situation="situation",
    alternative="alternative",
    chosen="chosen",
    attributes=["price", "quality"],
)


@pytest.fixture(scope="module")
def logit(choices):
    return BLChoice(form="linear", **LONG).fit(choices[0])


def test_the_planted_utility_is_found(logit):
    found = {one["name"]: one for one in logit.coefficients_}
    for name, truth in [("price", -1.5), ("quality", 1.0), ("constant[b]", 0), ("constant[c]", 0)]:
        assert abs(found[name]["estimate"] - truth) < 4 * found[name]["robust_error"]


def test_wide_and_long_frames_agree(logit, choices):
    long, wide = choices
    model = BLChoice(
        form="linear",
        choice="choice",
        alternatives=["a", "b", "c"],
        attributes={"price": "{}_price", "quality": "{}_quality"},
    ).fit(wide)
    np.testing.assert_allclose(model.predict_proba(wide), logit.predict_proba(long), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(wide), logit.predict(long))


def test_utilities_and_shares(logit, choices):
    long, _ = choices
    utilities = logit.utility(long)
    weights = np.exp(utilities)
    probabilities = logit.predict_proba(long)
    np.testing.assert_allclose(probabilities, weights / weights.sum(axis=1, keepdims=True), rtol=1e-9)
    shares = logit.market_shares(long)
    np.testing.assert_allclose(list(shares["predicted"].values()), probabilities.mean(axis=0), rtol=1e-9)
    chosen = long[long.chosen == 1]["alternative"].to_numpy()
    assert logit.evaluate(long)["accuracy"] == pytest.approx(np.mean(chosen == logit.predict(long)))
    places = np.searchsorted(logit.alternatives_.astype(str), chosen)
    assert logit.score(long) == pytest.approx(np.log(probabilities[np.arange(len(places)), places]).mean())


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_flags_are_true_or_false(logit, choices, kind):
    import polars as pl

    long = choices[0].assign(chosen=choices[0].chosen == 1)
    model = BLChoice(form="linear", **LONG).fit(long if kind == "pandas" else pl.from_pandas(long))
    assert [one["estimate"] for one in model.coefficients_] == [one["estimate"] for one in logit.coefficients_]


def test_economics(logit, choices):
    long, _ = choices
    found = {one["name"]: one["estimate"] for one in logit.coefficients_}
    assert logit.trade_off(long, "quality", "price")["value"] == pytest.approx(found["quality"] / found["price"])
    assert logit.marginal_utility(long, "price")["a"] == pytest.approx(found["price"])
    dearer = logit.what_if(long, {"a.price": "price * 1.2"}, money="price")
    assert dearer["after"][0] < dearer["before"][0] and dearer["money_change"] < 0
    gone = logit.what_if(long, withdraw=["a"])
    assert gone["after"][0] == 0 and gone["after"].sum() == pytest.approx(1)
    more = logit.what_if(long, add={"d": "a"})
    assert more["alternatives"] == ["a", "b", "c", "d"] and more["after"][3] > 0.1
    elasticity, errors = logit.elasticities(long, "price", errors=True)
    assert (errors > 0).all()
    assert (np.diag(elasticity) < 0).all() and elasticity.shape == (3, 3)


def test_alternatives_that_are_not_available(logit, choices):
    long, _ = choices
    fewer = long[~((long.alternative == "c") & (long.chosen == 0) & (long.situation % 2 == 0))]
    model = BLChoice(form="linear", **LONG).fit(fewer)
    gone = model.predict_proba(fewer)[:, 2] == 0
    assert gone.any() and np.isnan(model.utility(fewer)[gone, 2]).all()


def test_a_network_reads_context(choices):
    long, _ = choices
    rich = long.assign(rich=np.where(long.situation % 2 == 0, "yes", "no"))
    model = BLChoice(form="network", context=["rich"], nominal_context=["rich"], layers=[3], epochs=20, **LONG).fit(
        rich
    )
    assert model.settings_["fractions"] == "7:1:0"
    assert model.score(rich) > np.log(1 / 3)


def test_schemas_as_text_and_dictionary(logit, choices):
    long, _ = choices
    by_text = BLChoice(logit.schema_text()).fit(long)
    np.testing.assert_array_equal(by_text.predict_proba(long), logit.predict_proba(long))
    document = {
        "data": {"layout": "long", "situation": "situation", "alternative": "alternative", "chosen": "chosen"},
        "attributes": {"price": "price", "quality": "quality"},
        "utility": {"form": "linear"},
    }
    by_dictionary = BLChoice(document).fit(long)
    np.testing.assert_array_equal(by_dictionary.predict_proba(long), logit.predict_proba(long))


def test_explanations(logit):
    assert "price" in str(logit.explain()) and "price" in logit.explain("b").latex
    with pytest.raises(UsageError, match="bus"):
        logit.explain("bus")


def test_mistakes_are_named(choices):
    long, _ = choices
    with pytest.raises(UsageError, match="attribut"):
        BLChoice(form="linear", **{**LONG, "attributes": None}).fit(long)
    twice = pd.concat([long, long.head(1)])
    with pytest.raises(DataError):
        BLChoice(form="linear", **LONG).fit(twice)
    with pytest.raises(TypeError, match="data frame"):
        BLChoice(form="linear", **LONG).fit(np.zeros((3, 3)))

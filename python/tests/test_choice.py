import copy

import numpy as np
import pandas as pd
import pytest

from behavior_learning import BLChoice, DataError, UsageError, _core, compare

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


def test_threads_count_for_every_question(logit, choices, monkeypatch):
    long, _ = choices
    model, asked = copy.copy(logit), {}
    model.threads = 3

    def recorded(name):
        original = getattr(_core, name)

        def call(*arguments):
            asked[name] = arguments
            return original(*arguments)

        return call

    names = ["market_shares", "what_if", "elasticities", "slopes", "trade_off"]
    for name in names:
        monkeypatch.setattr(_core, name, recorded(name))
    model.market_shares(long)
    model.what_if(long, withdraw=["a"])
    model.elasticities(long, "price")
    model.marginal_utility(long, "price")
    model.trade_off(long, "quality", "price")
    assert [name for name in names if 3 not in [one for one in asked[name] if isinstance(one, int)]] == []
    assert model._predict_options().threads == 3


def test_economics(logit, choices):
    long, _ = choices
    found = {one["name"]: one["estimate"] for one in logit.coefficients_}
    assert logit.trade_off(long, "quality", "price")["value"] == pytest.approx(found["quality"] / found["price"])
    assert logit.marginal_utility(long, "price")["a"] == pytest.approx(found["price"])
    dearer = logit.what_if(long, {"a.price": "price * 1.2"}, money="price")
    assert dearer["after"][0] < dearer["before"][0] and dearer["money_change"] < 0
    gone = logit.what_if(long, withdraw=["a"])
    assert gone["after"][0] == 0 and gone["after"].sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="level is of intervals from draws"):
        logit.what_if(long, withdraw=["a"], level=0.9)
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


def test_settings_of_a_schema_may_be_true_or_false(choices):
    document = {
        "data": {key: value for key, value in LONG.items() if key != "attributes"},
        "attributes": {"price": "price"},
        "utility": {"form": "network"},
        "settings": {"single": True, "identifiable": np.True_, "heads": "1,0,0", "starts": 1, "degree": 1},
    }
    assert BLChoice(document).fit(choices[0]).settings_["single"] is True


def test_explanations(logit):
    assert "price" in str(logit.explain()) and "price" in logit.explain("b").latex
    with pytest.raises(UsageError, match="bus"):
        logit.explain("bus")


def test_mistakes_are_named(choices):
    long, _ = choices
    with pytest.raises(UsageError, match="attribut"):
        BLChoice(form="linear", **{**LONG, "attributes": None}).fit(long)
    # By the parameter: nobody wrote the schema that the library reads.
    with pytest.raises(UsageError, match="^signs: there is no attribute 'prize'"):
        BLChoice(form="linear", signs={"prize": "negative"}, **LONG).fit(long)
    document = {"data": {**LONG, "attributes": None}, "attributes": {"price": "price"}, "utility": {"form": "curved"}}
    with pytest.raises(UsageError, match=r"^schema\['utility'\]\['form'\]: form 'curved'"):
        BLChoice(document).fit(long)
    with pytest.raises(UsageError, match="^constants: expected True or False"):
        BLChoice(form="linear", constants="no", **LONG).fit(long)
    document["utility"]["form"], document["data"] = "linear", {k: v for k, v in LONG.items() if k != "attributes"}
    with pytest.raises(UsageError, match=r"^schema\['settings'\]\['epochs'\]: .*epochs.* = 'many'"):
        BLChoice({**document, "settings": {"epochs": "many"}}).fit(long)
    twice = pd.concat([long, long.head(1)])
    with pytest.raises(DataError):
        BLChoice(form="linear", **LONG).fit(twice)
    with pytest.raises(TypeError, match="data frame"):
        BLChoice(form="linear", **LONG).fit(np.zeros((3, 3)))


def conditional_logit(long):
    """The textbook's estimator by Newton's method: estimates, classical and robust covariance, log-likelihood."""
    alternatives = long.alternative.to_numpy().reshape(-1, 3)
    design = np.stack(
        [(alternatives == name).astype(float) for name in "bc"]
        + [long[name].to_numpy().reshape(-1, 3) for name in ("price", "quality")],
        axis=2,
    )
    chosen = long.chosen.to_numpy().reshape(-1, 3)
    beta = np.zeros(4)
    for _ in range(30):
        weights = np.exp(design @ beta)
        p = weights / weights.sum(axis=1, keepdims=True)
        scores = np.einsum("ijk,ij->ik", design, chosen - p)
        centred = design - np.einsum("ijk,ij->ik", design, p)[:, None, :]
        information = np.einsum("ijk,ijl,ij->kl", centred, centred, p)
        beta = beta + np.linalg.solve(information, scores.sum(axis=0))
    inverse = np.linalg.inv(information)
    return beta, inverse, inverse @ scores.T @ scores @ inverse, np.log(p[chosen == 1]).sum()


def test_the_summary_is_the_textbooks(logit, choices, tmp_path):
    long, _ = choices
    beta, classical, robust, llf = conditional_logit(long)
    logit.save(tmp_path / "model.bl")
    for model in (logit, BLChoice.load(tmp_path / "model.bl")):
        for kind, covariance in [("classical", classical), ("robust", robust)]:
            summary = model.summary(cov_type=kind)
            assert list(summary.params.index) == ["constant[b]", "constant[c]", "price", "quality"]
            np.testing.assert_allclose(summary.params, beta, atol=1e-9)
            np.testing.assert_allclose(summary.cov_params(), covariance, atol=1e-8)
            np.testing.assert_allclose(summary.bse, np.sqrt(np.diag(covariance)), rtol=1e-7)
    summary = logit.summary(level=0.9)
    assert summary.nobs == 400 and summary.df_model == 4
    assert summary.llf == pytest.approx(llf, abs=1e-8) and summary.llnull == pytest.approx(-400 * np.log(3))
    assert summary.aic == pytest.approx(8 - 2 * llf) and summary.bic == pytest.approx(4 * np.log(400) - 2 * llf)
    assert summary.rsquared_adj == pytest.approx(1 - (llf - 4) / (-400 * np.log(3)))
    assert summary.pvalues["price"] < 1e-6 and summary.conf_int().loc["price", "upper"] < 0
    assert "Rho-square" in str(summary) and "<pre>" in summary._repr_html_()
    assert summary.wald_test("price = 0")["statistic"] == pytest.approx(beta[2] ** 2 / robust[2, 2], rel=1e-6)
    small = BLChoice(form="linear", **{**LONG, "attributes": ["price"]}).fit(long)
    assert summary.compare_lr_test(small.summary())["degrees"] == 1


def test_summaries_from_rows(logit, choices):
    long, _ = choices
    long = long.assign(house=long.situation // 4)
    summary = logit.summary(long, clusters="house", bootstrap=20)
    assert summary.cov_type == "cluster" and (summary.bse > 0).all()
    with pytest.raises(UsageError, match="person"):
        logit.summary(long, cov_type="cluster")
    with pytest.raises(DataError, match="price"):
        logit.summary(long.drop(columns="price"))
    with pytest.raises(TypeError, match="no option"):
        logit.summary(nonsense=1)
    with pytest.raises(UsageError, match="rows"):
        logit.summary(clusters="house")


def test_an_identifiable_network_has_errors(choices):
    long, _ = choices
    rest = dict(single=True, heads="1,0,0", degree=1, fractions="1:0:0")
    model = BLChoice(form="network", identifiable=True, starts=2, **rest, **LONG).fit(long)
    summary = model.summary()
    # The planted utility is straight, so the weight of a bounded one runs away, and nothing is said about its error.
    assert "U.price" in summary.params.index and not summary.bse["U.price"] > 0
    np.testing.assert_allclose(model.summary(long).bse, summary.bse, rtol=1e-4)
    again = BLChoice(form="network", epochs=3, layers=[2], **LONG).fit(long)
    with pytest.raises(UsageError, match="keeps no covariance"):
        again.summary()


# --- beyond the logit


def planted_choices(persons=80):
    """Three alternatives, five choices a person; the coefficient of x is normal with mean -1 and standard deviation 1."""
    rng = np.random.default_rng(3)
    n = persons * 5
    person = np.repeat(np.arange(persons), 5)
    beta = np.repeat(rng.normal(-1, 1, persons), 5)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    v = beta[:, None] * x + 0.5 * y + rng.gumbel(size=(n, 3))
    frame = {"choice": np.array(["a", "b", "c"], dtype=object)[v.argmax(axis=1)], "id": person, "g": person % 2}
    for j, name in enumerate("abc"):
        frame["x" + name], frame["y" + name] = x[:, j], y[:, j]
    return frame


def beyond(**more):
    alternatives = {name: {"attributes": {"x": "x" + name, "y": "y" + name}} for name in "abc"}
    return BLChoice(choice="choice", person="id", alternatives=alternatives, **more)


def test_mixed_logit_from_parameters():
    frame = planted_choices()
    model = beyond(random={"x": "normal"}, random_draws=100).fit(frame)
    names = [one["name"] for one in model.coefficients_]
    assert names == ["constant[b]", "constant[c]", "x", "y", "sd(x)"]
    assert np.allclose(model.predict_proba(frame).sum(axis=1), 1)
    posterior = model.posterior(frame)
    assert len(posterior["mean(x)"]) == 80
    assert model.evaluate(frame)["log_likelihood"] == pytest.approx(model.summary().llf, abs=1e-6)
    assert "sequence" in beyond(random={"x": "normal"}, random_draws={"count": 9, "sequence": "halton"}).schema_text()


def test_nests_classes_and_a_comparison(tmp_path):
    frame = planted_choices()
    models = {
        "logit": beyond().fit(frame),
        "nested": beyond(nests={"ab": ["a", "b"]}).fit(frame),
        "classes": beyond(latent={"classes": 2, "starts": 2}, membership=["g"]).fit(frame),
    }
    table = compare(models)
    assert "mu(ab)" in str(table) and "nested" in table.as_latex()
    found = table.as_dict()
    assert found["models"][1]["likelihood_ratio"] == pytest.approx(
        2 * (models["nested"].summary().llf - models["logit"].summary().llf)
    )
    models["classes"].save(tmp_path / "classes.bl")
    again = BLChoice.load(tmp_path / "classes.bl")
    assert np.array_equal(again.predict_proba(frame), models["classes"].predict_proba(frame))
    with pytest.raises(UsageError, match="choose one"):
        beyond(nests={"ab": ["a", "b"]}, latent=2).fit(frame)


def test_a_scale_by_data_source():
    """Half of the choices are made with utilities twice as large: twice the coefficients, so a scale of 2."""
    rng = np.random.default_rng(4)
    n = 3000
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    revealed = np.arange(n) % 2 == 0
    v = np.where(revealed, 1.0, 2.0)[:, None] * (-0.8 * x + 0.5 * y) + rng.gumbel(size=(n, 3))
    frame = {"choice": np.array(["a", "b", "c"], dtype=object)[v.argmax(axis=1)], "id": np.arange(n)}
    frame["source"] = np.where(revealed, "RP", "SP")
    for j, name in enumerate("abc"):
        frame["x" + name], frame["y" + name] = x[:, j], y[:, j]
    model = beyond(scale={"by": "source", "reference": "RP"}).fit(frame)
    summary = model.summary()
    assert list(summary.params.index)[-1] == "log scale(SP)"
    assert abs(summary.params["log scale(SP)"] - np.log(2)) < 4 * summary.bse["log scale(SP)"] < 0.5
    assert beyond(scale="source").fit(frame).summary().llf == pytest.approx(summary.llf, abs=1e-6)
    nested = beyond(scale="source", nests={"ab": ["a", "b"]}).fit(frame).summary()
    assert list(nested.params.index)[-2:] == ["log scale(SP)", "mu(ab)"] and nested.llf >= summary.llf - 1e-6


def test_rankings_are_exploded(choices):
    """The best of three and the better of the other two say the same coefficients as choices, more precisely."""
    rng = np.random.default_rng(6)
    long = choices[0].copy()
    long["utility"] = -1.5 * long.price + long.quality + rng.gumbel(size=len(long))
    long["place"] = long.groupby("situation").utility.rank(ascending=False)
    rest = {name: value for name, value in LONG.items() if name != "chosen"}
    ranked = BLChoice(form="linear", rank="place", **rest).fit(long)
    first = BLChoice(form="linear", **LONG).fit(long.assign(chosen=(long.place == 1).astype(int)))
    errors = [{one["name"]: one for one in model.coefficients_} for model in (ranked, first)]
    for name, truth in (("price", -1.5), ("quality", 1.0)):
        assert abs(errors[0][name]["estimate"] - truth) < 4 * errors[0][name]["standard_error"]
        assert errors[0][name]["standard_error"] < errors[1][name]["standard_error"]


def test_answers_by_segment(logit, choices):
    long = choices[0].assign(group=np.where(choices[0].situation < 100, "old", "new"))
    model = BLChoice(form="linear", **LONG).fit(long)
    by = model.market_shares(long, by="group")
    for name, part in long.groupby("group"):
        alone = model.market_shares(part)["predicted"]
        assert by[name]["predicted"] == pytest.approx(alone)
        assert model.what_if(long, {"a.price": "price + 1"}, by="group")[name]["after"] == pytest.approx(
            model.what_if(part, {"a.price": "price + 1"})["after"]
        )
        np.testing.assert_allclose(
            model.elasticities(long, "price", by="group")[name], model.elasticities(part, "price"), rtol=1e-12
        )
    with pytest.raises(DataError, match="grop"):
        model.market_shares(long, by="grop")


def test_a_network_that_reads_its_rivals(choices):
    long, _ = choices
    model = BLChoice(form="network", rivals=["min(price)", "rank(quality)"], layers=[3], epochs=10, **LONG).fit(long)
    assert "rivals" in model.describe()
    # What a dearer rival changes, an alternative's own price does not.
    dearer = model.what_if(long, {"a.price": "price * 1.5"})
    assert np.isnan(dearer["surplus_change"]) and dearer["after"].sum() == pytest.approx(1)
    with pytest.raises(UsageError, match="random utility"):
        model.what_if(long, {"a.price": "price * 1.5"}, money="price")
    with pytest.raises(UsageError, match="rivals"):
        BLChoice(form="linear", rivals=["mean"], **LONG).fit(long)


def test_a_smooth_network(choices):
    long, _ = choices
    model = BLChoice(form="smooth", signs={"price": "negative"}, epochs=30, members=3, **LONG).fit(long)
    assert model.settings_["layers"] == "4" and model.settings_["heads"] == "1,0,0"
    assert (np.asarray(list(model.marginal_utility(long, "price").values())) <= 0).all()
    assert len(model.trade_off(long, "quality", "price")["members"]) == 3


def test_a_block_with_a_random_lambda():
    """How much the budget binds differs between persons: 3 tanh(0.6 y) - lambda softplus(x)."""
    rng = np.random.default_rng(8)
    persons, each = 250, 8
    weight = np.repeat(np.exp(0.3 + 0.8 * rng.normal(size=persons)), each)
    x, y = 2.5 * rng.normal(size=(persons * each, 3)), 2 * rng.normal(size=(persons * each, 3))
    v = 3 * np.tanh(0.6 * y) - weight[:, None] * np.logaddexp(0, x) + rng.gumbel(size=x.shape)
    frame = {"choice": np.array(["a", "b", "c"], dtype=object)[v.argmax(axis=1)]}
    frame["id"] = np.repeat(np.arange(persons), each)
    for j, name in enumerate("abc"):
        frame["x" + name], frame["y" + name] = x[:, j], y[:, j]
    block = dict(form="network", identifiable=True, single=True, heads="1,1,0", degree=1, starts=2)
    model = beyond(random={"C.lambda": "lognormal"}, random_draws=100, **block).fit(frame)
    summary = model.summary()
    assert abs(summary.params["sd(log C.lambda)"] - 0.8) < 4 * summary.bse["sd(log C.lambda)"] < 1
    assert len(model.posterior(frame)["mean(C.lambda)"]) == persons
    with pytest.raises(UsageError, match="identifiable"):
        beyond(random={"C.lambda": "lognormal"}, form="network").fit(frame)

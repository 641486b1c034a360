"""Text columns against scikit-learn's own TF-IDF and truncated SVD."""

import json
import struct

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from behavior_learning import BLClassifier

TOPICS = [["goal", "match", "season", "team", "coach"], ["oil", "price", "market", "stocks", "bank"]]
COMMON = ["the", "and", "today", "new", "first", "of", "in"]


@pytest.fixture(scope="module")
def news():
    random = np.random.default_rng(4)
    texts = []
    for i in range(400):
        words = [random.choice(TOPICS[i % 2] if random.random() < 0.4 else COMMON) for _ in range(12)]
        texts.append(" ".join(words).capitalize() + ".")
    return pd.DataFrame({"story": texts}), np.array(["sport", "money"] * 200)


@pytest.fixture(scope="module")
def fitted(news):
    return BLClassifier(layers="2", epochs=5, text_components=6, fractions="1:0:0").fit(*news)


def stored(model_bytes):
    """The JSON and the loadings of a model file."""
    length = struct.unpack("<Q", model_bytes[:8])[0]
    header = json.loads(model_bytes[8 : 8 + length])
    encoder = json.loads(header["__metadata__"]["model"])["encoder"]
    place = header["encoder/features/0/loadings"]
    begin, end = place["data_offsets"]
    values = np.frombuffer(model_bytes[8 + length + begin : 8 + length + end], dtype="<f4")
    return encoder["features"][0]["text"], values.reshape(place["shape"])


def test_terms_weights_and_components_are_those_of_scikit_learn(fitted, news, tmp_path):
    path = tmp_path / "m.bl"
    fitted.save(path)
    text, loadings = stored(path.read_bytes())
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    weights = vectorizer.fit_transform(news[0]["story"])
    assert text["terms"] == list(vectorizer.get_feature_names_out())
    np.testing.assert_allclose(text["idf"], vectorizer.idf_, rtol=1e-12)
    exact = TruncatedSVD(6, algorithm="arpack").fit(weights)
    cosines = np.abs(np.sum(exact.components_ * loadings.T, axis=1))
    np.testing.assert_allclose(cosines, 1, atol=1e-4)
    projected = weights @ loadings
    np.testing.assert_allclose(text["mean"], projected.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(text["scale"], projected.std(axis=0), atol=1e-6)


def test_raw_text_is_predicted_from(fitted):
    new = pd.DataFrame({"story": ["the team and the coach of the match", "oil price and the bank market"]})
    assert list(fitted.predict(new)) == ["sport", "money"]


def test_components_are_named_by_their_words(fitted):
    assert "story component 1 (" in fitted.explain().text


def test_unusual_rows_score_low():
    random = np.random.default_rng(1)
    X = random.normal(size=(600, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = BLClassifier(layers="4", epochs=20).fit(X, y)
    scores = model.score_ood(X)
    utilities = model.utility(X)
    np.testing.assert_allclose(scores["energy"], np.log(np.exp(utilities).sum(axis=1)), atol=1e-9)
    np.testing.assert_allclose(scores["max_probability"], model.predict_proba(X).max(axis=1), atol=1e-9)
    assert abs(np.mean(scores["energy percentile"]) - 50) < 5

"""What becomes of columns: types, missing values, names, and no copies."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from behavior_learning import BLClassifier, BLRegressor, DataError, _core, _frame

OPTIONS = dict(layers=[3], epochs=8)


def types(estimator):
    return {one.name: one.type for one in estimator.model_.features()}


def test_types_of_pandas_columns(mixed_frame):
    frame, y = mixed_frame
    model = BLClassifier(**OPTIONS).fit(frame, y)
    assert types(model) == {
        "income": "continuous",
        "city": "nominal",
        "size": "ordinal",
        "color": "nominal",
        "owner": "nominal",
        "rooms": "continuous",
    }
    size = next(one for one in model.model_.features() if one.name == "size")
    assert size.levels == ["small", "medium", "large"]
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.n_features_in_ == 6
    assert list(model.classes_) == ["buys", "leaves"]
    probabilities = model.predict_proba(frame)  # with its missing values
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    assert any("missing" in note for note in model.notes_)


@pytest.mark.parametrize("other", ["polars", "arrow"])
def test_other_frames_give_the_same_model(mixed_frame, other):
    frame, y = mixed_frame
    frame = frame.drop(columns="size")  # the order of pandas' categories stays in pandas
    converted = pl.from_pandas(frame) if other == "polars" else pa.Table.from_pandas(frame)
    here = BLClassifier(**OPTIONS).fit(frame, y)
    there = BLClassifier(**OPTIONS).fit(converted, y)
    np.testing.assert_array_equal(here.predict_proba(frame), there.predict_proba(converted))
    assert list(there.feature_names_in_) == list(frame.columns)


def test_arrow_batches_offsets_and_ordered_categories():
    values = pa.chunked_array([pa.array([0.0, 1.0, None, 3.0]).slice(1), pa.array([4.0])])
    words = pa.chunked_array([pa.array(["x", None, "a text of more than twelve bytes", "z"]).slice(1), pa.array(["z"])])
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1]), ["low", "high"], ordered=True)
    flags = pa.array([True, None, False, True])
    table = pa.table({"v": values, "w": words, "c": codes, "f": flags, "n": pa.array([1, 2, 3, None], pa.int8())})
    columns = _frame.frame_columns(table, table.column_names)
    assert [one.rows for one in columns] == [4] * 5
    reference = pd.DataFrame(
        {
            "v": [1.0, np.nan, 3.0, 4.0],
            "w": [None, "a text of more than twelve bytes", "z", "z"],
            "c": pd.Categorical.from_codes([0, 1, -1, 1], ["low", "high"], ordered=True),
            "f": pd.array([True, None, False, True], dtype="boolean"),
            "n": [1, 2, 3, np.nan],
        }
    )
    expected = _frame.frame_columns(reference, list(reference.columns))
    assert _core.Data.from_columns(columns, "a").digest() == _core.Data.from_columns(expected, "b").digest()
    views = _frame.frame_columns(
        table.cast(pa.schema([table.schema.field("v"), pa.field("w", pa.string_view()), *list(table.schema)[2:]])),
        table.column_names,
    )
    assert _core.Data.from_columns(views, "c").digest() == _core.Data.from_columns(expected, "b").digest()


def addresses(columns):
    return [one.address for one in columns]


def test_contiguous_numbers_are_not_copied():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(50, 3)))
    here = [X.ctypes.data + k * X.strides[1] for k in range(3)]
    assert addresses(_frame.array_columns(X, "abc")) == here
    assert addresses(_frame.frame_columns(pd.DataFrame(X, copy=False), "abc")) == here
    rows = np.ascontiguousarray(X)
    copies = _frame.array_columns(rows, "abc")
    assert not any(rows.ctypes.data <= one < rows.ctypes.data + rows.nbytes for one in addresses(copies))
    table = pa.table({name: X[:, k] for k, name in enumerate("abc")})
    buffers = [table[name].chunk(0).buffers()[1].address for name in "abc"]
    assert addresses(_frame.frame_columns(table, "abc")) == buffers
    assert len(set(addresses(_frame.frame_columns(pl.DataFrame(X, schema=list("abc")), "abc")))) == 3


def test_held_arrays_outlive_their_names():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(5000, 2)))
    expected = X.copy()
    data = _core.Data.from_columns(_frame.array_columns(X, "ab"), "X")
    digest = _core.Data.from_columns(_frame.array_columns(expected, "ab"), "X").digest()
    del X
    np.zeros((5000, 2))  # would take the memory, were it free
    assert data.digest() == digest


def test_names_of_columns_are_checked(mixed_frame):
    frame, y = mixed_frame
    model = BLClassifier(**OPTIONS).fit(frame, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.drop(columns="city"))


def test_unseen_levels_are_refused_or_missing(mixed_frame):
    frame, y = mixed_frame
    new = frame.head(3).assign(city="Basel")
    with pytest.raises(DataError, match="Basel"):
        BLClassifier(unseen="error", **OPTIONS).fit(frame, y).predict(new)
    lenient = BLClassifier(**OPTIONS).fit(frame, y)
    assert len(lenient.predict(new)) == 3


@pytest.mark.parametrize("bad, message", [(np.inf, "inf"), ({"a": 1}, "real number")])
def test_values_that_are_none(mixed_frame, bad, message):
    frame, y = mixed_frame
    frame = frame.assign(income=frame["income"].astype(object))
    frame.at[0, "income"] = bad
    with pytest.raises((DataError, TypeError), match=message):
        BLClassifier(**OPTIONS).fit(frame, y)


def test_targets_of_arrow(numbers):
    X, y = numbers
    here = BLRegressor(**OPTIONS).fit(X, y).predict(X[:9])
    np.testing.assert_array_equal(BLRegressor(**OPTIONS).fit(X, pa.chunked_array([y])).predict(X[:9]), here)
    np.testing.assert_array_equal(BLRegressor(**OPTIONS).fit(X, pa.table({"y": y})).predict(X[:9]), here)


def test_a_name_of_a_target_may_be_that_of_a_feature(numbers):
    X, y = numbers
    frame = pd.DataFrame(X, columns=["y", "sample_weight", "b, c"])
    model = BLRegressor(**OPTIONS).fit(frame, pd.Series(y, name="y"), sample_weight=np.ones(len(y)))
    assert model.predict(frame).shape == y.shape

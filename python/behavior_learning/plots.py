"""Pictures with matplotlib, which is asked for only here. Every function takes `ax` and returns it."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core
from ._effects import grid_of

_BAND = 1.959963984540054  # standard errors to either side: 95%


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'behavior-learning[plots]'") from error
    return pyplot.subplots()[1]


def learning_curve(estimator: Any, ax: Any = None) -> Any:
    """Training and validation loss by epoch, the members one after the other."""
    ax = _axes(ax)
    history = estimator.history_
    epochs = np.arange(1, len(history["train_loss"]) + 1)
    ax.plot(epochs, history["train_loss"], label="training")
    if np.isfinite(history["validation_loss"]).any():
        ax.plot(epochs, history["validation_loss"], label="validation")
    for start in np.flatnonzero(history["epoch"][1:] == 1) + 1:
        ax.axvline(start + 0.5, color="0.8", zorder=0)
    ax.set(xlabel="epoch", ylabel="loss")
    ax.legend()
    return ax


def _response_grid(estimator: Any, points: int) -> np.ndarray:
    response = estimator.model_.responses()[0]
    if len(estimator.model_.responses()) != 1 or response.levels:
        raise _core.UsageError("curves over the response are for models of one number")
    return np.linspace(response.lower, response.upper, points)


def _repeated(X: Any, row: int, times: int) -> Any:
    """The row as often as there are points."""
    if hasattr(X, "iloc"):
        return X.iloc[[row] * times]
    if hasattr(X, "__arrow_c_stream__"):
        return X[[row] * times] if not hasattr(X, "take") else X.take([row] * times)
    return np.repeat(np.asarray(X)[[row]], times, axis=0)


def density(estimator: Any, X: Any, rows: Sequence[int] = (0,), *, points: int = 400, ax: Any = None) -> Any:
    """p(y|x) of some rows of X, for a regressor of one response."""
    ax = _axes(ax)
    grid = _response_grid(estimator, points)
    for row in rows:
        log_density = estimator.log_density(_repeated(X, row, points), grid)
        ax.plot(grid, np.exp(log_density), label=f"row {row}")
    ax.set(xlabel=estimator.model_.responses()[0].name, ylabel="density")
    ax.legend()
    return ax


def utility(estimator: Any, X: Any, rows: Sequence[int] = (0,), *, points: int = 400, ax: Any = None) -> Any:
    """BL(x, y) over y of some rows of X: what each of them maximises."""
    ax = _axes(ax)
    grid = _response_grid(estimator, points)
    for row in rows:
        ax.plot(grid, estimator.utility(_repeated(X, row, points), grid), label=f"row {row}")
    ax.set(xlabel=estimator.model_.responses()[0].name, ylabel="utility")
    ax.legend()
    return ax


def effect(
    estimator: Any, X: Any, feature: str | int, *, row: int | None = None, points: int = 50, ax: Any = None
) -> Any:
    """What one feature does, averaged over the rows of X, or the others as in one row: probabilities of classes, or
    the mean response."""
    ax = _axes(ax)
    rows = X if row is None else _repeated(X, row, 1)
    values = None if row is None else grid_of(X, feature, points)
    at, means = estimator.average_effect(rows, feature, values=values, points=points)
    if at.dtype.kind not in "iuf":
        at = at.astype(str)
    if hasattr(estimator, "predict_proba"):
        for one, column in zip(estimator.classes_, means.T):
            ax.plot(at, column, label=str(one))
        ax.set(ylabel="probability")
        ax.legend()
    else:
        ax.plot(at, means)
        ax.set(ylabel="mean response")
    ax.set(xlabel=str(feature))
    return ax


def importance(estimator: Any, X: Any, y: Any, *, most: int = 20, ax: Any = None) -> Any:
    """What the mean log-likelihood loses without each column."""
    ax = _axes(ax)
    found = list(estimator.importance(X, y).items())[:most][::-1]
    ax.barh([name for name, _ in found], [value for _, value in found])
    ax.set(xlabel="loss of mean log-likelihood")
    return ax


def calibration(estimator: Any, X: Any, y: Any, *, bins: int = 10, ax: Any = None) -> Any:
    """How often what is said with a probability comes true: of the likeliest class, or of quantiles."""
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], color="0.8")
    if hasattr(estimator, "predict_proba"):
        from sklearn.calibration import calibration_curve

        probabilities = estimator.predict_proba(X)
        hit = estimator.classes_[probabilities.argmax(axis=1)] == np.asarray(y)
        observed, said = calibration_curve(hit, probabilities.max(axis=1), n_bins=bins)
        ax.plot(said, observed, marker="o")
        ax.set(xlabel="probability of the likeliest class", ylabel="share of rows where it is right")
    else:
        said = np.linspace(0, 1, bins + 1)[1:-1]
        below = np.asarray(y)[:, None] <= estimator.predict_quantiles(X, said)
        ax.plot(said, below.mean(axis=0), marker="o")
        ax.set(xlabel="quantile", ylabel="share of rows below it")
    return ax


def graph(estimator: Any, *, threshold: float = 0.3, ax: Any = None) -> Any:
    """What each block reads: columns on the left, then the layers. A line is as wide as the largest coefficient
    (in standardised units) behind it; those below `threshold` times the largest of all are left out."""
    ax = _axes(ax)
    layers = estimator.explain().to_dict()["layers"]
    edges: dict[tuple[str, str], float] = {}
    for block in (block for layer in layers for block in layer):
        for term in (term for head in block["heads"] for term in head["terms"]):
            for factor in term["factors"]:
                edge = (factor["variable"], block["name"])
                edges[edge] = max(edges.get(edge, 0.0), abs(term["size"]))
    blocks = [[block["name"] for block in layer] for layer in layers]
    known = {name for layer in blocks for name in layer}
    columns = list(dict.fromkeys(source for source, _ in edges if source not in known))
    place = {
        name: (depth, 1 - (k + 0.5) / len(names))
        for depth, names in enumerate([columns, *blocks])
        for k, name in enumerate(names)
    }
    widest = max(edges.values(), default=1.0)
    for (source, target), size in edges.items():
        if size >= threshold * widest:
            (x0, y0), (x1, y1) = place[source], place[target]
            ax.plot([x0, x1], [y0, y1], color="C0", alpha=0.5, linewidth=3 * size / widest, zorder=0)
    for name, (x, y) in place.items():
        ax.annotate(name, (x, y), ha="center", va="center", bbox={"boxstyle": "round", "fc": "w"})
    ax.set(xlim=(-0.5, len(blocks) + 0.5), ylim=(0, 1))
    ax.set_axis_off()
    return ax


def _curve_line(curve: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Points of a line that shows the curve: the knots, more between them where it is cubic."""
    knots, values = np.asarray(curve["knots"]), np.asarray(curve["values"])
    if curve["kind"] == "step":
        ends = np.append(knots[1:], 2 * knots[-1] - knots[-2])
        return np.column_stack([knots, ends]).ravel(), np.repeat(values, 2)
    if curve["kind"] == "linear":
        return knots, values
    slopes = np.asarray(curve["slopes"])
    if curve["kind"] == "periodic":
        knots, values = np.append(knots, knots[0] + curve["period"]), np.append(values, values[0])
        slopes = np.append(slopes, slopes[0])
    t = np.linspace(0, 1, 17)[:-1]
    width = np.diff(knots)[:, None]
    low, high = values[:-1, None], values[1:, None]
    cubic = (1 - t) ** 2 * ((1 + 2 * t) * low + t * width * slopes[:-1, None])
    cubic += t**2 * ((3 - 2 * t) * high - (1 - t) * width * slopes[1:, None])
    return np.append((knots[:-1, None] + t * width).ravel(), knots[-1]), np.append(cubic.ravel(), values[-1])


def _heat_map(ax: Any, product: dict[str, Any], extent: float) -> None:
    """A product of two curves: the first variable across, the second upwards; circles where it may be zero."""
    values = np.asarray(product["values"])
    errors = np.array(product.get("standard_errors", np.zeros_like(values)), dtype=float)
    knots = [np.asarray(one) for one in product["knots"]]
    for axis, period in enumerate(product["periods"]):
        if period > 0:
            knots[axis] = np.append(knots[axis], knots[axis][0] + period)
            values, errors = (np.append(one, one.take([0], axis=axis), axis=axis) for one in (values, errors))
    ax.pcolormesh(*knots, values.T, shading="gouraud", cmap="RdBu", vmin=-extent, vmax=extent)
    if "standard_errors" in product:
        first, second = np.nonzero(~(np.abs(values) > _BAND * errors))
        ax.scatter(knots[0][first], knots[1][second], s=12, facecolors="w", edgecolors="0.35", clip_on=False)


def curves(estimator: Any, block: str = "L1.B1", *, columns: int = 8) -> Any:
    """The curves of a block as small multiples: a line of axes for each column, one for each head, all on one scale.

    The columns with the highest curves come first; ticks are the knots, closer where there are more rows. Where the
    model has standard errors, 95% bands are drawn. Products of two curves follow as heat maps on the same scale: blue
    raises, red lowers; knots whose 95% interval includes zero are circled. Returns the array of axes, columns and
    products x heads."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'behavior-learning[plots]'") from error
    document = estimator.explain().to_dict()
    blocks = {one["name"]: one for layer in document["layers"] for one in layer}
    if block not in blocks:
        raise ValueError(f"there is no block {block}; there are {', '.join(list(blocks)[:8])}")
    heads = blocks[block]["heads"]
    indicators = {one["name"] for one in document["variables"] if one["kind"] == "level"}
    found: dict[str, dict[int, dict[str, Any]]] = {}
    products: dict[str, dict[int, dict[str, Any]]] = {}
    for h, head in enumerate(heads):
        for term in head["terms"]:
            for kind, by_name in (("curve", found), ("product", products)):
                if kind not in term:
                    continue
                own = term[kind]["variables"] if kind == "product" else [term[kind]["variable"]]
                others = [one["variable"] for one in term["factors"] if one["variable"] not in own]
                if indicators.issuperset(others):
                    by_name.setdefault("*".join([*own, *others]), {})[h] = term[kind]
    if not found and not products:
        raise ValueError(f"{block} has no curves")
    highest = {name: max(np.ptp(one["values"]) for one in by_head.values())
               for name, by_head in [*found.items(), *products.items()]}
    names = sorted(found, key=lambda name: -highest[name])[:columns]
    pairs = sorted(products, key=lambda name: -highest[name])[:columns]
    rows = len(names) + len(pairs)
    figure, axes = pyplot.subplots(rows, len(heads), squeeze=False, layout="constrained",
                                   figsize=(2.6 * len(heads) + 1, 1.3 * rows + 0.6))
    for ax in axes[:len(names)].flat[1:]:
        ax.sharey(axes[0, 0])
        ax.tick_params(labelleft=ax in axes[:, 0])
    for i, name in enumerate(names):
        for h, curve in found[name].items():
            ax = axes[i, h]
            ax.plot(*_curve_line(curve))
            if "band" in curve:
                at, middle = curve["band"]["at"], np.asarray(curve["band"]["values"])
                half = _BAND * np.array(curve["band"]["standard_errors"], dtype=float)
                ax.fill_between(at, middle - half, middle + half, alpha=0.2, linewidth=0)
            ax.axhline(0, color="0.8", zorder=0)
            ax.plot(curve["knots"], np.zeros(len(curve["knots"])), "|", color="0.4", transform=ax.get_xaxis_transform())
        axes[i, 0].set_ylabel(name)
    extent = max(np.abs(one["values"]).max() for by_head in [*found.values(), *products.values()]
                 for one in by_head.values())
    for i, name in enumerate(pairs, len(names)):
        for h, product in products[name].items():
            _heat_map(axes[i, h], product, extent)
            first = product["variables"][0]
            axes[i, h].set(xlabel=first, ylabel=name[len(first) + 1:])
    for h, head in enumerate(heads):
        axes[0, h].set_title(head["name"], fontsize="medium")
    return axes

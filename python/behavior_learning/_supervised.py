"""What the classifier and the regressor share: features, and responses beside them."""

from __future__ import annotations

from typing import Any, Callable, Sequence, TypeVar

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._effects import ShapleyValues, average_effect, numbers_of, shapley_options
from ._frame import as_table
from ._estimator import TableEstimator, all_or_nothing, settings_of
from ._ranks import all_or_none
from ._report import Report, ResponseCurves


_Estimator = TypeVar("_Estimator", bound="SupervisedEstimator")


class SupervisedEstimator(TableEstimator):
    """Features and responses."""

    def _response_columns(self, y: Any, *, reset: bool, kept: np.ndarray | None = None) -> list[_core.Column]:
        """kept: the rows that will be learned from; None: all."""
        raise NotImplementedError

    def _response_settings(self, settings: dict[str, str]) -> None:
        """The response's name and type."""
        raise NotImplementedError

    def fit(
        self: _Estimator,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        validation: Sequence[Any] | None = None,
        progress: bool | Callable[[dict[str, Any]], Any] | None = None,
        communicator: Any = None,
    ) -> _Estimator:
        """Learns from the rows of X and y. Interrupting keeps the best model so far.

        Parameters
        ----------
        X : array or data frame
            Numbers, or a frame (pandas, polars, Arrow) whose texts and categories are used as such; missing values are
            allowed.
        y : array, series or data frame
            The responses.
        sample_weight : array, optional
            A weight per row.
        groups : array, optional
            Rows of one group stay together where rows are held out for validation.
        validation : tuple, optional
            (X, y) or (X, y, sample_weight) to stop early by, instead of rows of X.
        progress : bool or callable, optional
            True for a line on the terminal; or a function that is called with a dictionary after every epoch, in work
            without epochs with a line of `text`, and ends training by returning True.
        communicator : mpi4py communicator, optional
            Every process gives rows of its own, and all get the model that one process would learn from the rows of
            all, one process after the other, to the bit.

        Returns
        -------
        self

        Examples
        --------
        >>> from behavior_learning import BLClassifier
        >>> from behavior_learning.datasets import load_purchases
        >>> X, y = load_purchases(return_X_y=True)
        >>> model = BLClassifier(layers=[4], epochs=20).fit(X, y)
        >>> model.predict_proba(X[:2]).shape
        (2, 2)
        """
        with all_or_nothing(self):
            settings = settings_of(self)
            with all_or_none(communicator):
                if y is None:
                    raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
                if communicator is not None and validation is not None:
                    raise ValueError("with a communicator rows are held out by the settings; give no validation rows")
                columns = self._feature_columns(X, reset=True)
                weights = self._row_weights(y, sample_weight, columns[0].rows, settings)
                kept = None if weights is None or np.all(weights != 0) else weights != 0
                columns += self._response_columns(y, reset=True, kept=kept)
                self._response_settings(settings)
                columns += self._extra_columns(columns[0].rows, weights, groups, settings)
                if kept is not None:  # rows without weight are as if they were not there
                    columns = [_core.kept_column(column, kept) for column in columns]
            self._settle_responses(communicator)
            held_out = None if validation is None else self._validation_columns(validation, settings)
            self._fit_columns(columns, settings, validation=held_out, progress=progress, communicator=communicator)
        return self

    def _settle_responses(self, communicator: Any) -> None:
        """What the responses of all rows say."""

    def _row_weights(self, y: Any, sample_weight: Any, rows: int, settings: dict[str, str]) -> np.ndarray | None:
        return self._checked_weights(sample_weight, rows)

    def _validation_columns(self, validation: Sequence[Any], settings: dict[str, str]) -> list[_core.Column]:
        if len(validation) not in (2, 3):
            raise ValueError("validation should be (X, y) or (X, y, sample_weight)")
        if "group" in settings:
            raise ValueError("groups decide which rows are put aside; with validation rows of their own give no groups")
        columns = self._feature_columns(validation[0], reset=False)
        columns += self._response_columns(validation[1], reset=False)
        rows = columns[0].rows
        if "weight" in settings:
            weights = validation[2] if len(validation) == 3 else np.ones(rows)
            weights = _check_sample_weight(weights, np.empty((rows, 1)), dtype=np.float64)
            columns += self._extra_columns(rows, weights, None, settings)
        return columns

    def _observed(self, X: Any, y: Any) -> list[_core.Column]:
        check_is_fitted(self, "model_")
        if y is None:
            raise ValueError("the responses y are needed too")
        return self._feature_columns(X, reset=False) + self._response_columns(y, reset=False)

    def _labelled(self, X: Any, y: Any) -> _core.Data:
        return _core.Data.from_columns(self._observed(X, y), "X, y")

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """log p(y|x) of each row; of a number in its own units.

        Parameters
        ----------
        X, y : array or data frame
            Rows and their responses.

        Returns
        -------
        ndarray
            One number per row.
        """
        data = self._labelled(X, y)
        return self.model_.log_density(data, self._distribution_options())

    def evaluate(self, X: Any, y: Any) -> dict[str, float]:
        """All metrics that fit the response, as `bl evaluate` prints them.

        Parameters
        ----------
        X, y : array or data frame
            Rows and their responses.

        Returns
        -------
        dict
            Name of the metric to value.
        """
        columns = self._observed(X, y)
        weight = self.settings_.get("weight")
        if weight:
            columns.append(_core.number_column(weight, np.ones(columns[0].rows)))
        data = _core.Data.from_columns(columns, "X, y")
        return self.model_.evaluate(data, "all", self._predict_options())

    def explain_row(self, X: Any, y: Any = None, row: int = 0) -> str:
        """One row of X explained: what every block adds to the utility, which constraints bind.

        Parameters
        ----------
        X : array or data frame
            Rows.
        y : array, optional
            Their responses, to compare the observed one with the best.
        row : int
            Which, from 0; negative from the end.

        Returns
        -------
        str
        """
        data = self._data(X) if y is None else self._labelled(X, y)
        place = _place(row, data.rows())
        text = _core.explain_row(self.model_, data, place + 1, _core.ExplainOptions())
        return f"Row {row}\n" + text.partition("\n")[2]  # the library counts from 1

    def importance(self, X: Any, y: Any) -> dict[str, float]:
        """By column: what the mean log-likelihood loses without it, the largest first.

        Parameters
        ----------
        X, y : array or data frame
            Rows and their responses.

        Returns
        -------
        dict
            Column to loss.
        """
        data = self._labelled(X, y)
        names, values = _core.importance(self.model_, data, False, int(self.threads or 0))[:2]
        return dict(zip(names[1], values[1].tolist()))

    def report(self, X: Any, y: Any, *, title: str | None = None, row: int | None = None) -> Report:
        """One HTML page that shows the model to people: what was learned, how sure it is, what if.

        The page holds the model and aggregates of these rows.

        Parameters
        ----------
        X, y : array or data frame
            Rows with known responses.
        title : str, optional
            Of the page.
        row : int, optional
            Puts the values of this row (0 is the first) into the page, as the start of what can be changed.

        Returns
        -------
        Report
            Notebooks show it; `save(path)` writes it.
        """
        columns = self._observed(X, y)
        weight = self.settings_.get("weight")
        if weight:
            columns.append(_core.number_column(weight, np.ones(columns[0].rows)))
        data = _core.Data.from_columns(columns, type(self).__name__)
        return Report(self.model_, data, self.threads, title=title, row=None if row is None else row + 1)

    def response_curves(
        self, X: Any, *, columns: Sequence[str] | None = None, row: int | None = None
    ) -> ResponseCurves:
        """How the prediction changes with each column, for one row and on average: one SVG picture.

        Parameters
        ----------
        X : array or data frame
            Rows to average over.
        columns : sequence of str, optional
            Only these; without it all, of a wide table the 24 that the blocks read most of.
        row : int, optional
            The row (0 is the first) that curves start from, in place of a typical one.

        Returns
        -------
        ResponseCurves
            Notebooks show it; `save(path)` writes it.
        """
        return ResponseCurves(self.model_, self._data(X), self.threads, columns, row)

    def _outcome_order(self, outcomes: list[str]) -> list[int]:
        """Where the library's outcomes stand that predictions are columns of."""
        return list(range(len(outcomes)))

    def shap_values(
        self,
        X: Any,
        background: Any = None,
        *,
        size: int | None = None,
        rounds: int | None = None,
        seed: int | None = None,
    ) -> ShapleyValues:
        """How much each column moves the prediction of each row away from the mean prediction.

        Interventional Shapley values: columns that are left out of a subset have the values of background rows. Exact
        over all subsets of columns where these are few, otherwise over drawn orders of columns, with standard errors.

        Parameters
        ----------
        X : array or data frame
            Rows to explain.
        background : array or data frame, optional
            Rows to compare with; without it X itself.
        size : int, optional
            So many rows of the background are drawn; 0 for all (default 100).
        rounds : int, optional
            Orders drawn for every background row, instead of all subsets.
        seed : int, optional
            Decides what is drawn.

        Returns
        -------
        ShapleyValues
            `values` (rows x columns, of a classifier x classes), `base_values`, `errors`.

        Examples
        --------
        >>> from behavior_learning import BLRegressor
        >>> from behavior_learning.datasets import load_households
        >>> X, y = load_households(return_X_y=True)
        >>> model = BLRegressor(single=True, degree=1, epochs=20).fit(X, y)
        >>> found = model.shap_values(X[:3])
        >>> found.values.shape, found.exact
        ((3, 2), True)
        """
        data = self._data(X)
        compared = data if background is None else self._data(background)
        options = shapley_options(self.threads, self.unseen, size, rounds, seed)
        found = _core.shapley_values(self.model_, data, compared, options)
        return ShapleyValues(self._names, found, self._outcome_order(found["outcomes"]), numbers_of(X))

    def average_effect(
        self, X: Any, feature: str | int, *, values: Any = None, points: int = 20, rows: int = 500
    ) -> tuple[np.ndarray, np.ndarray]:
        """What a column does to predictions, averaged over rows (partial dependence).

        Parameters
        ----------
        X : pandas frame or array
            Rows whose other columns stay as they are.
        feature : str or int
            The column, by name or place.
        values : sequence, optional
            Values to give it; without them its levels, or quantiles.
        points : int
            Number of quantiles.
        rows : int
            Rows of X to average over, at most.

        Returns
        -------
        values, means : ndarray
            The means of `predict`, or of `predict_proba` (values x classes).
        """
        check_is_fitted(self, "model_")
        return average_effect(self, X, feature, values, points, rows)

    def simplify(
        self: _Estimator,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        blocks: int | None = None,
        columns: int | None = None,
        head_columns: int | None = None,
        starts: int | None = None,
        readable: bool = False,
    ) -> _Estimator:
        """A new estimator with a small problem that can be read in full, fitted to the rows of the fit.

        X keeps its columns; those that the small problem does not read are ignored.

        Parameters
        ----------
        X, y : array or data frame
            The rows of the fit.
        sample_weight : array, optional
            Their weights, where the fit had some.
        blocks, columns : int, optional
            Its size; without them the smallest that is within one standard error of the best size, and within 0.005.
        head_columns : int, optional
            What one head reads at most (default 8).
        readable : bool
            No more than 3 blocks, as `bl fit --readable` keeps them.
        starts : int, optional
            Starting values tried for each size.

        Returns
        -------
        estimator
            The sizes that were tried are in its `sizes_`, and in words in `simplification_`.
        """
        data_columns = self._observed(X, y)
        if self.settings_.get("group"):
            raise ValueError("the rows of the fit were cut by groups, which are not known here")
        weight = self.settings_.get("weight")
        if weight:
            rows = data_columns[0].rows
            weights = self._checked_weights(np.ones(rows) if sample_weight is None else sample_weight, rows)
            data_columns.append(_core.number_column(weight, weights))
        options = _core.SimplifyOptions()
        if readable:
            options.most_blocks = _core.READABLE_BLOCKS
        for name, value in dict(
            blocks=blocks, columns=columns, head_columns=head_columns, starts=starts, threads=self.threads
        ).items():
            if value is not None:
                setattr(options, name, value)
        data = _core.Data.from_columns(data_columns, type(self).__name__)
        model, sizes, text = _core.simplify(self.model_, data, options)
        small = type(self)._from_model(model, "simplify")
        small._set_names(self._names)
        small.sizes_, small.simplification_ = as_table(sizes), text
        return small

    def economics(self, X: Any, y: Any = None, *, numeraire: str | None = None, row: int | None = None) -> Any:
        """By column: marginal utility, rate of substitution, willingness to pay, and effects on each outcome.

        Parameters
        ----------
        X : array or data frame
            Rows to average over.
        y : array, optional
            Their responses; marginal utilities are taken there.
        numeraire : str, optional
            Column in whose units rates and willingness to pay are given.
        row : int, optional
            Only this row, from 0.

        Returns
        -------
        data frame
            By column; a dictionary without pandas.
        """
        data = self._data(X) if y is None else self._labelled(X, y)
        place = 0 if row is None else _place(row, data.rows()) + 1  # 0: all rows
        return as_table(_core.economics(self.model_, data, numeraire or "", place, int(self.threads or 0)))

    def responses(self, X: Any) -> Any:
        """By column: what is predicted where it is low, at its median and high, or at each of its levels.

        Means over at most 200 of the rows; the other columns stay as they are. Class probabilities, or the median of
        a number. The columns that move the prediction most come first.

        Parameters
        ----------
        X : array or data frame
            Rows to average over.

        Returns
        -------
        data frame
            By column and value; a dictionary without pandas.
        """
        return as_table(_core.responses(self.model_, self._data(X), int(self.threads or 0)))

    def constraints(self, X: Any, y: Any = None, *, numeraire: str | None = None, at_best: bool | None = None) -> Any:
        """By constraint: how often it is slack, binding and violated, its slack and its shadow price.

        Parameters
        ----------
        X : array or data frame
            Rows.
        y : array, optional
            Their responses.
        numeraire : str, optional
            Column in whose units shadow prices are given as well.
        at_best : bool, optional
            At the best response of each row instead of the observed one; the default without y.

        Returns
        -------
        data frame
            By constraint; a dictionary without pandas.
        """
        data = self._data(X) if y is None else self._labelled(X, y)
        at_best = y is None if at_best is None else at_best
        threads = int(self.threads or 0)
        return as_table(_core.constraint_diagnostics(self.model_, data, numeraire or "", at_best, threads))

    def what_if(
        self,
        X: Any,
        changes: Sequence[str] | str = (),
        *,
        drop_constraints: Sequence[str] | str = (),
        scale_lambdas: dict[str, float] | None = None,
    ) -> Any:
        """The learned problem solved again where columns change, constraints are dropped or weights scaled.

        Parameters
        ----------
        X : array or data frame
            Rows to solve it for.
        changes : str or sequence of str
            "price *= 1.1": a column, =, +=, -=, *= or /=, and an expression.
        drop_constraints : str or sequence of str
            Constraints to leave out, for example "L1.B2.C1".
        scale_lambdas : dict, optional
            Head to the factor of its weight.

        Returns
        -------
        data frame
            Means before and after by predicted quantity; a dictionary without pandas.
        """
        scenario = _core.Scenario()
        scenario.set = _texts(changes)
        scenario.drop_constraints = _texts(drop_constraints)
        scenario.scale_lambdas = list((scale_lambdas or {}).items())
        scenario.threads = int(self.threads or 0)
        data = self._data(X)
        return as_table(_core.solve_scenario(self.model_, data, scenario)[0])


def _texts(one_or_more: Sequence[str] | str) -> list[str]:
    return [one_or_more] if isinstance(one_or_more, str) else list(one_or_more)


def _place(row: int, rows: int) -> int:
    """A row by its number from 0, or from the end where it is negative, as in a list."""
    if not -rows <= row < rows:
        raise IndexError(f"row {row}: X has the rows 0 to {rows - 1}")
    return row + rows if row < 0 else row

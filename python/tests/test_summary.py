"""Standard errors: the table's numbers hang together, and agree with a logit done by hand."""

import numpy as np
import pytest
from scipy import stats

from behavior_learning import BLClassifier, UsageError

# One linear utility and no constraints: the binary logit.
LOGIT = dict(
    single=True,
    heads="1,0,0",
    degree=2,
    utility_activation="identity",
    optimizer="lbfgs",
    precision="float64",
    fractions="1:0:0",
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    logit = 0.4 - 0.8 * X[:, 0] + 0.5 * X[:, 1]
    return X, np.where(rng.logistic(size=600) < logit, "yes", "no")


def test_numbers_hang_together(rows):
    model = BLClassifier(**LOGIT).fit(*rows)
    summary = model.summary(*rows, level=0.9)
    known = summary.bse.notna()
    np.testing.assert_allclose(summary.bse[known], np.sqrt(np.diag(summary.cov_params()))[known], rtol=1e-12)
    z = summary.params[known] / summary.bse[known]
    np.testing.assert_allclose(summary.zvalues[known], z, rtol=1e-12)
    np.testing.assert_allclose(summary.pvalues[known], 2 * stats.norm.sf(np.abs(z)), rtol=1e-9)
    ends = summary.conf_int()[known]
    np.testing.assert_allclose(ends["upper"] - summary.params[known], stats.norm.ppf(0.95) * summary.bse[known], rtol=1e-9)
    assert summary.nobs == 600
    assert summary.aic == pytest.approx(2 * summary.df_model - 2 * summary.llf)
    assert summary.bic == pytest.approx(np.log(600) * summary.df_model - 2 * summary.llf)
    assert "std" in str(summary).lower() and "tabular" in summary.as_latex() and summary.to_dict()
    assert "<pre>" in summary._repr_html_()


def logit_by_newton(X, y):
    """The textbook's estimator: coefficients, classical and robust covariance, log-likelihood."""
    design = np.column_stack([np.ones(len(X)), X])
    beta = np.zeros(3)
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ beta))
        information = design.T @ (design * (p * (1 - p))[:, None])
        beta = beta + np.linalg.solve(information, design.T @ (y - p))
    scores = design * (y - p)[:, None]
    inverse = np.linalg.inv(information)
    return beta, inverse, inverse @ scores.T @ scores @ inverse, np.sum(np.log(np.where(y, p, 1 - p)))


def test_the_logit_is_the_textbooks(rows):
    X, y = rows
    beta, classical, robust, llf = logit_by_newton(X, y == "yes")
    model = BLClassifier(**LOGIT).fit(X, y).infer(X, y, reference="no")
    np.testing.assert_allclose(
        np.diff(model.utility(np.vstack([np.zeros((1, 2)), np.eye(2)])), axis=1).ravel(),
        [beta[0], beta[0] + beta[1], beta[0] + beta[2]],
        atol=1e-5,
    )
    for kind, covariance in [("classical", classical), ("robust", robust)]:
        summary = model.summary(cov_type=kind)
        assert summary.llf == pytest.approx(llf, rel=1e-9)
        errors = np.sort(summary.bse[summary.bse.notna()])
        np.testing.assert_allclose(errors, np.sort(np.sqrt(np.diag(covariance))), rtol=2e-3)


def test_a_model_without_covariance_says_so(rows):
    with pytest.raises(UsageError, match="infer"):
        BLClassifier(**LOGIT).fit(*rows).summary()

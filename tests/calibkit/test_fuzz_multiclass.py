"""Calibrators of more than two classes on every form of rows, labels and weights.

As in `test_fuzz`: a case either raises a `ValueError` that names an argument, or keeps every
promise of the contract. `make fuzz` tries more of them.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import clone
from test_fuzz import CLEAN_WEIGHTS, EXAMPLES, TINY, WEIGHTS, expected_warnings
from test_multiclass import CALIBRATORS

# Rows of probabilities, by form: functions of their number, of the number of classes and a
# generator of random numbers
ROWS = {
    "dirichlet": lambda n, k, rng: rng.dirichlet(np.ones(k), n),
    "skewed": lambda n, k, rng: rng.dirichlet(np.full(k, 0.02), n),
    "network": lambda n, k, rng: softmax(9 * rng.normal(size=(n, k)), axis=1),
    "forest": lambda n, k, rng: rng.multinomial(10, np.ones(k) / k, n) / 10,
    "certain": lambda n, k, rng: np.eye(k)[rng.integers(0, k, n)],
    "equal": lambda n, k, rng: np.full((n, k), 1 / k),
    "neighbours": lambda n, k, rng: 1 / k + np.spacing(1 / k) * rng.integers(-2, 3, (n, k)),
    "ends": lambda n, k, rng: np.where(np.eye(k)[rng.integers(0, k, n)] == 1, 1.0, TINY),
    "decades": lambda n, k, rng: with_first(10.0 ** -rng.integers(2, 309, (n, k))),
    "one column": lambda n, k, rng: with_first(np.zeros((n, k))),
    "float16": lambda n, k, rng: rng.dirichlet(np.ones(k), n).astype(np.float16),
    "big-endian": lambda n, k, rng: rng.dirichlet(np.ones(k), n).astype(">f8"),
    "fortran": lambda n, k, rng: np.asfortranarray(rng.dirichlet(np.ones(k), n)),
    "strided": lambda n, k, rng: rng.dirichlet(np.ones(k), 2 * n)[::2],
    "list": lambda n, k, rng: rng.dirichlet(np.ones(k), n).tolist(),
}
# Scores anywhere, for the calibrators that take them
WIDE = {
    "normal": lambda n, k, rng: rng.normal(size=(n, k)),
    "heavy tails": lambda n, k, rng: rng.standard_cauchy((n, k)),
    "huge": lambda n, k, rng: rng.choice([-1.7e308, -1.0, 0.0, 1.0, 1.7e308], (n, k)),
    "all scales": lambda n, k, rng: 10.0 ** rng.integers(-300, 300, (n, k)),
    "far from zero": lambda n, k, rng: 1e15 + rng.integers(0, 9, (n, k)),
    "subnormal": lambda n, k, rng: TINY * rng.integers(-4, 5, (n, k)),
    "integers": lambda n, k, rng: rng.integers(-5, 6, (n, k)),
}
LABELS = {
    "random": lambda n, k, rng, rows: rng.integers(0, k, n),
    "largest": lambda n, k, rng, rows: np.argmax(rows, axis=1),
    "smallest": lambda n, k, rng, rows: np.argmin(rows, axis=1),
    "mostly right": lambda n, k, rng, rows: np.where(
        rng.random(n) < 0.8, np.argmax(rows, axis=1), rng.integers(0, k, n)
    ),
    "few classes": lambda n, k, rng, rows: rng.integers(0, 2, n),
    "one class": lambda n, k, rng, rows: np.full(n, k - 1),
    "int8": lambda n, k, rng, rows: rng.integers(0, k, n).astype(np.int8),
    "float": lambda n, k, rng, rows: rng.integers(0, k, n).astype(">f4"),
    "object": lambda n, k, rng, rows: rng.integers(0, k, n).astype(object),
    "list": lambda n, k, rng, rows: rng.integers(0, k, n).tolist(),
}
# Forms for which sums hang on their order
ILL_CONDITIONED = [
    "skewed", "certain", "equal", "neighbours", "ends", "decades", "one column",
    "huge", "all scales", "far from zero", "subnormal",
]  # fmt: skip


def with_first(rows):
    """The first column is what the others leave."""
    rows[:, 0] = 1 - rows[:, 1:].sum(axis=1)
    return rows


cases = st.tuples(
    st.integers(1, 40) | st.sampled_from([200, 700]),
    st.integers(2, 7),
    st.sampled_from(sorted(ROWS) + sorted(WIDE)),
    st.sampled_from(sorted(LABELS)),
    st.sampled_from(sorted(WEIGHTS)) | st.just("none"),
    st.integers(0, 2**32 - 1),
)


def attempt(calibrator, rows, labels, weights):
    """Fit a clone, or None if the input is refused in clear words."""
    try:
        return clone(calibrator).fit(rows, labels, weights)
    except ValueError as error:
        message = str(error)
        names = ("probabilities", "labels", "sample_weight")
        assert message.startswith(names), message
        return None


@pytest.mark.slow
@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases)
def test_any_input_is_refused_in_clear_words_or_calibrated(calibrator, case):
    n, k, form, label_form, weight_form, seed = case
    rng = np.random.default_rng(seed)
    rows = (ROWS | WIDE)[form](n, k, rng)
    labels = LABELS[label_form](n, k, rng, rows)
    weights = WEIGHTS[weight_form](n, rng)
    kept = np.array(rows), np.array(labels)
    with expected_warnings() as caught:
        fitted = attempt(calibrator, rows, labels, weights)
        if fitted is None:
            clean = weight_form in CLEAN_WEIGHTS and np.sum(1 if weights is None else weights) > 0
            assert not clean or (form in WIDE and calibrator.unit_scores)
            return
        predicted = fitted.predict_proba(rows)
        assert predicted.shape == (n, k) and predicted.dtype == np.float64
        assert np.all((predicted >= 0) & (predicted <= 1))  # false for NaN
        np.testing.assert_allclose(predicted.sum(axis=1), 1, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(fitted.predict_proba(rows), predicted)
        if form not in ILL_CONDITIONED and weight_form != "uneven" and not caught:
            order = rng.permutation(n)
            shuffled = np.asarray(rows)[order], np.asarray(labels)[order]
            again = attempt(calibrator, *shuffled, None if weights is None else weights[order])
            np.testing.assert_allclose(again.predict_proba(rows), predicted, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(np.array(rows), kept[0])
    np.testing.assert_array_equal(np.array(labels), kept[1])

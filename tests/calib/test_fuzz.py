"""Every calibrator on every form of scores, labels, weights and types that we could think of.

Quick in the suite; ``make fuzz`` tries two thousand samples of each calibrator, and
``make fuzz EXAMPLES=...`` more. It prints its seed, which ``make fuzz SEED=...`` takes. A case
either raises a `ValueError` that names an argument, or keeps every promise of the contract.
"""

import os
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from test_contract import CALIBRATORS

from calib import (
    ABB,
    BBQ,
    ENIR,
    CalibratorCV,
    DirectIsotonic,
    HistogramBinning,
    IsotonicCalibrator,
    OneClassWarning,
    StackedCalibrator,
    VennAbers,
)

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "12"))
INCREASING = IsotonicCalibrator | DirectIsotonic | VennAbers
IN_ANY_ORDER = INCREASING | StackedCalibrator | CalibratorCV | HistogramBinning | BBQ | ABB | ENIR
TINY = np.nextafter(0, 1)

# Scores within [0, 1], by form: functions of the size and a generator of random numbers
SCORES = {
    "continuous": lambda n, rng: rng.random(n),
    "skewed": lambda n, rng: rng.beta(0.05, 1, n),
    "ties": lambda n, rng: rng.integers(0, 4, n) / 3,
    "rounded": lambda n, rng: rng.random(n).round(1),
    "atom": lambda n, rng: np.where(rng.random(n) < 0.9, 0.3, rng.random(n)),
    "constant": lambda n, rng: np.full(n, rng.choice([0.0, 0.5, 1.0])),
    "neighbours": lambda n, rng: 0.5 + np.spacing(0.5) * rng.integers(0, 3, n),
    "ends": lambda n, rng: rng.choice([0.0, TINY, np.nextafter(1, 0), 1.0], n),
    "decades": lambda n, rng: 10.0 ** -rng.integers(0, 309, n),
    "clusters": lambda n, rng: np.clip(rng.choice([0.1, 0.9], n) + 1e-9 * rng.normal(size=n), 0, 1),
    "integers": lambda n, rng: rng.integers(0, 2, n),
    "bytes": lambda n, rng: rng.integers(0, 2, n).astype(np.int8),
    "float16": lambda n, rng: rng.random(n).astype(np.float16),
    "big-endian": lambda n, rng: rng.random(n).astype(">f8"),
    "strided": lambda n, rng: rng.random(2 * n)[::2],
    "list": lambda n, rng: rng.random(n).tolist(),
}
# Scores anywhere, for the methods that take them
WIDE = {
    "normal": lambda n, rng: rng.normal(size=n),
    "heavy tails": lambda n, rng: rng.standard_cauchy(n),
    "heavier tails": lambda n, rng: np.exp(rng.standard_cauchy(n).clip(-700, 700)),
    "huge": lambda n, rng: rng.choice([-1.7e308, -1.0, 0.0, 1.0, 1.7e308], n),
    "one outlier": lambda n, rng: np.where(np.arange(n) == 0, 1e200, rng.normal(size=n)),
    "far from zero": lambda n, rng: 1e15 + rng.integers(0, 9, n),
    "subnormal": lambda n, rng: TINY * rng.integers(-4, 5, n),
    "signed zeros": lambda n, rng: rng.choice([-0.0, 0.0, 1.0], n),
}


def halves(scores):
    """Halves of the scores, two of which have a finite sum."""
    return np.asarray(scores, float) / 2


LABELS = {
    "random": lambda n, rng, s: rng.random(n) < 0.5,
    "rare": lambda n, rng, s: rng.random(n) < 0.05,
    "ordered": lambda n, rng, s: halves(s) > np.median(halves(s)),
    "reversed": lambda n, rng, s: halves(s) < np.median(halves(s)),
    "ones": lambda n, rng, s: np.ones(n, int),
    "zeros": lambda n, rng, s: np.zeros(n, int),
    "int8": lambda n, rng, s: rng.integers(0, 2, n).astype(np.int8),
    "big-endian": lambda n, rng, s: rng.integers(0, 2, n).astype(">i4"),
    "float16": lambda n, rng, s: rng.integers(0, 2, n).astype(np.float16),
    "object": lambda n, rng, s: rng.integers(0, 2, n).astype(object),
    "list": lambda n, rng, s: rng.integers(0, 2, n).tolist(),
}
WEIGHTS = {
    "none": lambda n, rng: None,
    "counts": lambda n, rng: rng.integers(0, 4, n),
    "fractions": lambda n, rng: rng.random(n),
    "normalised": lambda n, rng: np.full(n, 1 / n),
    "tiny": lambda n, rng: np.full(n, 1e-170),
    "large": lambda n, rng: np.full(n, 1e8),
    "huge": lambda n, rng: np.full(n, 1e140),
    "uneven": lambda n, rng: 10.0 ** rng.integers(-150, 100, n),
    "overflowing": lambda n, rng: np.full(n, 1e305),
    "zeros": lambda n, rng: np.zeros(n),
}

# Sums of these are rounded, so the two probabilities that VennAbers merges are
ROUNDED_WEIGHTS = ["fractions", "normalised", "uneven"]
CLEAN_WEIGHTS = ["none", "counts", "fractions", "normalised", "large"]
# Forms for which sums hang on their order
ILL_CONDITIONED = ["ends", "decades", "huge", "heavier tails", "subnormal", "far from zero"]

cases = st.tuples(
    st.integers(1, 40) | st.sampled_from([200, 3100]),
    st.sampled_from(sorted(SCORES) + sorted(WIDE)),
    st.sampled_from(sorted(LABELS)),
    st.sampled_from(sorted(WEIGHTS)) | st.just("none"),
    st.integers(0, 2**32 - 1),
)


# Beginnings of the warnings that the contract announces beside those of one class.
EXPECTED = [
    "sample_weight sums to 1",
    "scores lie in .* taken for rounding",
    "scores are turned round",
    "scores that differ by less than 1e-290",
    "scores order the classes the wrong way round",
]


@contextmanager
def expected_warnings():
    """Let the warnings pass that the contract announces, and list those of convergence.

    All others are errors here.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OneClassWarning)
        warnings.simplefilter("always", ConvergenceWarning)
        for expected in EXPECTED:
            warnings.filterwarnings("ignore", expected, UserWarning)
        yield caught


def attempt(calibrator, scores, labels, weights):
    """Fit a clone, or None if the input is refused in clear words."""
    try:
        return clone(calibrator).fit(scores, labels, sample_weight=weights)
    except ValueError as error:
        message = str(error)
        assert any(name in message for name in ("scores", "labels", "sample_weight")), message
        return None


@pytest.mark.slow
@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases)
def test_any_input_is_refused_in_clear_words_or_calibrated(calibrator, case):
    n, form, label_form, weight_form, seed = case
    rng = np.random.default_rng(seed)
    scores = (SCORES | WIDE)[form](n, rng)
    labels = LABELS[label_form](n, rng, scores)
    weights = WEIGHTS[weight_form](n, rng)
    kept = np.array(scores), np.array(labels)
    with expected_warnings() as caught:
        fitted = attempt(calibrator, scores, labels, weights)
        if fitted is None:
            clean = weight_form in CLEAN_WEIGHTS and np.sum(1 if weights is None else weights) > 0
            assert not clean or (form in WIDE and calibrator.unit_scores)
            return
        queries = around(np.asarray(scores, np.float64), unit=fitted.unit_scores)
        predicted = fitted.predict(queries)
        check_predictions(fitted, queries, predicted)
        if isinstance(calibrator, INCREASING):
            ulp = np.finfo(float).eps if weight_form in ROUNDED_WEIGHTS else 0.0
            assert np.all(np.diff(predicted[np.argsort(queries, kind="stable")]) >= -ulp)
        # Where the classes are separated, the likelihood has no maximum: rounding decides when a
        # fit ends, among slopes that are as good as infinite. Where scores nearly tie, the last
        # digit of a huge slope moves probabilities by 1e-6.
        if form not in ILL_CONDITIONED and not caught:
            order = rng.permutation(n)
            rows = np.asarray(scores)[order], np.asarray(labels)[order]
            shuffled = attempt(calibrator, *rows, None if weights is None else weights[order])
            within = 1e-9 if isinstance(calibrator, IN_ANY_ORDER) else 1e-5
            np.testing.assert_allclose(shuffled.predict(queries), predicted, rtol=0, atol=within)
    np.testing.assert_array_equal(np.array(scores), kept[0])
    np.testing.assert_array_equal(np.array(labels), kept[1])


def around(scores, *, unit):
    """The scores, their next larger numbers and what lies halfway between neighbours."""
    with np.errstate(over="ignore"):
        queries = np.r_[scores, scores[:-1] / 2 + scores[1:] / 2, np.nextafter(scores, np.inf)]
    queries = queries[np.isfinite(queries)]
    return queries.clip(0, 1) if unit else queries


def check_predictions(fitted, queries, predicted):
    assert predicted.shape == queries.shape and predicted.dtype == np.float64
    assert np.all((predicted >= 0) & (predicted <= 1))  # false for NaN
    assert np.all(np.isfinite(fitted.predict_logit(queries)))
    np.testing.assert_array_equal(fitted.predict(queries), predicted)
    if hasattr(fitted, "map_"):
        np.testing.assert_array_equal(fitted.map_(queries), predicted)

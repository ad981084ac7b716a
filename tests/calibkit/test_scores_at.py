"""The score at which a map reaches a probability: just that float, whatever the map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calib import (
    BetaMap,
    CalibrationMap,
    LinearMap,
    LogitPolynomialMap,
    MirroredMap,
    MixtureMap,
    SigmoidMap,
    SplineCalibrator,
    StepMap,
)
from calibkit.deployment import scores_at

SLOPES = st.floats(0.1, 50)
PROBABILITIES = st.floats(0, 1)
SCORES = st.floats(-1e308, 1e308)
SPLINE = {  # smooth and increasing
    "coefficients": [
        *[[-1.0, 0.5, 0.0, 0.0], [-1.0, 0.5, 0.0, 0.25]],
        *[[-0.25, 1.25, 0.75, -0.5], [1.25, 1.25, -0.75, 0.25], [2.0, 0.5, 0.0, 0.0]],
    ],
    **{"least": -3.0, "greatest": 4.0, "low": -1.5, "high": 1.0},
}


@st.composite
def tables(draw):
    cuts = np.array(draw(st.lists(SCORES, min_size=1, max_size=6, unique=True).map(sorted)))
    more = draw(st.booleans())
    size = cuts.size + more
    values = np.array(draw(st.lists(PROBABILITIES, min_size=size, max_size=size).map(sorted)))
    return (StepMap if more else LinearMap)(cuts, values[:: draw(st.sampled_from([1, -1]))])


def formulas(sign):
    """Maps of one direction, by formulas."""
    slopes = SLOPES.map(lambda slope: sign * slope)
    inner = st.floats(-5, 5)
    yield st.builds(SigmoidMap, slopes, inner)
    yield st.builds(
        lambda *c: LogitPolynomialMap(np.array(c[:2]), c[2]), st.floats(-9, 9), slopes, inner
    )
    yield st.builds(BetaMap, slopes, slopes, inner, st.floats(0.01, 0.99))
    if sign > 0:
        kinds = st.sampled_from(["spline", "logit_spline"])
        yield kinds.map(lambda kind: CalibrationMap.from_dict(SPLINE | {"kind": kind}))


def of_one_direction(sign):
    return st.one_of(*formulas(sign))


def mixtures(sign):
    members = st.tuples(of_one_direction(sign), of_one_direction(sign))
    factors = st.sampled_from([1.0, 0.5, 3.0])
    return st.builds(MixtureMap, st.just(np.array([0.25, 0.75])), members, factors)


def mirrored(sign):
    return of_one_direction(-sign).map(MirroredMap)


MAKERS = of_one_direction, mixtures, mirrored
MAPS = st.one_of(tables(), *(make(sign) for make in MAKERS for sign in (1, -1)))


def at(map_, score):
    """The probability at a score; an infinite one is beyond all floats."""
    return map_([np.clip(score, -np.finfo(float).max, np.finfo(float).max)])[0]


@settings(max_examples=300, deadline=None)
@given(MAPS, PROBABILITIES, st.data())
def test_the_ends_are_the_very_floats(map_, probability, data):
    if isinstance(map_, StepMap | LinearMap) and data.draw(st.booleans()):
        probability = data.draw(st.sampled_from(map_.probabilities.tolist()))
    lower, upper, increasing = scores_at(map_, probability)
    assert lower <= upper
    first, last = (lower, upper) if increasing else (upper, lower)
    back = -np.inf if increasing else np.inf
    if first == -back:
        assert at(map_, first) < probability
    else:
        assert at(map_, first) >= probability
    if np.isfinite(first):
        assert at(map_, np.nextafter(first, back)) < probability
    if first != last and np.isfinite(last):
        assert at(map_, last) == probability < at(map_, np.nextafter(last, -back))
    if isinstance(map_, StepMap | LinearMap):
        scores = np.append(map_.scores, data.draw(st.lists(SCORES, max_size=9)))
        rule = scores >= lower if increasing else scores <= upper
        np.testing.assert_array_equal(rule, map_(scores) >= probability)


def test_a_map_of_two_steps():
    map_ = StepMap(np.array([0.1, 0.5]), np.array([0.0, 0.25, 1.0]))
    below = np.nextafter([0.1, 0.5], 0).tolist()
    for probability, ends in (
        *[(0.0, (-np.inf, below[0])), (0.1, (0.1, 0.1)), (0.25, (0.1, below[1]))],
        *[(0.5, (0.5, 0.5)), (1.0, (0.5, np.inf))],
    ):
        assert scores_at(map_, probability) == (*ends, True)
    falling = StepMap(map_.scores, map_.probabilities[::-1])
    assert scores_at(falling, 0.25) == (0.1, below[1], False)
    assert scores_at(falling, 0.5) == (below[0], below[0], False)
    constant = StepMap(np.array([]), np.array([0.5]))
    assert scores_at(constant, 0.5) == (-np.inf, np.inf, True)
    assert scores_at(constant, 0.4)[:2] == (-np.inf, -np.inf)
    assert scores_at(constant, 0.6)[:2] == (np.inf, np.inf)
    assert scores_at(falling, 1.0)[:2] == (-np.inf, below[0])
    assert scores_at(StepMap(map_.scores, np.array([0.3, 0.2, 0.1])), 0.9)[:2] == (-np.inf, -np.inf)


def test_fitted_maps_that_are_smooth_have_such_scores():
    rng = np.random.default_rng(0)
    scores = rng.random(500)
    labels = (rng.random(500) < scores**2).astype(int)
    map_ = SplineCalibrator().fit(scores, labels).map_
    lower, upper, increasing = scores_at(map_, 0.5)
    assert increasing and abs(lower - 0.5**0.5) < 0.1 and upper - lower < 1e-12
    assert map_([np.nextafter(lower, 0), lower])[0] < 0.5 <= map_([lower])[0]


@pytest.mark.parametrize(
    "map_",
    [
        StepMap(np.array([0.1, 0.5]), np.array([0.0, 0.5, 0.4])),
        LinearMap(np.array([0.1, 0.5, 0.6]), np.array([0.5, 0.4, 0.5])),
        LogitPolynomialMap(np.array([0.0, 1.0, -0.1]), 0.0),
        LogitPolynomialMap(np.array([0.0, -1.0, 0.0, 0.1]), 0.0),
        BetaMap(1.0, -0.5, 0.0, 0.5),
        CalibrationMap.from_dict(
            {
                **SPLINE,
                "kind": "spline",
                "coefficients": [[0, 1, 0, 0], [0, 1, -1, 0], [0, 1, 0, 0]],
            }
        ),
        MixtureMap(np.array([0.5, 0.5]), (SigmoidMap(1.0, 0.0), SigmoidMap(-1.0, 0.0))),
    ],
    ids=lambda map_: type(map_).__name__,
)
def test_what_turns_is_refused(map_):
    with pytest.raises(ValueError, match="is not monotone"):
        scores_at(map_, 0.5)


def test_what_turns_outside_of_all_scores_is_taken():
    square = LogitPolynomialMap(np.array([0.0, 1.0, 0.01]), 0.0)  # it turns at log-odds of -50
    assert abs(scores_at(square, 0.5).lower - 0.5) < 1e-15
    cubic = LogitPolynomialMap(np.array([0.0, 0.0, 0.0, 1.0]), 0.0)  # flat at 0, but does not turn
    assert abs(scores_at(cubic, 0.5).lower - 0.5) < 1e-5
    whole = MixtureMap(np.array([1.0, 0.0]), (SigmoidMap(1.0, 0.0), SigmoidMap(-1.0, 0.0)))
    assert scores_at(whole, 0.5).increasing


@pytest.mark.parametrize("wrong", [-0.1, 1.5, np.nan, "half", None, [0.5]])
def test_what_is_no_probability(wrong):
    with pytest.raises(ValueError, match="probability"):
        scores_at(SigmoidMap(1.0, 0.0), wrong)

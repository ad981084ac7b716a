"""Decisions from two probabilities, against a grid of probabilities between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibkit.inference import decisions

seeds = given(seed=st.integers(0, 10**6))


def instance(seed):
    """Pairs that may be equal or crossed, and costs with ties."""
    rng = np.random.default_rng(seed)
    p0, p1 = rng.integers(0, 9, (2, 12)) / 8
    return p0, p1, rng.integers(-3, 6, (rng.integers(2, 6), 2)) / 2


def costs_between(p0, p1, costs):
    """Expected costs on a grid from p0 to p1, of shape (grid, n, k)."""
    p = np.linspace(p0, p1, 65)[:, :, np.newaxis]
    return (1 - p) * costs[:, 0] + p * costs[:, 1]


@settings(max_examples=200, deadline=None)
@seeds
def test_costs_and_regrets_on_a_grid(seed):
    p0, p1, costs = instance(seed)
    grid = costs_between(p0, p1, costs)
    lower, upper = decisions.cost_intervals(p0, p1, costs)
    np.testing.assert_allclose(lower, grid.min(axis=0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(upper, grid.max(axis=0), rtol=0, atol=1e-12)
    expected = (grid - grid.min(axis=2, keepdims=True)).max(axis=0)
    regrets = decisions.largest_regrets(p0, p1, costs)
    np.testing.assert_allclose(regrets, expected, rtol=0, atol=1e-12)
    chosen = decisions.minimax_regret_actions(p0, p1, costs)
    least = np.take_along_axis(regrets, chosen[:, np.newaxis], axis=1)[:, 0]
    np.testing.assert_array_equal(least, regrets.min(axis=1))


@settings(max_examples=200, deadline=None)
@seeds
def test_dominance_on_a_grid(seed):
    p0, p1, costs = instance(seed)  # eighths and halves: no rounding
    grid = costs_between(p0, p1, costs)
    undominated = decisions.undominated_actions(p0, p1, costs)
    for i, a in np.ndindex(undominated.shape):
        beaten = any(
            np.all(grid[:, i, b] <= grid[:, i, a]) and np.any(grid[:, i, b] < grid[:, i, a])
            for b in range(len(costs))
        )
        assert undominated[i, a] == (not beaten)
    assert undominated.any(axis=1).all()


@settings(max_examples=100, deadline=None)
@seeds
def test_two_actions_are_decided_by_the_midpoint(seed):
    rng = np.random.default_rng(seed)
    p0, p1 = np.sort(rng.random((2, 50)), axis=0)
    costs = rng.normal(size=(2, 2))
    middle = decisions.cost_intervals((p0 + p1) / 2, (p0 + p1) / 2, costs)[0]
    chosen = decisions.minimax_regret_actions(p0, p1, costs)
    np.testing.assert_array_equal(chosen, middle.argmin(axis=1))
    # the regret is at most half the width times what a probability weighs in the difference
    weight = abs(np.diff(np.diff(costs, axis=0), axis=1)[0, 0])
    regret = decisions.largest_regrets(p0, p1, costs).min(axis=1)
    assert np.all(regret <= weight * (p1 - p0) / 2 + 1e-12)


def test_two_undominated_actions_straddle_the_threshold():
    p0, p1 = np.array([0.0, 0.1, 0.25, 0.3]), np.array([0.15, 0.3, 0.5, 0.6])
    act_and_not = [[1, 0], [0, 3]]  # the threshold is 1/4, and there both cost the same
    np.testing.assert_array_equal(
        decisions.undominated_actions(p0, p1, act_and_not),
        [[False, True], [True, True], [True, False], [True, False]],
    )


def test_an_undominated_action_need_not_be_the_best_anywhere():
    costs = [[1, 0], [0, 1], [0.6, 0.6]]  # to ask costs 0.6, to guess never more than 1/2
    assert decisions.undominated_actions([0.0], [1.0], costs).tolist() == [[True, True, True]]
    grid = costs_between(np.array([0.0]), np.array([1.0]), np.array(costs))
    assert np.all(grid[..., 2] > grid.min(axis=2))


def test_one_probability_has_the_cheapest_action_and_no_regret():
    p, costs = np.array([0.1, 0.3, 0.9]), [[1, 0], [0, 4], [0.5, 0.5]]
    chosen = decisions.minimax_regret_actions(p, p, costs)
    assert chosen.tolist() == [1, 2, 0]
    assert decisions.undominated_actions(p, p, costs).sum(axis=1).tolist() == [1, 1, 1]
    assert decisions.largest_regrets(p, p, costs)[np.arange(3), chosen].tolist() == [0, 0, 0]


def test_the_largest_costs_have_finite_regrets():
    costs = 1e300 * np.array([[1, -1], [-1, 1], [1, 1]])
    regrets = decisions.largest_regrets([0.0, 0.5], [1.0, 0.5], costs)
    assert regrets.tolist() == [[2e300, 2e300, 2e300], [0, 0, 1e300]]


def test_no_cases():
    for function in [
        decisions.undominated_actions,
        decisions.largest_regrets,
    ]:
        assert function([], [], [[1, 0], [0, 1]]).shape == (0, 2)
    assert decisions.minimax_regret_actions([], [], [[1, 0], [0, 1]]).shape == (0,)


@pytest.mark.parametrize(
    "p0, p1, costs, message",
    [
        ([0.1], [0.2, 0.3], [[1, 0], [0, 1]], "p0 has 1 rows but p1 has 2: they must match"),
        ([-0.1], [0.2], [[1, 0], [0, 1]], r"p0 must lie in \[0, 1\]; found -0.1 at row 0"),
        ([0.1], [np.nan], [[1, 0], [0, 1]], "p1 must be finite; found nan at row 0"),
        ([0.1], [0.2], [[1, 0]], r"at least two actions.*found shape \(1, 2\)"),
        ([0.1], [0.2], [[1, 0, 2], [0, 1, 3]], r"found shape \(2, 3\)"),
        ([0.1], [0.2], [1, 0], r"found shape \(2,\)"),
        ([0.1], [0.2], [[1, 0], [0, np.inf]], "costs must be finite"),
        ([0.1], [0.2], [[1, 0], [0]], "costs must be numbers, a row of two for each action"),
        ([0.1], [0.2], "cheap", "costs must be numbers"),
        ([0.1], [0.2], [["1", "0"], ["0", "4"]], "costs must be real numbers; found dtype <U1"),
        ([0.1], [0.2], np.zeros((2, 2), "M8[D]"), r"costs must be real.*datetime64\[D\]"),
        ([0.1], [0.2], np.eye(2) * 1j, "costs must be real numbers; found dtype complex128"),
        ([0.1], [0.2], [[1, None], [0, 4]], "costs must be real numbers; found dtype object"),
        ([0.1], [0.2], np.ma.array(np.eye(2), mask=np.eye(2)), "costs holds masked values"),
        ([0.1], [0.2], [[0, 4], [1.7e308, 0]], r"at most 1e.300 in size; found 1.7e.308 at row 1"),
    ],
)
def test_bad_input_is_refused_by_name(p0, p1, costs, message):
    for function in [
        decisions.cost_intervals,
        decisions.undominated_actions,
        decisions.largest_regrets,
        decisions.minimax_regret_actions,
    ]:
        with pytest.raises(ValueError, match=message):
            function(p0, p1, costs)

"""Measures, intervals and tests do not depend on the order of the rows."""

import dataclasses
import inspect

import numpy as np
import pytest
from scipy.special import expit

import calib.metrics
from calibkit import inference

IN_ORDER = {"change_test"}  # looks for a change from first to last
OF_EACH_ROW = {"horizon_outcomes"}  # gives a label and a weight for each row, in their order
NO_ROWS = {"binomial_limits", "cost_intervals", "get_scorer", "largest_regrets"}
NO_ROWS |= {"minimax_regret_actions", "rows_until_promise", "undominated_actions"}
ROOMS = {name: getattr(room, name) for room in (calib.metrics, inference) for name in room.__all__}
MEASURES = {
    name: ROOMS[name]
    for name in ROOMS
    if inspect.isfunction(ROOMS[name]) and name not in {*IN_ORDER, *OF_EACH_ROW, *NO_ROWS}
}
N = 300


def samples():
    """Name and columns of samples whose rows are easily told apart, or hardly."""
    rng = np.random.default_rng(0)
    logits = 1.5 * rng.normal(size=N)
    labels = (rng.random(N) < expit(logits)).astype(int)
    probabilities = {
        "continuous": expit(logits),
        "two decimals": expit(logits).round(2),
        "clustered": np.clip(rng.choice([0.2, 0.8], N) + 1e-9 * rng.normal(size=N), 0, 1),
        "with 0 and 1": np.where(np.abs(logits) > 2, labels, expit(logits)),
    }
    for name, first in probabilities.items():
        columns = {
            "labels": labels,
            "probabilities": first,
            "scores": first,
            "first": first,
            "second": expit(logits + rng.normal(size=N)),
            "values": labels - first,
            "parts": rng.integers(0, 3, N),
            "groups": rng.integers(0, 3, N),
            "clusters": rng.integers(0, 60, N),
            "measure": calib.metrics.brier_score_loss,
            "max_error": 0.2,
            "sample_weight": rng.integers(0, 4, N).astype(float),
        }
        yield name, columns
        if name == "continuous":
            yield "reversed", columns | {"labels": 1 - labels}


SAMPLES = dict(samples())


def numbers(result):
    """All numbers of a result, in its own order."""
    if dataclasses.is_dataclass(result):
        result = [getattr(result, field.name) for field in dataclasses.fields(result)]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, list | tuple):
        return np.concatenate([np.empty(0), *map(numbers, result)])
    if isinstance(result, str) or result is None:
        return np.empty(0)
    array = np.asarray(result)
    return array.astype(float).ravel() if array.dtype.kind in "biuf" else np.empty(0)


def arguments_of(measure, columns, *, weighted):
    """The required columns; with weights where the measure takes them."""
    parameters = inspect.signature(measure).parameters
    asked = [name for name, one in parameters.items() if one.default is inspect.Parameter.empty]
    if weighted and "sample_weight" in parameters:
        asked.append("sample_weight")
    return {name: columns[name] for name in asked}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", MEASURES)
def test_the_order_of_the_rows_does_not_matter(name, sample, weighted):
    measure = MEASURES[name]
    given = arguments_of(measure, SAMPLES[sample], weighted=weighted)
    order = np.random.default_rng(1).permutation(N)
    shuffled = {key: column[order] if np.ndim(column) else column for key, column in given.items()}
    try:
        expected = measure(**given)
    except ValueError:
        with pytest.raises(ValueError):
            measure(**shuffled)
        return
    found, expected = numbers(measure(**shuffled)), numbers(expected)
    assert found.size == expected.size > 0
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)

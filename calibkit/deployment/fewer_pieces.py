"""A map with fewer pieces, and how far it is from the map at most."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from calib.base.curve_maps import MirroredMap, MixtureMap
from calib.base.maps import CalibrationMap, LinearMap, StepMap, TabulatedMap

HALVINGS = 40  # of the interval that holds the least error
ROUNDING = 1e-15  # added to an error, for the rounding of values near 1


class ShorterMap(NamedTuple):
    """A map whose tables have at most so many pieces.

    Attributes
    ----------
    map : CalibrationMap
    error : float
        Largest difference between its probabilities and the probabilities of the map, at any score.
    """

    map: CalibrationMap
    error: float


def with_fewer_pieces(map_: CalibrationMap, max_pieces: int) -> ShorterMap:
    """Shorten each table of steps or of straight lines to at most so many pieces.

    A step has the middle of the values that it stands for. Lines keep some of the knots, with both
    ends. The error of a mixture is the mean of the errors of its members, times the factor of its
    odds or its reciprocal, whichever is larger: no slope of the factor's curve is larger.
    For each of 40 tolerances the table is gone through once, or a few times where it has lines; the
    least tolerance that needs no more pieces is taken.
    """
    if isinstance(map_, MirroredMap):
        inner = with_fewer_pieces(map_.map, max_pieces)
        return ShorterMap(map=MirroredMap(inner.map), error=inner.error)
    if isinstance(map_, MixtureMap):
        members = [with_fewer_pieces(member, max_pieces) for member in map_.members]
        error = float(map_.weights @ [member.error for member in members])
        steepest = max(map_.odds_factor, 1 / map_.odds_factor)
        mixture = replace(map_, members=tuple(member.map for member in members))
        return ShorterMap(map=mixture, error=error * steepest)
    if isinstance(map_, StepMap):
        return _shorter_table(map_, max_pieces, _starts_of_steps, _fewer_steps)
    if isinstance(map_, LinearMap):
        return _shorter_table(map_, max_pieces + 1, _kept_knots, _fewer_lines)
    return ShorterMap(map=map_, error=0.0)


def _shorter_table(map_: TabulatedMap, most, choose, shorten):
    """The table with the least tolerance at which it has no more than so many values."""
    if map_.probabilities.size <= most:
        return ShorterMap(map=map_, error=0.0)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = len(choose(map_, middle)) <= most
        low, high = (low, middle) if enough else (middle, high)
    return shorten(map_, choose(map_, high))


def _starts_of_steps(map_, tolerance):
    """Where steps begin if each spans values that are within the tolerance of its middle."""
    starts = [0]
    least = most = float(map_.probabilities[0])
    for k, value in enumerate(map_.probabilities.tolist()):
        least = min(least, value)
        most = max(most, value)
        if most - least > 2 * tolerance:
            starts.append(k)
            least = most = value
    return starts


def _fewer_steps(map_, starts):
    lowest = np.minimum.reduceat(map_.probabilities, starts)
    highest = np.maximum.reduceat(map_.probabilities, starts)
    cuts = map_.scores[np.array(starts[1:], np.int64) - 1]
    error = float(np.max(highest - lowest)) / 2 + ROUNDING
    return ShorterMap(map=StepMap(cuts, lowest + (highest - lowest) / 2), error=error)


def _kept_knots(map_, tolerance):
    """Knots such that the lines between them are within the tolerance of those left out."""
    scores = map_.scores.tolist()
    values = map_.probabilities.tolist()
    knots = [0]
    while knots[-1] < len(scores) - 1:
        knots.append(_last_in_reach(scores, values, knots[-1], tolerance))
    return knots


def _last_in_reach(scores, values, start, tolerance):
    """The last knot that a line from `start` can reach, in the cone of the knots between."""
    flattest = -np.inf
    steepest = np.inf
    reached = start + 1
    for k in range(start + 1, len(scores)):
        gap = scores[k] / 2 - scores[start] / 2  # halves, whose difference does not overflow
        rise = values[k] - values[start]
        if gap == 0 or flattest <= rise / gap <= steepest:
            reached = k
        if gap > 0:
            flattest = max(flattest, (rise - tolerance) / gap)
            steepest = min(steepest, (rise + tolerance) / gap)
        if flattest > steepest:
            break
    return reached


def _fewer_lines(map_, knots):
    shorter = LinearMap(map_.scores[knots], map_.probabilities[knots])
    error = float(np.max(np.abs(shorter(map_.scores) - map_.probabilities))) + ROUNDING
    return ShorterMap(map=shorter, error=error)

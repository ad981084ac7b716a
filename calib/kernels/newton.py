"""Newton's method with step halving, for any loss that is convex."""

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROUNDING_ROOM = 1e-12  # fraction of the loss by which a step may raise it: rounding
LEAST_FRACTION = 1e-10  # fraction of a Newton step, below which it is halved no further
LEAST_DECREMENT = 1e-14  # fraction of the loss, at which further steps would gain nothing
LEAST_INEXACT_DECREMENT = 1e-10  # the same for inexact steps, once the loss no longer falls


class Step(NamedTuple):
    """A full Newton step.

    Attributes
    ----------
    change : ndarray
        The step itself, shaped as the point.
    target : ndarray
        Where the step leads: the point plus `change`, which rounding may put elsewhere.
    decrement : float
        How much the step should gain, or twice that.
    """

    change: NDArray[np.float64]
    target: NDArray[np.float64]
    decrement: float


class Minimum(NamedTuple):
    """Where Newton's method has ended.

    Attributes
    ----------
    point : ndarray
    state : NamedTuple
        What `Problem.state` has returned for the point.
    step : ndarray
        The last step, after halving. Near an optimum it is small. Where the loss falls for ever, it
        is not, however little the loss gains.
    n_steps : int
    converged : bool
        False if the largest number of steps did not suffice, or if no step helps.
    """

    point: NDArray[np.float64]
    state: Any
    step: NDArray[np.float64]
    n_steps: int
    converged: bool


class Problem(ABC):
    """A convex loss that `newton` can minimise.

    Attributes
    ----------
    max_steps : int
        Largest number of Newton steps.
    enough : float
        A loss at which to stop. Where a sample is separable, the loss falls to 0 along coefficients
        without bound.
    inexact : bool
        Whether the steps solve Newton's equations only roughly, so that their decrement may never
        become as small as the decrement of exact steps.
    halves_undefined : bool
        Whether a step to a point where the loss is NaN is halved. If not, the search ends.
    """

    max_steps: int = 1000
    enough: float = 0.0
    inexact: bool = False
    halves_undefined: bool = True

    @abstractmethod
    def state(self, point):
        """A record of the loss at the point, as `loss`, and of all that a step from there needs."""

    @abstractmethod
    def step(self, point, state) -> Step | None:
        """The full Newton step from the point, or None if the curvature is lost by rounding."""

    def recentred(self, point, state):
        """The same point and its state, perhaps in coordinates that are numerically better."""
        return point, state


def newton(problem: Problem, point: NDArray[np.float64], state: Any = None) -> Minimum:
    """Minimise a convex loss from `point` on, by Newton steps that are halved until it falls.

    The search stops when the decrement of a step is negligible. The step then squares an error that
    is already small. `state` is the state of the point, if it is known.
    """
    if state is None:
        state = problem.state(point)
    step = np.zeros_like(point)
    n_steps = 0
    converged = False
    while n_steps < problem.max_steps and not converged:
        n_steps += 1
        point, state = problem.recentred(point, state)
        full = problem.step(point, state)
        if full is None:
            break
        acceptable = state.loss + ROUNDING_ROOM * state.loss
        step = full.change
        target = full.target
        trial = problem.state(target)
        fraction = 1.0
        while _raises_the_loss(problem, trial.loss, acceptable) and fraction > LEAST_FRACTION:
            fraction *= 0.5
            step = fraction * full.change
            target = point + step
            trial = problem.state(target)
        if not trial.loss <= acceptable:
            break
        converged = _is_at_its_end(problem, full.decrement, state.loss, trial.loss)
        point = target
        state = trial
    return Minimum(point=point, state=state, step=step, n_steps=n_steps, converged=converged)


def _raises_the_loss(problem, loss, acceptable):
    """Whether a step is to be halved."""
    return loss > acceptable or (problem.halves_undefined and math.isnan(loss))


def _is_at_its_end(problem, decrement, loss_before, loss):
    """Whether further steps would gain nothing."""
    if loss <= problem.enough or decrement <= LEAST_DECREMENT * loss:
        return True
    has_fallen = loss < loss_before
    return problem.inexact and not has_fallen and decrement <= LEAST_INEXACT_DECREMENT * loss_before

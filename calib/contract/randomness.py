"""What a `random_state` may be, in every function that draws."""

import numbers

import numpy as np

RandomState = int | np.random.Generator | np.random.RandomState | None


def check_random_state(random_state: RandomState) -> np.random.Generator:
    """Return the generator that is meant by `random_state`.

    A number is the seed of a new generator, and a NumPy `Generator` is taken as it is. A legacy
    `RandomState` gives the seed, or NumPy's global one if `random_state` is None, as in
    scikit-learn: these go on, and do not give the same seed again.

    Raises
    ------
    ValueError
        If it is none of the four.
    """
    if random_state is None or isinstance(random_state, np.random.RandomState):
        legacy = np.random if random_state is None else random_state
        random_state = legacy.randint(2**31 - 1)
    is_seed = isinstance(random_state, numbers.Integral) and random_state >= 0
    if isinstance(random_state, bool) or not (
        is_seed or isinstance(random_state, np.random.Generator)
    ):
        raise ValueError(
            "random_state must be None, an integer of at least 0, a numpy Generator or a "
            f"RandomState; found {random_state!r}"
        )
    return np.random.default_rng(random_state)


def check_seed(random_state: RandomState) -> int:
    """Return a seed for what takes no generator: `random_state` itself if it is one, else drawn."""
    generator = check_random_state(random_state)
    is_seed = isinstance(random_state, numbers.Integral)
    return int(random_state) if is_seed else int(generator.integers(2**31))

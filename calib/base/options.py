"""The one place where options are checked: choices, flags, single numbers and sources of chance."""

import numbers
from collections.abc import Collection
from typing import TypeGuard

import numpy as np

from calib.base.arrays import LARGEST_TOTAL

MAX_UNIFORM_BINS = 10**7  # bins of equal width, each of which takes memory even if it is empty
RandomState = int | np.random.Generator | np.random.RandomState | None


def check_choice(value: object, choices: Collection[str], name: str) -> None:
    """Raise unless `value` is one of the strings `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; found {value!r}")


def check_flag(value: object, name: str) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False; found {value!r}")


def check_integer(value: object, name: str, *, minimum: int = 1) -> None:
    """Raise unless `value` is an integer of at least `minimum`."""
    if not _is_integer(value) or value < minimum:
        raise ValueError(f"{name} must be an integer of at least {minimum}; found {value!r}")


def check_positive(value: object, name: str, *, below: float = np.inf) -> None:
    """Raise unless `value` is a number strictly between 0 and `below`."""
    if not _is_real_number(value) or not 0 < value < below:
        raise ValueError(f"{name} must be a number between 0 and {below}; found {value!r}")


def check_smoothing(value: object, name: str = "smoothing") -> None:
    """Raise unless `value` can be the weight of a pseudo-observation."""
    if not _is_real_number(value) or not 0 <= value <= LARGEST_TOTAL:
        raise ValueError(f"{name} must be a number from 0 to {LARGEST_TOTAL:.0e}; found {value!r}")


def check_not_below_zero(value: object, name: str) -> None:
    """Raise unless `value` is a finite number, 0 or more."""
    if not _is_real_number(value) or not 0 <= value < np.inf:
        raise ValueError(f"{name} must be a finite number of at least 0; found {value!r}")


def number_of_bins(n_bins: int | str, strategy: str, total: float) -> int:
    """Return the number of bins that `n_bins` asks for, with a `total` weight of the rows.

    ``"cube_root"`` takes round(N^(1/3)), the rate at which the error of the bins and their width
    balance.
    """
    if isinstance(n_bins, str):
        check_choice(n_bins, ["cube_root"], "n_bins")
        number = max(1, round(total ** (1 / 3)))
    else:
        check_integer(n_bins, "n_bins")
        number = int(n_bins)
    if strategy == "uniform":
        check_uniform_bins(number)
    return number


def check_uniform_bins(n_bins: int, name: str = "n_bins") -> None:
    """Raise unless `n_bins` bins of equal width fit into memory."""
    check_integer(n_bins, name)
    if n_bins > MAX_UNIFORM_BINS:
        raise ValueError(
            f"{name} must be at most {MAX_UNIFORM_BINS:.0e} for bins of equal width; found "
            f"{n_bins}: take fewer, or strategy='quantile'"
        )


def check_random_state(random_state: RandomState) -> np.random.Generator:
    """Return the generator that is meant by `random_state`.

    A number is the seed of a new generator, and a NumPy `Generator` is taken as it is. A legacy
    `RandomState` draws the seed. If `random_state` is None, NumPy's global one does, as in
    scikit-learn. Their next seed is another one.

    Raises
    ------
    ValueError
        If it is none of the four.
    """
    if random_state is None or isinstance(random_state, np.random.RandomState):
        legacy = np.random if random_state is None else random_state
        return np.random.default_rng(legacy.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return random_state
    if not _is_integer(random_state) or random_state < 0:
        raise ValueError(
            "random_state must be None, an integer of at least 0, a numpy Generator or a "
            f"RandomState; found {random_state!r}"
        )
    return np.random.default_rng(random_state)


def check_seed(random_state: RandomState) -> int:
    """Return a seed for code that takes no generator.

    It is `random_state` itself if that is a number, and drawn from it otherwise.
    """
    generator = check_random_state(random_state)
    if _is_integer(random_state):
        return int(random_state)
    return int(generator.integers(2**31))


def _is_real_number(value: object) -> TypeGuard[float]:
    """Whether `value` is a real number; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _is_integer(value: object) -> TypeGuard[int]:
    """Whether `value` is an integer; True and False are not."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)

"""What tests have in common that may be looked at after every batch."""

import math
from typing import Self

import numpy as np


class AnytimeTest:
    """A test by an e-value: a number that is a martingale from 1, at most, if nothing is wrong."""

    def __init__(self):
        self.log_e_value = self.largest_log_e_value = 0.0

    @property
    def p_value(self) -> float:
        """Probability, at most, that it ever looks as bad as this if nothing is wrong."""
        return math.exp(-self.largest_log_e_value)

    def _found(self, log_e_value):
        """The logarithm of the e-value is this now."""
        self.log_e_value = log_e_value
        self.largest_log_e_value = max(self.largest_log_e_value, log_e_value)

    @classmethod
    def from_dict(cls, stored: dict) -> Self:
        """The test that `to_dict` has turned into `stored`: it goes on where that one was.

        Raises
        ------
        ValueError
            If `stored` is no such dictionary.
        """
        test = cls()
        try:
            test._restore(stored)
        except (KeyError, TypeError, ValueError, np.linalg.LinAlgError) as error:
            raise ValueError(f"stored is not what to_dict gives: {error!r}") from None
        return test

"""Measures of calibration and discrimination; arguments are (labels, probabilities) throughout.

Every measure takes `sample_weight`. Weights are counts, as in the whole package: a row of weight w
stands for w copies of the row, and a row of weight 0 is not there. What depends on their ratios
only takes sampling weights as well, by which one outcome stands for many rows of a population; what
does not has `sampling_weight` for them, or no form for them at all.

Some measures share their name with one of scikit-learn's, whose value they have on clean binary
input; the docstring of each says where they differ.
"""

import lazy_loader

from calib.contract.docs import fill_docstrings

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):
    """Load a name on first use; its docstring gets the paragraphs that it shares with others."""
    thing = globals()[name] = _load(name)
    fill_docstrings({name: thing})
    return thing

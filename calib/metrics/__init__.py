"""Measures of calibration and discrimination; arguments are (labels, probabilities) throughout.

Every measure takes `sample_weight`. Weights are counts, as in the whole package: a row of weight w
stands for w copies of the row, and a row of weight 0 is ignored. By a sampling weight one outcome
stands for many rows of a population. A measure that depends only on the ratios of its weights takes
sampling weights as `sample_weight`. Other measures take them as `sampling_weight`, or not at all.

Some measures have the name of a function of scikit-learn, and its value on clean binary input.
Their docstrings name the differences.
"""

import lazy_loader

from calib.contract.docs import fill_docstrings

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):
    """Load a name on first use and fill in the shared paragraphs of its docstring."""
    thing = globals()[name] = _load(name)
    fill_docstrings({name: thing})
    return thing

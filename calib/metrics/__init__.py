"""Measures of calibration and discrimination; arguments are (labels, probabilities) throughout.

These are the measures of the main line: losses, the reliability curve with ECE and MCE, AUC, and
the CORP curve with its decomposition of a score. Tests, intervals and bands are in
`calibkit.inference`.

Every measure takes `sample_weight`. Weights are counts, as in the whole package. A row of weight w
stands for w copies of the row, and a row of weight 0 is not there. Measures that depend only on
the ratios of the weights take sampling weights as well, by which one outcome stands for many rows
of a population.

Some measures share their name with a measure of scikit-learn, whose value they have on clean
binary input. The docstring of each says where they differ.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

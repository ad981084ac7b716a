"""Calibration of more than two classes.

A calibrator of this package learns a map from the rows of probabilities that a classifier gives, a
column for each class, to calibrated rows. `labels` are the numbers of the columns. Names that
`calib` also has have the same meaning here: with two classes the results agree.

Examples
--------
>>> import numpy as np
>>> from calibkit.multiclass import TemperatureScaling, log_loss
>>> rng = np.random.default_rng(0)
>>> truth = rng.dirichlet([1, 1, 1], 2000)
>>> labels = [rng.choice(3, p=row) for row in truth]
>>> rows = truth**2 / np.sum(truth**2, axis=1, keepdims=True)  # twice too sure
>>> calibrator = TemperatureScaling().fit(rows[:1000], labels[:1000])
>>> round(calibrator.temperature_, 1)
2.0
>>> round(log_loss(labels[1000:], rows[1000:]), 2)
0.96
>>> round(log_loss(labels[1000:], calibrator.predict_proba(rows[1000:])), 2)
0.85
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

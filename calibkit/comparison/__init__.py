"""Compare calibrators on one array of scores: a table of gains with limits, and a line of advice.

``compare(scores, labels, calibrators=None, *, sample_weight=None, groups=None,
clusters=None, cv=5, n_repeats=None, loss="log", confidence=0.95, random_state=0,
verbose=0)`` returns a `Comparison`:

* ``recommendation`` (str), ``chosen`` (name of the default, if it was compared; else of another, or
  None), ``best_`` (that calibrator, fitted to all rows, or None) and ``notes`` (tuple of str: what
  was left out, what to beware of);
* ``results``: dict of name to `Result`, the reference first. ``reference`` is its name: "Raw" if
  the scores are probabilities, "Base rate" if they are margins;
* ``predictions``: dict of name to the out-of-fold probabilities of the first repeat;
* ``loss``, ``confidence``, ``n_repeats``, ``n_splits``: how it was done;
* ``table()``: list of flat dicts; ``plot(loss=None, ax=None)``: gains with intervals;
  ``print(comparison)``: the main columns and the recommendation.

`DEFAULTS` are the calibrators that are compared unless others are named. `Offset`, one of them, is
defined here.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""What calibrated probabilities earn more than scores by the rule "act if it pays"."""

import matplotlib.pyplot as plt
import numpy as np
from census import COST, calibrated, halves

_, new = halves()
gains = np.geomspace(1.2, 20, 60)


def profit(p):
    """Dollars for a thousand people, for each gain."""
    earned = [((gain * new.labels - COST)[p > COST / gain]).sum() for gain in gains]
    return np.array(earned) * 1000 / new.labels.size


raw, mended = profit(new.scores), profit(calibrated())
more = mended - raw
assert (more >= 0).all()
_, axes = plt.subplots(figsize=(5.6, 3.2))
axes.plot(gains, more)
axes.set(xscale="log", ylim=(0, None), xticks=[1.5, 3, 6, 12], xticklabels=[1.5, 3, 6, 12])
axes.set(xlabel="gain of an offer that is taken up, in dollars")
axes.set_ylabel("more profit for 1000 people")
axes.minorticks_off()

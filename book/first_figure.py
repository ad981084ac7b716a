"""An over-confident forecaster, and the same forecasts calibrated."""

import matplotlib.pyplot as plt

from calib import PlattScaling
from calib.metrics import reliability_curve
from calibkit.datasets import LAWS

LARGE = {"fontsize": 14}
law = LAWS["overconfident"]
learn, new = law.sample(20_000, 0), law.sample(20_000, 1)
calibrated = PlattScaling().fit(*learn).predict(new[0])
looks = {"uncalibrated": (new[0], "o", "C0"), "calibrated": (calibrated, "s", "C1")}

figure, axes = plt.subplots(figsize=(5, 4.4))
axes.plot([0, 1], [0, 1], color="0.6", linestyle=":")
for name, (p, marker, color) in looks.items():
    curve = reliability_curve(new[1], p)
    axes.plot(curve.predicted, curve.observed, marker, color=color, markersize=9, label=name)
    above = curve.observed - curve.predicted
    if name == "calibrated":
        assert abs(above).max() < 0.06
    else:
        assert above[0] > 0.1 and above[-1] < -0.1
axes.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
axes.set_xticklabels(["0 %", "50 %", "100 %"], **LARGE)
axes.set_yticklabels(["0 %", "50 %", "100 %"], **LARGE)
axes.set_xlabel("predicted probability", **LARGE)
axes.set_ylabel("observed fraction", **LARGE)
axes.legend(loc="upper left", **LARGE)

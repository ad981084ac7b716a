from .adaptive import AdaptiveCalibrator as AdaptiveCalibrator
from .adaptive import logistic_intervals as logistic_intervals
from .conformal import SelfCalibratingConformal as SelfCalibratingConformal

from .guarded import GuardedCalibrator as GuardedCalibrator
from .online_calibrators import OnlineCalibrator as OnlineCalibrator
from .online_calibrators import OnlineHistogramBinning as OnlineHistogramBinning
from .online_calibrators import OnlinePlattScaling as OnlinePlattScaling
from .sequential import BaseRateTest as BaseRateTest
from .sequential import SequentialCalibrationTest as SequentialCalibrationTest

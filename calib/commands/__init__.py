"""The command line: ``python -m calib`` and the script ``calib``."""

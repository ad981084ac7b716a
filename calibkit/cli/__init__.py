"""The command line: ``python -m calibkit`` and the script ``calib``."""

from calibkit.cli.main import main as main

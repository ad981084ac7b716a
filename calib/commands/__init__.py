"""The command line: ``python -m calib`` and the script ``calib``."""

from calib.commands.main import main as main

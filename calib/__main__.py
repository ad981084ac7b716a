"""The entry point of ``python -m calib``."""

import sys

from calib.commands import main

if __name__ == "__main__":
    sys.exit(main())

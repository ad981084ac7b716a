"""The entry point of ``python -m calibkit``."""

import sys

from calibkit.cli import main

if __name__ == "__main__":
    sys.exit(main())

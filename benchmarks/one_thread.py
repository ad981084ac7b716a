"""Import this before NumPy: every library computes on one thread."""

import os

LIBRARIES = ["OMP", "OPENBLAS", "MKL", "NUMBA"]
for name in [*(f"{library}_NUM_THREADS" for library in LIBRARIES), "POLARS_MAX_THREADS"]:
    os.environ[name] = "1"

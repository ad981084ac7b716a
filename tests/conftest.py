"""Settings for every test."""

import matplotlib

matplotlib.use("Agg")

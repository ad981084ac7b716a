"""Fitted maps: their forms, their files, and programs in other languages."""

import calib.maps.curves  # noqa: F401 (its classes register their kinds)

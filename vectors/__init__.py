"""The generator of the test vectors: definitions in exact arithmetic, without NumPy and calib."""

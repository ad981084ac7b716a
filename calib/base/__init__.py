"""The base of all calibrators: base classes, checks of input, arithmetic of probabilities, maps."""

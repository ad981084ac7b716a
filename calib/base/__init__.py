"""What a calibrator is: its base classes, checks of input, arithmetic of probabilities, maps."""

"""What a calibrator is, and where input is checked."""

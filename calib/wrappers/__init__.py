"""Calibrators around classifiers and around other calibrators."""

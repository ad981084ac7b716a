"""Faster ways to the same bits."""

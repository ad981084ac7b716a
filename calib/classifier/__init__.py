"""A classifier that calibrates itself on rows that it has not learned from."""

"""Attacks on the inequalities of the book: a search for laws on which one of them fails."""

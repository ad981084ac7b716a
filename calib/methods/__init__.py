"""The methods: one module for each, with its compiled loops, if it has any, next to it."""

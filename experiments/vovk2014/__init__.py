"""Vovk and Petej (2014): nine data sets, six classifiers."""

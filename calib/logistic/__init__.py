"""The logistic family: log-odds that are a formula in the logit of the score."""

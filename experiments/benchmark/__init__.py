"""Which calibrator? All of them on real data sets and on data whose truth is known."""

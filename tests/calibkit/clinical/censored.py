"""Four samples with censored times, whose weights by R stand in r_censoring.csv.

``python tests/calibkit/clinical/censored.py FOLDER`` writes them as CSV for r_censoring.R.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class CensoredSample(NamedTuple):
    """Times, and whether the event happened then."""

    times: NDArray[np.float64]
    events: NDArray[np.int64]


DESIGNS = {  # number of rows, rate of censoring, decimals of the times
    "little censoring": (300, 0.2, 9),
    "much censoring": (500, 1.2, 9),
    "ties": (400, 0.6, 1),
    "few rows": (40, 0.6, 9),
}
HORIZON = 1.05  # between two tenths


def censored_samples() -> dict[str, CensoredSample]:
    """The samples by name."""
    samples = {}
    for seed, (name, (n, rate, decimals)) in enumerate(DESIGNS.items()):
        rng = np.random.RandomState(seed)
        times = rng.exponential(size=n) / 0.4
        ends = rng.exponential(size=n) / rate
        samples[name] = CensoredSample(
            times=np.minimum(times, ends).round(decimals) + 0.1,
            events=(times <= ends).astype(np.int64),
        )
    return samples


if __name__ == "__main__":
    for file_name, sample in censored_samples().items():
        lines = ["time,event"]
        lines += [f"{t!r},{e}" for t, e in zip(*map(np.ndarray.tolist, sample), strict=True)]
        (Path(sys.argv[1]) / f"{file_name}.csv").write_text("\n".join(lines) + "\n")

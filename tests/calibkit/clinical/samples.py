"""Twenty validation samples, whose numbers from R stand in r_numbers.csv.

``python tests/calibkit/clinical/samples.py FOLDER`` writes them as CSV for r_numbers.R. NumPy
promises that a `RandomState` draws the same numbers in every version.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit


class ValidationSample(NamedTuple):
    """Outcomes, predictions and hospitals of the patients of a sample."""

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    clusters: NDArray[np.int64]


class _Design(NamedTuple):
    n: int
    base: float = -0.5  # mean logit of the predictions
    slope: float = 1.0
    intercept: float = 0.0
    bend: float = 0.0  # factor of the squared logit
    decimals: int = 12
    hospital_spread: float = 0.0  # standard deviation of the logits of a hospital


DESIGNS = {
    "calibrated": _Design(n=400),
    "calibrated small": _Design(n=60, base=0.0),
    "calibrated large": _Design(n=1000),
    "over-confident": _Design(n=400, slope=0.6),
    "under-confident": _Design(n=400, slope=1.6),
    "too low": _Design(n=400, intercept=0.7),
    "too high": _Design(n=400, intercept=-0.7),
    "rare": _Design(n=800, base=-3.0),
    "rare and over-confident": _Design(n=1000, base=-2.5, slope=0.5),
    "frequent": _Design(n=300, base=1.5),
    "bent": _Design(n=500, bend=0.3),
    "bent down": _Design(n=500, bend=-0.3, intercept=0.3),
    "two decimals": _Design(n=400, decimals=2),
    "one decimal": _Design(n=600, decimals=1, slope=0.7),
    "odd number": _Design(n=345, slope=0.8),
    "odd and small": _Design(n=135, intercept=0.4),
    "hospitals": _Design(n=500, hospital_spread=0.6),
    "hospitals too high": _Design(n=800, hospital_spread=0.8, intercept=-0.4),
    "hospitals over-confident": _Design(n=400, hospital_spread=0.4, slope=0.7),
    "all wrong": _Design(n=700, base=-1.5, slope=0.5, intercept=0.5, bend=0.1),
}
N_HOSPITALS = 20


def samples() -> dict[str, ValidationSample]:
    """The samples by name."""
    return {name: _drawn(design, seed) for seed, (name, design) in enumerate(DESIGNS.items())}


def _drawn(design, seed):
    rng = np.random.RandomState(seed)
    raw = expit(design.base + 1.2 * rng.normal(size=design.n)).round(design.decimals)
    probabilities = np.clip(raw, 10.0**-design.decimals, 1 - 10.0**-design.decimals)
    logits = logit(probabilities)
    clusters = rng.randint(0, N_HOSPITALS, design.n)
    shifts = design.hospital_spread * rng.normal(size=N_HOSPITALS)
    line = design.intercept + design.slope * logits + design.bend * np.square(logits)
    labels = (rng.random_sample(design.n) < expit(line + shifts[clusters])).astype(np.int64)
    return ValidationSample(labels=labels, probabilities=probabilities, clusters=clusters)


def write(folder: Path) -> None:
    """A file for each sample. The numbers are written so that they are read without loss."""
    for name, sample in samples().items():
        lines = ["z,p,hospital"]
        lines += [f"{z},{p!r},{h}" for z, p, h in zip(*map(np.ndarray.tolist, sample), strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

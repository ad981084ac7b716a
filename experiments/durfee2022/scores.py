"""Which networks of Durfee, Gupta and Basu (2022) are trained, and the record of their scores."""

from typing import NamedTuple

import numpy as np

from experiments.durfee2022.data import PROTOCOLS
from experiments.recording import RESULTS

SIZES = {"S": (64, 32, 16), "M": (128, 64, 32), "L": (256, 128, 64)}
REGULARISATIONS = ["none", "batch norm", "dropout"]
INPUTS = ["standardised", "raw"]
N_LEVELS = 256


class Budget(NamedTuple):
    """What is trained: learning rates, runs, epochs, and at most how many training rows."""

    rates: tuple
    n_runs: int
    n_epochs: int
    n_training: int | None = None


BUDGETS = {
    "quick": Budget((1e-3,), n_runs=1, n_epochs=2, n_training=5_000),
    "standard": Budget((1e-4, 1e-3, 1e-2), n_runs=3, n_epochs=30, n_training=35_000),
    "full": Budget((1e-5, 1e-4, 1e-3, 1e-2, 1e-1), n_runs=5, n_epochs=100),
}


def cases():
    """Families of networks: those that differ by the run and the learning rate alone."""
    return [
        {"dataset": dataset, "inputs": inputs, "size": size, "regularisation": regularisation}
        for inputs in INPUTS
        for dataset in PROTOCOLS
        for size in SIZES
        for regularisation in REGULARISATIONS
    ]


def quantised(scores):
    """One byte for each score, and the levels: medians of 256 groups of equal size.

    Examples
    --------
    >>> codes, levels = quantised(np.linspace(-1, 1, 1000))
    >>> bool(np.abs(levels[codes] - np.linspace(-1, 1, 1000)).max() < 0.005)
    True
    """
    levels = np.quantile(scores, (np.arange(N_LEVELS) + 0.5) / N_LEVELS).astype(np.float32)
    return np.searchsorted((levels[1:] + levels[:-1]) / 2, scores).astype(np.uint8), levels


def write_scores(case, budget, calibration, test, folder=RESULTS):
    """Record the scores of a family of networks, one byte each.

    Parameters
    ----------
    case : dict
        One of `cases`.
    budget : str
        One of `BUDGETS`; its networks stand in the order of the runs, then of the rates.
    calibration, test : ndarrays of shape (networks, rows of the part)
        Rows in the order of `experiments.durfee2022.data.split`.
    folder : path
    """
    kept = [quantised(scores) for scores in np.hstack([calibration, test])]
    path = _path(case, budget, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        codes=np.array([codes for codes, _ in kept]),
        levels=np.array([levels for _, levels in kept]),
        runs=np.repeat(np.arange(BUDGETS[budget].n_runs), len(BUDGETS[budget].rates)),
        learning_rates=np.tile(BUDGETS[budget].rates, BUDGETS[budget].n_runs),
        n_calibration=calibration.shape[1],
    )


def read_scores(case, budget, folder=RESULTS):
    """Recorded scores of a family of networks.

    Returns
    -------
    networks : list of tuple
        Run, learning rate, scores of the calibration part and of the test part.

    Raises
    ------
    FileNotFoundError
        If they have not been recorded.
    """
    path = _path(case, budget, folder)
    if not path.exists():
        raise FileNotFoundError(
            f"no recorded scores {path.name} in the folder {path.parent.name}: run python -m "
            f"experiments.durfee2022.networks --budget {budget}"
        )
    with np.load(path) as stored:
        codes, levels = stored["codes"], stored["levels"].astype(float)
        runs, rates, n_calibration = (
            stored[key].tolist() for key in ["runs", "learning_rates", "n_calibration"]
        )
    scores = np.take_along_axis(levels, codes.astype(np.int64), axis=1)
    return [
        (run, rate, own[:n_calibration], own[n_calibration:])
        for run, rate, own in zip(runs, rates, scores, strict=True)
    ]


def _path(case, budget, folder):
    name = "-".join(case[key] for key in ["dataset", "inputs", "size", "regularisation"])
    return folder / f"durfee2022_scores_{budget}" / f"{name.replace(' ', '_')}.npz"

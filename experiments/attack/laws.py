"""Laws to attack theorems with: drawn to be awkward, and moved a little.

One record serves every statement; each reads the parts that it needs.
"""

import json
from dataclasses import asdict, dataclass, replace

import numpy as np

MOST_CELLS = 6
TINY = 1e-9  # no mass is smaller


@dataclass(frozen=True, eq=False)
class Law:
    """A score with few levels, what is true there, what is said there, and a sample.

    Attributes
    ----------
    mass, truth : ndarray of shape (K,)
        P(cell) and P(z = 1 | cell), from the lowest score to the highest.
    prediction : ndarray of shape (K,)
        What a forecaster says in the cell.
    counts, positives : ndarray of shape (K,)
        Calibration points in the cell and how many of them are positive; not all counts are 0.
    group : ndarray of shape (K,)
        Number of the group, bin or set that the cell belongs to, from 0.
    spread : ndarray of shape (K,)
        Whether the scores of the cell are continuous; else the cell is an atom.
    n_bins, alpha, threshold, seed
        Bins asked for, probability of failure, a number in (0, 1), seed of what is drawn.
    """

    mass: np.ndarray
    truth: np.ndarray
    prediction: np.ndarray
    counts: np.ndarray
    positives: np.ndarray
    group: np.ndarray
    spread: np.ndarray
    n_bins: int
    alpha: float
    threshold: float
    seed: int

    @property
    def size(self):
        """Number of calibration points."""
        return int(self.counts.sum())

    @property
    def base_rate(self):
        """P(z = 1)."""
        return float(self.mass @ self.truth)

    def to_json(self):
        """The law in one line, exactly."""
        parts = asdict(self)
        arrays = {name: part.tolist() for name, part in parts.items() if hasattr(part, "tolist")}
        return json.dumps(parts | arrays)

    @classmethod
    def from_json(cls, text):
        """The law of such a line."""
        parts = json.loads(text)
        return cls(**{k: np.array(v) if isinstance(v, list) else v for k, v in parts.items()})


CELLS = ["mass", "truth", "prediction", "counts", "positives", "group", "spread"]


def draw(rng):
    """A random law: each part is often at one of its extremes."""
    k = int(rng.integers(1, MOST_CELLS + 1))
    truth, counts = _truths(rng, k), _counts(rng, k)
    return Law(
        mass=_masses(rng, k),
        truth=truth,
        prediction=_predictions(rng, truth),
        counts=counts,
        positives=rng.binomial(counts, truth if rng.random() < 0.5 else rng.random(k)),
        group=np.sort(rng.integers(0, k, k)),
        spread=rng.random(k) < rng.choice([0, 0.5, 1]),
        n_bins=int(rng.integers(1, 13)),
        alpha=float(10 ** rng.uniform(-3, -0.05)),
        threshold=float(rng.random()),
        seed=int(rng.integers(2**31)),
    )


def moved(law, rng, step):
    """The law with one part changed, by about `step` where it is a number."""
    change = rng.choice(CHANGES)
    return change(law, rng, step)


def _masses(rng, k):
    """Equal, random, or of very different size."""
    kind = rng.integers(3)
    if kind == 0:
        return np.full(k, 1 / k)
    return _shares(rng.random(k) if kind == 1 else 10 ** rng.uniform(-6, 0, k))


def _truths(rng, k):
    """Anything, only 0 and 1, rare, or nearly equal."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.random(k)
    if kind == 1:
        return rng.integers(0, 2, k).astype(float)
    if kind == 2:
        return 10 ** rng.uniform(-5, 0, k)
    return np.clip(rng.random() + 0.01 * rng.normal(size=k), 0, 1)


def _predictions(rng, truth):
    """Anything, the truth, the truth of other cells, ties, or values close together."""
    kind, k = rng.integers(5), truth.size
    if kind == 0:
        return rng.random(k)
    if kind == 1:
        return truth.copy()
    if kind == 2:
        return rng.permutation(truth)
    if kind == 3:
        return rng.choice([0, 0.5, 1], k)
    return np.clip(rng.random() + 0.02 * rng.normal(size=k), 0, 1)


def _counts(rng, k):
    """From one point in all to hundreds in a cell; some cells may be empty."""
    counts = np.floor(10 ** rng.uniform(-0.5, rng.choice([0.5, 1, 2.3]), k)).astype(int)
    counts[rng.integers(k)] += not counts.any()
    return counts


def _shares(weights):
    weights = np.maximum(weights / weights.sum(), TINY)
    return weights / weights.sum()


def _move_mass(law, rng, step):
    weights = law.mass * np.exp(3 * step * rng.normal(size=law.mass.size))
    return replace(law, mass=_shares(weights))


def _move_truth(law, rng, step):
    return replace(law, truth=_nudged(law.truth, law.prediction, rng, step))


def _move_prediction(law, rng, step):
    return replace(law, prediction=_nudged(law.prediction, law.truth, rng, step))


def _nudged(values, others, rng, step):
    """One value changed: a little, to an end, to a neighbour's, or to that of the other array."""
    values, j = values.copy(), rng.integers(values.size)
    ends = [0.0, 0.5, 1.0, rng.choice(values), others[j], values[j] * rng.random()]
    near = values[j] + step * rng.normal()
    values[j] = np.clip(near if rng.random() < 0.6 else rng.choice(ends), 0, 1)
    return values


def _move_counts(law, rng, step):
    counts, j = law.counts.copy(), rng.integers(law.counts.size)
    factor = np.exp(2 * step * rng.normal())
    counts[j] = min(np.round(counts[j] * factor) + rng.integers(-1, 2), 300)
    counts = np.maximum(counts, 0)
    counts[j] += not counts.any()
    return replace(law, counts=counts, positives=np.minimum(law.positives, counts))


def _move_positives(law, rng, step):
    j = rng.integers(law.counts.size)
    positives = law.positives.copy()
    near = positives[j] + np.round(law.counts[j] * step * rng.normal()) + rng.integers(-1, 2)
    positives[j] = np.clip(near, 0, law.counts[j])
    return replace(law, positives=positives)


def _move_group(law, rng, step):
    group = law.group.copy()
    group[rng.integers(group.size)] = rng.integers(group.size)
    return replace(law, group=np.sort(group))


def _move_numbers(law, rng, step):
    return replace(
        law,
        n_bins=int(np.clip(law.n_bins + rng.integers(-1, 2), 1, 30)),
        alpha=float(np.clip(law.alpha * np.exp(step * rng.normal()), 1e-4, 0.95)),
        threshold=float(np.clip(law.threshold + step * rng.normal(), 1e-6, 1 - 1e-6)),
    )


def _move_chance(law, rng, step):
    spread = law.spread ^ (rng.random(law.spread.size) < 0.3)
    return replace(law, spread=spread, seed=int(rng.integers(2**31)))


def _move_cells(law, rng, step):
    """One cell repeated or left out."""
    k, j = law.mass.size, rng.integers(law.mass.size)
    kept = np.delete(np.arange(k), j) if rng.random() < 0.5 else np.sort(np.append(np.arange(k), j))
    cells = {name: getattr(law, name)[kept] for name in CELLS}
    if not 1 <= kept.size <= MOST_CELLS or not cells["counts"].any():
        return law
    cells["mass"] = _shares(cells["mass"])
    cells["group"] = np.minimum(cells["group"], kept.size - 1)
    return replace(law, **cells)


CHANGES = [
    *[_move_mass, _move_truth, _move_truth, _move_prediction, _move_prediction, _move_counts],
    *[_move_positives, _move_group, _move_numbers, _move_chance, _move_cells],
]

"""Numbers of an erratum: an increasing map with a plateau changes the AUC, in both directions."""

from itertools import combinations, product

import numpy as np
from sklearn.metrics import roc_auc_score

# Score, label; three objects each. A plateau joins the scores 2 and 3.
FALLS = ([1, 2, 3], [0, 0, 1])
RISES = ([1, 2, 3, 4], [0, 1, 0, 1])
PLATEAU = {1: 1, 2: 2, 3: 2, 4: 4}


def auc(scores, labels):
    """Share of pairs in the right order, a tie counting one half, by looking at every pair."""
    positive, negative = (
        [s for s, z in zip(scores, labels, strict=True) if z == c] for c in (1, 0)
    )
    pairs = list(product(positive, negative))
    return sum((p > n) + 0.5 * (p == n) for p, n in pairs) / len(pairs)


def plateaus(k):
    """All increasing maps of k scores that have at least one plateau, as cuts between levels."""
    for size in range(k - 1):
        yield from combinations(range(1, k), size)


def numbers():
    """The two examples, and all increasing maps of all label sequences of six scores."""
    found = {}
    for name, (scores, labels) in [("falls", FALLS), ("rises", RISES)]:
        mapped = [PLATEAU[s] for s in scores]
        found[f"{name}_before"] = f"{auc(scores, labels):.3f}"
        found[f"{name}_after"] = f"{auc(mapped, labels):.3f}"
        assert auc(mapped, labels) == roc_auc_score(labels, mapped)
    counts = {"lower": 0, "equal": 0, "higher": 0}
    scores = np.arange(6)
    for labels in product([0, 1], repeat=6):
        if 0 < sum(labels) < 6:
            before = auc(scores, labels)
            for cuts in plateaus(6):
                change = auc(np.searchsorted(cuts, scores, side="right"), labels) - before
                counts["lower" if change < 0 else "higher" if change > 0 else "equal"] += 1
            assert auc(scores**3 + scores, labels) == before  # strictly increasing
    return found | counts | {"all": sum(counts.values())}

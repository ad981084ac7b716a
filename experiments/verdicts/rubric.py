"""When a headline is right, misleading or wrong: rules, and what an ideal test would have found."""

import numpy as np
from scipy.special import xlogy
from scipy.stats import norm

from calib.metrics import roc_auc_score

LEVEL = 0.05
LOOKS = 1000  # ranges and groups that a test of all of them has to pay for
POWER = 0.9  # with which an ideal test finds what must be found
N_BLOCKS = 200  # of neighbouring rows: ranges begin and end with them
WANTED = 0.2  # a bias of this part of the rarer class must be found before one may be silent
HARM = 1e-4  # by which advice makes the true log loss larger than that of the scores
TOO_GOOD = 0.99  # AUC from which one must ask whether these are training rows, or a leak
RIGHT, MISLEADING, WRONG = "right", "misleading", "wrong"


def power_of(file):
    """Probability with which a test of many ranges finds the worst range of the file.

    The test divides the sum of the residuals of a range, of all rows or of a part, by its standard
    deviation under calibration, and has the level of 5 % over a thousand such looks by Bonferroni.
    The range is the one in which the truth is easiest to find: no test that has to look everywhere
    can be expected to do much better, and undetectable errors are nobody's fault.
    """
    if file.parts is None:
        return _power(file, np.ones(file.scores.size, bool))
    names = np.unique(file.parts)
    every = [np.ones(file.scores.size, bool), *(file.parts == name for name in names)]
    return max(_power(file, rows) for rows in every)


def _power(file, rows):
    scores, chance = file.scores[rows], file.chance[rows]
    order = np.argsort(scores, kind="stable")
    weights = np.ones(order.size) if file.weights is None else file.weights[rows][order]
    squares = weights if file.weight_kind == "counts" else weights**2
    scores, chance = scores[order], chance[order]
    errors = _sums(weights * (chance - scores))
    claimed = _sums(squares * scores * (1 - scores))
    true = _sums(squares * chance * (1 - chance))
    first, last = np.triu_indices(errors.size, 1)
    shift = np.abs(errors[last] - errors[first]) / np.sqrt(file.repeats)
    noise = np.sqrt(np.maximum(claimed[last] - claimed[first], 0))
    spread = np.sqrt(np.maximum(true[last] - true[first], 0))
    room = shift - norm.isf(LEVEL / LOOKS / 2) * noise
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(spread > 0, norm.cdf(room / spread), room > 0)
    return float(found.max(initial=0.0))


def _sums(values):
    """Cumulative sums at the ends of the blocks, beginning with 0."""
    ends = np.unique(np.linspace(0, values.size, min(N_BLOCKS, values.size) + 1).astype(int))
    return np.append(0.0, np.cumsum(values))[ends]


def seen_at_once(file):
    """Whether the file has the power to find a bias of a fifth of its rarer class."""
    size = file.scores.size / file.repeats
    rate = np.mean(file.scores)
    rate = min(rate, 1 - rate)
    needed = norm.isf(LEVEL / 2) + norm.ppf(POWER)
    return WANTED * rate * np.sqrt(size) > needed * np.sqrt(rate * (1 - rate))


def is_calibrated(fresh):
    """Whether scores are the true probabilities, in each group."""
    return bool(np.allclose(fresh.truth, fresh.scores, rtol=1e-9, atol=1e-12))


def wrong_groups(fresh):
    """Names of the groups in which the scores are not the true probabilities."""
    if fresh.groups is None:
        return frozenset()
    off = np.abs(fresh.truth - fresh.scores) > 1e-9
    return frozenset(np.unique(fresh.groups[off]).tolist())


def hits(fresh, verdict):
    """What the verdict names: "hit" if some of it is wrong, "missed" if nothing is, or "none"."""
    off = np.abs(fresh.truth - fresh.scores) > 1e-9
    in_ranges = [
        np.any(off & (fresh.scores >= lowest) & (fresh.scores <= highest))
        for lowest, highest in verdict.ranges
    ]
    in_groups = [name in wrong_groups(fresh) for name in verdict.groups]
    named = in_groups or in_ranges  # a group says more than a range
    return "none" if not named else "hit" if any(named) else "missed"


def judged(truth, file, verdict, power):
    """Whether a headline is right.

    * Scores that are no probabilities must be called so.
    * Rows that the classifier learned from say nothing of those that come. That must be remarked
      where an AUC of 0.99 asks for it; from there down such a file looks like any other.
    * If scores are calibrated, "miscalibrated" is wrong, and "cannot say" misleading where a bias
      of a fifth of the rarer class would be found in nine of ten files.
    * If they are not, "miscalibrated" is right unless what it names is right, or it blames all rows
      for the error of some groups. Silence is right where the ideal test is silent, too, and it
      says what can escape; and where the remark is what there is to say (reversed, a drift).

    Parameters
    ----------
    truth : Truth
    file : File
    verdict : Verdict
    power : float
        From `power_of`.

    Returns
    -------
    headline : {"right", "misleading", "wrong"}
    """
    caught = truth.flags & verdict.flags
    if "no probabilities" in truth.flags:
        return RIGHT if caught else WRONG
    if "training rows" in truth.flags:
        silent = not caught and verdict.outcome != "cannot say"
        return MISLEADING if silent and betrays_itself(file) else RIGHT
    if is_calibrated(file.fresh) and "drift" not in truth.flags:
        if verdict.outcome == "miscalibrated":
            return WRONG
        if verdict.outcome == "cannot say" and seen_at_once(file) and not caught:
            return MISLEADING
        return RIGHT
    if verdict.outcome == "miscalibrated":
        return _of_miscalibrated(file, verdict, power)
    if caught - {"copies"}:
        return RIGHT
    if power >= POWER or not verdict.says_what_escapes:
        return MISLEADING
    return RIGHT


def betrays_itself(file):
    """Whether the scores rank the outcomes too well to be believed."""
    return roc_auc_score(file.labels, file.scores) >= TOO_GOOD


def _of_miscalibrated(file, verdict, power):
    fresh, named = file.fresh, hits(file.fresh, verdict)
    off = wrong_groups(fresh)
    if named == "missed":
        return MISLEADING
    if off and off != set(np.unique(fresh.groups).tolist()):  # some groups are right
        blamed = off & set(verdict.groups)
        return RIGHT if blamed or power < POWER else MISLEADING
    return RIGHT


def log_loss(truth, p, weights=None, least=1e-6):
    """Expected log loss of new rows; predictions are kept `least` away from 0 and 1."""
    p = np.clip(p, least, 1 - least)
    return float(np.average(-xlogy(truth, p) - xlogy(1 - truth, 1 - p), weights=weights))


def cost(truth, p, threshold, weights=None):
    """Expected cost of acting beyond a threshold that is right for the costs of both mistakes."""
    act = p > threshold
    return float(
        np.average(np.where(act, (1 - truth) * threshold, truth * (1 - threshold)), weights=weights)
    )


def thresholds(fresh):
    """A third of the odds of the base rate, the odds, and three times the odds."""
    rate = np.average(fresh.truth, weights=fresh.weights)
    odds = rate / (1 - rate) * np.array([1 / 3, 1.0, 3.0])
    return odds / (1 + odds)

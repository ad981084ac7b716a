"""What a comparison recommends, in words."""

import math

from calib.comparison.guide import with_few_rows
from calib.comparison.result import LOSSES, REFERENCES, Result

ENOUGH = 2_000  # rows, from which on intervals held in simulations what they promise


def advise(
    results: dict[str, Result],
    certain: set[str],
    reference: str,
    loss: str,
    confidence: float,
    n_rows: int,
) -> tuple[str | None, str]:
    """The calibrator to take, or None, and the reason.

    It is the one of smallest loss among those whose gain has an interval above 0. `certain` names
    those that predict exactly 0 or 1 in some rows.
    """
    others = {name: result for name, result in results.items() if name != reference}
    better = [name for name, result in others.items() if result.gain(loss).lower > 0]
    if not better:
        nothing = _nothing(others, reference, loss, confidence)
        return None, nothing + with_few_rows(n_rows, reference == "Raw")
    chosen = min(better, key=lambda name: others[name].loss(loss))
    text = _something(chosen, results, reference, loss, confidence)
    if loss == "log" and chosen in certain:
        text += " It predicts exactly 0 or 1 in some rows: one surprise there costs infinite loss."
    return chosen, text


def infinite_losses(results: dict[str, Result]) -> list[str]:
    """A sentence on the methods that gave an outcome probability 0, if there are any."""
    infinite = [name for name, result in results.items() if math.isinf(result.log_loss)]
    if not infinite:
        return []
    return [
        f"Infinite log loss, because an outcome came that had been given probability 0: "
        f"{', '.join(infinite)}. Nothing is clipped; the Brier score is finite."
    ]


def rough_intervals(n_rows: int) -> list[str]:
    """A sentence on intervals by cross-validation, if there are too few rows to believe them."""
    if n_rows >= ENOUGH:
        return []
    return [
        f"With fewer than {ENOUGH:,} rows an interval may hold less often than it promises: it "
        "is a rough guide."
    ]


def _something(chosen, results, reference, loss, confidence):
    gain = results[chosen].gain(loss)
    than = REFERENCES[reference]
    if math.isinf(gain.estimate):
        why = "infinite"
    else:
        why = f"larger by {gain.estimate:.3g} ({_limits(gain, confidence)})"
        why += _together(len(results) - 1)
    text = (
        f"Calibrate by {chosen}: its {LOSSES[loss]} is {results[chosen].loss(loss):.3g}, "
        f"and that of {than} is {why}."
    )
    smaller = [n for n, r in results.items() if r.loss(loss) < results[chosen].loss(loss)]
    if smaller:
        text += f" Smaller yet, but with a gain whose interval holds 0: {', '.join(smaller)}."
    return text


def _nothing(others, reference, loss, confidence):
    if reference == "Raw":
        text = "Keep the raw scores: "
    else:
        text = "Do not turn these scores into probabilities: "
    finite = [name for name, result in others.items() if math.isfinite(result.loss(loss))]
    if not finite:
        return f"{text}the {LOSSES[loss]} of every calibrator is infinite; compare by loss='brier'."
    best = min(finite, key=lambda name: others[name].loss(loss))
    gain = others[best].gain(loss)
    what, than = LOSSES[loss], REFERENCES[reference]
    if gain.estimate > 0:
        which = f"the gain of {best}, {gain.estimate:.3g} in {what} over {than}, may be chance"
    else:
        larger = f"larger by {-gain.estimate:.3g}" if gain.estimate else "the same"
        which = f"no calibrator has a smaller {what} than {than}; that of {best} is {larger}"
    return f"{text}{which} ({_limits(gain, confidence)} of the gain){_together(len(others))}."


def _limits(gain, confidence):
    return f"{100 * confidence:g} % interval {gain.lower:.3g} to {gain.upper:.3g}"


def _together(n_compared):
    return f", allowing for the choice among {n_compared}" if n_compared > 1 else ""

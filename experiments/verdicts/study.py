"""The experiments: of every truth files, the verdict on them, and what the advice costs."""

import warnings

import numpy as np

from calib import StackedCalibrator
from calib.base.protocol import calibrated, fitted
from calibkit.comparison import DEFAULTS
from calibkit.groups import MondrianVennAbers
from experiments.recording import Experiment
from experiments.verdicts import rubric
from experiments.verdicts.truths import ADVICE_SEEDS, LARGE, SEEDS, TRUTHS
from experiments.verdicts.verdict import advice_of, look_at_file, verdict_of

SEED = 24  # on the files of 23 rules of the report were mended
ADVICE_SEED = 28  # on those of 25 to 27 the rule of the advice was chosen
MANY = 50_000  # rows, above which the oracle knows the quick candidates alone
SLOW = {"BBQ", "ENIR"}
LEARNED = {"training rows", "mild training rows"}  # families of which the user knows that they are


def drawn(case, seed):
    """The truth of a case, and a file of it."""
    truth = TRUTHS[case["truth"]]
    rng = np.random.default_rng([seed, case["seed"], *case["truth"].encode()])
    return truth, truth.draw(rng, truth.rows)


def headline_of(case):
    """One file: a row that says whether its headline is right."""
    truth, file = drawn(case, SEED)
    verdict = verdict_of(looked(file))
    fresh, power = file.fresh, rubric.power_of(file)
    groups = set() if fresh.groups is None else set(np.unique(fresh.groups).tolist())
    right = groups - rubric.wrong_groups(fresh)
    row = {
        "family": truth.family,
        "calibrated": int(rubric.is_calibrated(fresh) and "drift" not in truth.flags),
        "power": power,
        "outcome": verdict.outcome,
        "headline": rubric.judged(truth, file, verdict, power),
        "named": rubric.hits(fresh, verdict),
        "right_groups": len(right),
        "right_groups_named": len(right & set(verdict.groups)),
        "true_flags": _joined(truth.flags),
        "caught": _joined(truth.flags & verdict.flags),
        "false_alarms": _joined(verdict.flags - truth.flags),
    }
    return [row]


def advice_on(case):
    """One file: a row with the losses of four policies."""
    truth, file = drawn(case, ADVICE_SEED)
    look, fresh = looked(file), file.fresh
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        advice = advice_of(look, learned=truth.family in LEARNED)
        policies = predictions(file, advice)
    losses = {name: rubric.log_loss(fresh.truth, p, fresh.weights) for name, p in policies.items()}
    row = {
        "family": truth.family,
        "true_flags": _joined(truth.flags),
        "outcome": look.finding.outcome,
        "advice": advice.kind,
        "estimator": advice.name,
        "harm": int(losses["advised"] > losses["keep"] + rubric.HARM),
        "oracle": min(losses, key=losses.get),
        **_four("loss", losses),
    }
    for k, threshold in enumerate(rubric.thresholds(fresh), 1):
        costs = {
            name: rubric.cost(fresh.truth, p, threshold, fresh.weights)
            for name, p in policies.items()
        }
        row |= _four(f"cost{k}", costs)
    return [row]


def looked(file):
    """What a report finds in a file, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return look_at_file(file)


def predictions(file, advice):
    """Probabilities of new rows: advised, kept, of the average, and of all other candidates."""
    base = np.full(file.fresh.scores.size, np.average(file.labels, weights=file.weights))
    in_unit = min(file.scores.min(), file.fresh.scores.min()) >= 0
    in_unit = in_unit and max(file.scores.max(), file.fresh.scores.max()) <= 1
    keep = file.fresh.scores if in_unit else base
    found = {"keep": keep}
    found["always"] = probabilities(StackedCalibrator(), file)
    advised = probabilities(advice.estimator, file) if advice.kind == "fit" else None
    found["advised"] = keep if advised is None else advised
    if file.groups is not None:
        found["Mondrian Venn-Abers"] = probabilities(MondrianVennAbers(), file)
    for default in [one for one in DEFAULTS if in_unit or not one.calibrator.unit_scores]:
        if file.scores.size <= MANY or default.name not in SLOW:
            found[default.name] = probabilities(default.calibrator, file)
    return {name: keep if p is None else p for name, p in found.items()}


def probabilities(calibrator, file):
    """Of new rows by a calibrator fitted to the file; None if it refuses the file."""
    try:
        model = fitted(calibrator, file.scores, file.labels, file.weights, file.groups)
        return calibrated(model, file.fresh.scores, file.fresh.groups)
    except ValueError:
        return None


def _four(what, values):
    """A loss of the four policies."""
    named = {name: values[name] for name in ("keep", "always", "advised")}
    named["oracle"] = min(values.values())
    return {f"{what}_{name}": value for name, value in named.items()}


def _joined(names):
    return "; ".join(sorted(names)) or "-"


def cases(most):
    """Every truth and seed, the first files of all truths first; of slow truths fewer."""
    seeds = {name: min(most, truth.seeds) for name, truth in TRUTHS.items()}
    every = range(max(seeds.values()))
    return [{"truth": name, "seed": k} for k in every for name in TRUTHS if k < seeds[name]]


VERDICTS = Experiment(
    name="verdicts",
    title=f"The verdict of the report on files of {len(TRUTHS)} known truths",
    seed=SEED,
    cases=lambda: cases(SEEDS),
    run_case=headline_of,
    deviations=(
        "The list of truths and files of the seed 23 led to two changes of the report: weights of "
        "a sample, and the level at which a drift is remarked. No rule of the verdict was changed "
        "after a file that is recorded here was seen.",
        f"Truths of more than {LARGE:,} rows and those with a network have fewer files.",
    ),
)
ADVICE = Experiment(
    name="verdicts_advice",
    title="What the advice of the report costs, on files of the same truths",
    seed=ADVICE_SEED,
    cases=lambda: cases(ADVICE_SEEDS),
    run_case=advice_on,
    deviations=(
        "The rule of the advice was chosen by files of other seeds.",
        "Losses are expected ones, at 20,000 points of the law of new rows; predictions are kept "
        "1e-6 away from 0 and 1 in the log loss.",
    ),
)

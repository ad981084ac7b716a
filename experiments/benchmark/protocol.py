"""The benchmark on real data sets: what is run, and what is measured."""

import math

from sklearn.model_selection import train_test_split

from calib.metrics import log_loss, roc_auc_score, score_decomposition
from calibkit.inference import debiased_squared_error, kuiper_error, smooth_ece
from experiments.benchmark.calibrators import predictions, predictions_by_parts
from experiments.benchmark.data import (
    DATA_SETS,
    FEWEST_POSITIVES,
    FEWEST_ROWS,
    LEFT_OUT,
    MOST_CALIBRATION,
    MOST_TEST,
    MOST_TRAINING,
    SEED,
    Sample,
    seed_of,
    split,
)
from experiments.benchmark.models import MODELS, fitted, probabilities
from experiments.recording import Experiment

N_SPLITS = 5
FEW, SPLITS_WITH_FEW = 200, 3
DIGITS = 5


def run_case(case):
    """One base model on one split of one data set: a row a calibrator and calibration size."""
    training, calibration, test = split(case["dataset"], case["split"])
    seed = seed_of(case["dataset"], case["split"])
    model = fitted(case["model"], training.X, training.labels, seed)
    test_scores = probabilities(model, test.X)
    rows = []
    for part in calibration_samples(calibration, case["split"], seed):
        scores = probabilities(model, part.X)
        found = [
            *predictions(scores, part.labels, test_scores),
            *predictions_by_parts(training, part, scores, test, test_scores),
        ]
        about = {"points": part.labels.size}
        rows += [
            {**about, "calibrator": name, **measures(test.labels, p), "seconds": rounded(seconds)}
            for name, p, seconds in found
        ]
    return rows


def calibration_samples(calibration, number, seed):
    """All calibration rows, and in the first splits 200 of 400 or more."""
    yield calibration
    if number < SPLITS_WITH_FEW and calibration.labels.size >= 2 * FEW:
        few, _, labels, _ = train_test_split(
            calibration.X,
            calibration.labels,
            train_size=FEW,
            stratify=calibration.labels,
            random_state=seed % 2**32,
        )
        yield Sample(few, labels)


def measures(labels, p):
    """The measures of the benchmark; log loss is not clipped, and may be infinite."""
    brier = score_decomposition(labels, p)
    found = {
        "log_loss": log_loss(labels, p),
        "brier": brier.score,
        "mcb": brier.miscalibration,
        "dsc": brier.discrimination,
        "kuiper": kuiper_error(labels, p),
        "smooth_ece": smooth_ece(labels, p),
        "debiased": _debiased(labels, p),
        "auc": roc_auc_score(labels, p),
    }
    refuted = int(((labels == 1) & (p == 0)).sum() + ((labels == 0) & (p == 1)).sum())
    return {name: rounded(value) for name, value in found.items()} | {"refuted": refuted}


def _debiased(labels, p):
    """The debiased squared error; NaN where ties leave a bin with one point, of no variance."""
    try:
        return debiased_squared_error(labels, p)
    except ValueError:
        return math.nan


def rounded(value):
    """To five decimals, as recorded; infinity stays."""
    return round(value, DIGITS) if math.isfinite(value) else value


def cases():
    """All cases, the first split of every data set first."""
    return [
        {"dataset": one.name, "model": model, "split": number}
        for number in range(N_SPLITS)
        for one in DATA_SETS
        for model in MODELS
    ]


BENCHMARK = Experiment(
    name="benchmark",
    title=f"Calibrators on {len(DATA_SETS)} real data sets, {len(MODELS)} base models",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        f"Data sets of fewer than {FEWEST_ROWS} rows or {FEWEST_POSITIVES} rows of the rarer "
        "class are left out, and those that repeat another: "
        + "; ".join(f"{name} ({why})" for name, why in LEFT_OUT.items())
        + ".",
        f"Half of the rows train the base model (at most {MOST_TRAINING}), a quarter calibrates "
        f"(at most {MOST_CALIBRATION}), the rest tests (at most {MOST_TEST}), stratified; also "
        f"{FEW} of the calibration rows where there are {2 * FEW}, in the first "
        f"{SPLITS_WITH_FEW} splits.",
        "Medians, scales and categories are learnt from the training rows. Base models have "
        "scikit-learn's defaults but for 1000 iterations of logistic regression and a network "
        "with 32 hidden units, learning rate 0.01 and 40 epochs; they are not tuned.",
        "The score is the predicted probability, for the SVM the sigmoid of its margin: 'Platt "
        "on logits' sees the margin there. Naive Bayes and forests give exact 0 and 1; calibrators "
        "of logits keep them within [2**-53, 1 - 2**-53], the raw row and the others do not.",
        "Calibrators have their defaults: nothing is tuned but by 'Chosen by CV' and 'KDE by "
        "likelihood', on the calibration rows.",
        "'Chosen by CV' was recorded later than the rest, once CalibratorCV dealt rows to folds at "
        "random; base models were trained again for it, and 1,880 of their 1,890 rows were equal. "
        "Its seconds are those of the first time.",
        "Numbers are rounded to five decimals; 'refuted' counts test rows with probability 0 for "
        "what came.",
    ),
    datasets=tuple(one.name for one in DATA_SETS),
)

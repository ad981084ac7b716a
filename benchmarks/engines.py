"""Measures by DuckDB, polars-ds and torchmetrics, each on one thread, and what they differ by.

Each function takes labels and scores, brings them to its engine, and returns what computes the
measure: bringing them is not timed. `differences` compares with `calib` on scores with ties.
"""

import duckdb
import numpy as np
import polars
import polars_ds
import pyarrow
import torch
from torchmetrics.functional import classification

from calib import metrics

torch.set_num_threads(1)

AUC = """
    WITH tied AS (
        SELECT score, sum(label) AS positives, count(*) - sum(label) AS negatives
        FROM rows GROUP BY score
    ), counted AS (
        SELECT *, sum(negatives) OVER (ORDER BY score) - negatives AS below FROM tied
    )
    SELECT sum(positives * (below + negatives / 2)) / (sum(positives) * sum(negatives))
    FROM counted
"""
ECE = """
    WITH bins AS (
        SELECT abs(sum(label - score)) AS residual FROM rows
        GROUP BY least(floor(10 * score), 9)
    )
    SELECT sum(residual) / (SELECT count(*) FROM rows) FROM bins
"""
BRIER = "SELECT avg((label - score) ** 2) FROM rows"
LOG_LOSS = "SELECT -avg(ln(CASE WHEN label = 1 THEN score ELSE 1 - score END)) FROM rows"


def in_duckdb(query):
    """A measure by a query on a table `rows` in memory, with the columns label and score."""

    def make(labels, scores):
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        arrow = pyarrow.table({"label": labels, "score": scores})
        connection.register("arrow", arrow)
        connection.execute("CREATE TABLE rows AS SELECT * FROM arrow")
        return lambda: connection.execute(query).fetchone()[0]

    return make


def in_polars(expression):
    """A measure by an expression of polars-ds in the columns label and score."""

    def make(labels, scores):
        frame = polars.DataFrame({"label": labels, "score": scores})
        return lambda: frame.select(expression).item()

    return make


def in_torch(measure, **options):
    """A measure of torchmetrics, of (scores, labels)."""

    def make(labels, scores):
        tensors = torch.from_numpy(scores), torch.from_numpy(labels)
        return lambda: float(measure(*tensors, validate_args=False, **options))

    return make


ENGINES = {
    "AUC": {
        "DuckDB": in_duckdb(AUC),
        "polars-ds query_roc_auc": in_polars(polars_ds.query_roc_auc("label", "score")),
        "torchmetrics binary_auroc": in_torch(classification.binary_auroc),
    },
    "Log loss": {
        "DuckDB": in_duckdb(LOG_LOSS),
        "polars-ds query_log_loss": in_polars(polars_ds.query_log_loss("label", "score")),
    },
    "Brier score": {"DuckDB": in_duckdb(BRIER)},
    "ECE, ten bins of equal width": {
        "DuckDB": in_duckdb(ECE),
        "torchmetrics binary_calibration_error": in_torch(
            classification.binary_calibration_error, n_bins=10
        ),
    },
}
OURS = {
    "AUC": metrics.roc_auc_score,
    "Log loss": metrics.log_loss,
    "Brier score": metrics.brier_score_loss,
    "ECE, ten bins of equal width": lambda z, p: metrics.expected_calibration_error(
        z, p, strategy="uniform"
    ),
}


def differences(task, n=10_000):
    """A sentence: how far the engines are from `calib` on scores of two decimals."""
    rng = np.random.default_rng(n)
    scores = np.round(rng.random(n), 2).clip(0.01, 0.99)
    labels = (rng.random(n) < scores**2).astype(np.int64)
    ours = OURS[task](labels, scores)
    gaps = [
        f"{name} {abs(make(labels, scores)() - ours):.1g}" for name, make in ENGINES[task].items()
    ]
    return f"On {n} scores of two decimals the differences from calib are: {', '.join(gaps)}."

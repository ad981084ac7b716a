"""Write the extract of CalArena's tables that the book reads, `results/published/calarena/`.

Run as ``python tools/extract_calarena.py FOLDER``, where FOLDER has the folders ``tabrepo-binary``,
``tabarena-binary`` and ``cv-binary`` of the ``results`` of ``probkit/CalArena`` on GitHub.
The extract has two of their measures, log loss and Brier score, in seven significant digits, a
column a method, for the twenty methods of their paper.
"""

import sys
from pathlib import Path

import pandas as pd

TARGET = Path(__file__).resolve().parents[1] / "results" / "published" / "calarena"
BENCHMARKS = ["tabrepo-binary", "tabarena-binary", "cv-binary"]
KEYS = ["dataset", "model", "cal_size", "test_size"]
MEASURES = {"logloss": "log_loss", "brier": "brier"}
METHODS = """
Base-model Hist-uniform Hist-quantile Scaling-Binning BBQ Isotonic CIR Venn-Abers TS ETS
Platt-probs Platt-logits Quadratic Beta Spline CDF-Spline Kernel XGBoost LightGBM CatBoost
""".split()


def extract(folder, benchmark, measure):
    """One measure of all methods on one benchmark: a row a data set and base model."""
    columns = {}
    for method in METHODS:
        found = pd.read_csv(Path(folder) / benchmark / f"{method}.csv").set_index(KEYS)
        columns[method] = found[f"{method}_{measure}"]
    table = pd.DataFrame(columns)  # aligned by the keys
    assert len(table) == len(found)
    return table.reset_index().assign(benchmark=benchmark)[["benchmark", *KEYS, *METHODS]]


if __name__ == "__main__":
    for measure, name in MEASURES.items():
        parts = [extract(sys.argv[1], benchmark, measure) for benchmark in BENCHMARKS]
        path = TARGET / f"{name}.csv"
        pd.concat(parts).to_csv(path, index=False, float_format="%.7g", lineterminator="\n")
        print(path.name)

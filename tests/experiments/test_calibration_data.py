import numpy as np

from experiments import recorded
from experiments.naeini2014.calibration_data import CALIBRATION_DATA, run_case, sample


def test_a_slice_of_the_recorded_rows_comes_out_again():
    rows = recorded(CALIBRATION_DATA.name)
    case = {"dataset": "digits", "classifier": "tree", "run": 3}
    chosen = np.all([rows[key] == value for key, value in case.items()], axis=0)
    again = run_case(case)
    assert [row["scheme"] for row in again] == rows["scheme"][chosen].tolist()
    for name in ["RMSE", "AUC", "ECE"]:
        np.testing.assert_allclose([row[name] for row in again], rows[name][chosen], rtol=1e-3)


def test_the_law_is_a_probability_and_the_samples_do_not_overlap():
    X, X_test, y, y_test = sample("noisy law", np.random.default_rng(0))
    assert (len(y), len(y_test)) == (200, 5000)
    assert not set(map(bytes, X)) & set(map(bytes, X_test))
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    assert abs(y.mean() - y_test.mean()) < 0.01

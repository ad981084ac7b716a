"""CalibratedClassifier: the calibration sets by hand, routing, and its refusals."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from calib import (
    CalibratedClassifier,
    HistogramBinning,
    IsotonicCalibrator,
    PlattScaling,
    StackedCalibrator,
)

X, Y = make_classification(300, 5, n_informative=3, flip_y=0.2, weights=[0.6], random_state=0)
X3, Y3 = load_iris(return_X_y=True)
CV_FORMS = [
    0.3,
    3,
    "leave_one_out",
    "same",
    "prefit",
    StratifiedKFold(4),
    [(range(200), range(300))],
]


def fitted(*arguments, data=(X, Y), sample_weight=None, **settings):
    return CalibratedClassifier(*arguments, **settings).fit(*data, sample_weight=sample_weight)


# The calibration set


@pytest.mark.parametrize("data", [(X, Y), (X3, Y3)], ids=["binary", "multi-class"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "calibrator, method, tolerance",
    [
        (PlattScaling(), "sigmoid", 1e-4),  # scikit-learn's optimiser stops early
        (IsotonicCalibrator(), "isotonic", 1e-12),
    ],
)
def test_folds_agree_with_scikit_learn(data, weighted, calibrator, method, tolerance):
    weights = np.random.default_rng(0).uniform(0.5, 2, data[1].size) if weighted else None
    ours = fitted(GaussianNB(), calibrator, cv=4, data=data, sample_weight=weights)
    theirs = CalibratedClassifierCV(GaussianNB(), method=method, cv=4, ensemble=False)
    theirs.fit(*data, sample_weight=weights)
    np.testing.assert_allclose(
        ours.predict_proba(data[0]), theirs.predict_proba(data[0]), rtol=0, atol=tolerance
    )
    assert len(ours.calibrators_) == (1 if data[1] is Y else 3)


@pytest.mark.parametrize("data", [(X, Y), (X3, Y3)], ids=["binary", "multi-class"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "calibrator, method, tolerance",
    [(PlattScaling(), "sigmoid", 1e-4), (IsotonicCalibrator(), "isotonic", 1e-12)],
)
def test_ensembles_agree_with_scikit_learn(data, weighted, calibrator, method, tolerance):
    weights = np.random.default_rng(0).uniform(0.5, 2, data[1].size) if weighted else None
    ours = fitted(GaussianNB(), calibrator, cv=4, ensemble=True, data=data, sample_weight=weights)
    theirs = CalibratedClassifierCV(GaussianNB(), method=method, cv=4, ensemble=True)
    theirs.fit(*data, sample_weight=weights)
    np.testing.assert_allclose(
        ours.predict_proba(data[0]), theirs.predict_proba(data[0]), rtol=0, atol=tolerance
    )
    assert len(ours.members_) == 4 and ours.n_features_in_ == data[0].shape[1]
    for name in ["estimator_", "calibrators_"]:
        with pytest.raises(AttributeError, match="several classifiers .* members_"):
            getattr(ours, name)


@pytest.mark.parametrize("cv", [0.3, "same", "prefit"])
def test_a_single_split_is_the_same_with_or_without_ensemble(cv):
    estimator = GaussianNB().fit(X, Y)
    one, other = (
        fitted(estimator, IsotonicCalibrator(), cv=cv, ensemble=ensemble, random_state=0)
        for ensemble in [False, True]
    )
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert other.estimator_ is other.members_[0][0]


def test_an_ensemble_wants_every_class_in_every_fold():
    with pytest.raises(ValueError, match="class 0 has no row .* the calibration rows"):
        fitted(cv="leave_one_out", ensemble=True)


def test_a_share_is_held_out_of_the_training():
    model = fitted(LogisticRegression(), PlattScaling(), cv=0.25, random_state=7)
    ((training, held_out),) = StratifiedShuffleSplit(1, test_size=0.25, random_state=7).split(X, Y)
    by_hand = LogisticRegression().fit(X[training], Y[training])
    np.testing.assert_array_equal(model.estimator_.coef_, by_hand.coef_)
    calibrator = PlattScaling().fit(by_hand.decision_function(X[held_out]), Y[held_out])
    np.testing.assert_array_equal(
        model.predict_proba(X)[:, 1], calibrator.predict(by_hand.decision_function(X))
    )
    again = fitted(LogisticRegression(), PlattScaling(), cv=0.25, random_state=7)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    other = fitted(LogisticRegression(), PlattScaling(), cv=0.25, random_state=8)
    assert np.any(other.predict_proba(X) != model.predict_proba(X))


def test_leave_one_out_scores_each_row_without_it():
    rows = slice(0, 60)
    scores = cross_val_predict(
        GaussianNB(), X[rows], Y[rows], cv=LeaveOneOut(), method="predict_proba"
    )
    model = fitted(GaussianNB(), PlattScaling(), cv="leave_one_out", data=(X[rows], Y[rows]))
    by_hand = PlattScaling().fit(scores[:, 1], Y[rows])
    assert model.calibrators_[0].slope_ == pytest.approx(by_hand.slope_, rel=1e-9)
    np.testing.assert_array_equal(
        model.estimator_.theta_, GaussianNB().fit(X[rows], Y[rows]).theta_
    )
    splitter = fitted(GaussianNB(), PlattScaling(), cv=LeaveOneOut(), data=(X[rows], Y[rows]))
    np.testing.assert_array_equal(splitter.predict_proba(X), model.predict_proba(X))


def test_same_takes_the_training_scores():
    model = fitted(DecisionTreeClassifier(random_state=0), IsotonicCalibrator(), cv="same")
    np.testing.assert_array_equal(model.predict(X), Y)  # overfits, as documented
    honest = fitted(DecisionTreeClassifier(random_state=0), IsotonicCalibrator(), cv=5)
    assert honest.predict_proba(X)[:, 1].max() < 0.95


def test_prefit_calibrates_and_leaves_the_classifier_alone():
    classifier = LogisticRegression().fit(X[:150], Y[:150])
    before = pickle.dumps(classifier)
    model = fitted(classifier, PlattScaling(), cv="prefit", data=(X[150:], Y[150:]))
    assert model.estimator_ is classifier and pickle.dumps(classifier) == before
    by_hand = PlattScaling().fit(classifier.decision_function(X[150:]), Y[150:])
    np.testing.assert_array_equal(
        model.predict_proba(X)[:, 1], by_hand.predict(classifier.decision_function(X))
    )


def test_prefit_within_cross_validation():
    classifier = LogisticRegression().fit(X, Y)
    model = CalibratedClassifier(classifier, cv="prefit")
    with pytest.raises(NotFittedError, match=r"unfitted LogisticRegression.*FrozenEstimator"):
        clone(model).fit(X, Y)
    model.set_params(estimator=FrozenEstimator(classifier))
    assert cross_val_score(model, X, Y, error_score="raise").min() > 0.6


def test_several_splits_are_pooled_and_one_is_partitioning():
    splits = list(TimeSeriesSplit(3).split(X))  # the first rows are never scored
    model = fitted(GaussianNB(), PlattScaling(), cv=splits)
    scores = [GaussianNB().fit(X[a], Y[a]).predict_proba(X[b])[:, 1] for a, b in splits]
    labels = np.concatenate([Y[b] for _, b in splits])
    by_hand = PlattScaling().fit(np.concatenate(scores), labels)
    assert model.calibrators_[0].slope_ == by_hand.slope_
    np.testing.assert_array_equal(model.estimator_.theta_, GaussianNB().fit(X, Y).theta_)

    training, scored = splits[-1]
    masks = np.isin(np.arange(300), training), np.isin(np.arange(300), scored)
    for one in [(training, scored)], [masks]:
        model = fitted(GaussianNB(), PlattScaling(), cv=one)
        expected = GaussianNB().fit(X[training], Y[training])
        np.testing.assert_array_equal(model.estimator_.theta_, expected.theta_)


@pytest.mark.parametrize("cv", [0.3, 4, "same", "prefit"], ids=str)
def test_a_row_of_weight_zero_does_not_count(cv):
    estimator = GaussianNB().fit(X, Y) if cv == "prefit" else GaussianNB()
    weights = np.random.default_rng(1).integers(0, 2, Y.size).astype(float)
    flipped = np.where(weights == 0, 1 - Y, Y)
    # splits are drawn within classes: give both fits the same ones
    if isinstance(cv, int | float):
        folds = (
            StratifiedKFold(cv)
            if cv == 4
            else StratifiedShuffleSplit(1, test_size=cv, random_state=0)
        )
        cv = list(folds.split(X, Y))
    one = fitted(estimator, cv=cv, sample_weight=weights)
    other = fitted(estimator, cv=cv, data=(X, flipped), sample_weight=weights)
    np.testing.assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=0, atol=1e-10)
    assert np.abs(fitted(estimator, cv=cv).predict_proba(X) - one.predict_proba(X)).max() > 1e-3


def test_an_integer_weight_is_that_many_copies():
    copies = np.random.default_rng(2).integers(1, 4, Y.size)
    weighted = fitted(GaussianNB(), IsotonicCalibrator(), cv="same", sample_weight=copies)
    repeated = (np.repeat(X, copies, axis=0), np.repeat(Y, copies))
    repeated = fitted(GaussianNB(), IsotonicCalibrator(), cv="same", data=repeated)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_weights_that_the_classifier_does_not_take():
    weights = np.linspace(0.5, 2, Y.size)
    with pytest.warns(
        UserWarning, match="KNeighborsClassifier.fit takes no sample_weight"
    ) as found:
        model = fitted(KNeighborsClassifier(), PlattScaling(), cv="same", sample_weight=weights)
    assert found[0].filename == __file__
    scores = KNeighborsClassifier().fit(X, Y).predict_proba(X)[:, 1]
    by_hand = PlattScaling().fit(scores, Y, sample_weight=weights)
    assert model.calibrators_[0].slope_ == by_hand.slope_


# Scores


def test_the_score_is_what_response_method_says():
    classifier = LogisticRegression().fit(X, Y)
    scores = {
        "auto": classifier.decision_function(X),
        "decision_function": classifier.decision_function(X),
        "predict_proba": classifier.predict_proba(X)[:, 1],
    }
    for method, expected in scores.items():
        model = fitted(LogisticRegression(), PlattScaling(), cv="same", response_method=method)
        assert model.calibrators_[0].slope_ == PlattScaling().fit(expected, Y).slope_
    auto = fitted(GaussianNB(), PlattScaling(), cv="same")  # has no margin
    expected = PlattScaling().fit(GaussianNB().fit(X, Y).predict_proba(X)[:, 1], Y)
    assert auto.calibrators_[0].slope_ == expected.slope_


@pytest.mark.parametrize("classifier", [LogisticRegression(), GaussianNB(), LinearSVC()], ids=str)
def test_by_default_the_average_takes_probabilities_where_there_are_some(classifier):
    method = "predict_proba" if hasattr(classifier, "predict_proba") else "decision_function"
    scores = cross_val_predict(clone(classifier), X, Y, cv=5, method=method)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    by_hand = StackedCalibrator().fit(scores, Y)
    model = fitted(classifier)
    np.testing.assert_array_equal(model.calibrators_[0].weights_, by_hand.weights_)
    assert model.calibrators_[0].margins_ == (method == "decision_function")


@pytest.mark.parametrize("cv", CV_FORMS, ids=str)
@pytest.mark.parametrize("classifier", [RidgeClassifier(), SVC(), GaussianNB()], ids=str)
@pytest.mark.parametrize("data", [(X, Y), (X3, Y3)], ids=["binary", "multi-class"])
def test_probabilities(cv, classifier, data):
    if cv == "prefit":
        classifier = clone(classifier).fit(*data)
    elif cv == "leave_one_out":
        data = (data[0][::3], data[1][::3])
    elif isinstance(cv, list) and data[1] is Y3:
        cv = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    model = fitted(classifier, HistogramBinning(n_bins=5), cv=cv, data=data, random_state=0)
    probabilities = model.predict_proba(data[0])
    assert probabilities.shape == (data[1].size, model.classes_.size)
    assert np.all((probabilities >= 0) & (probabilities <= 1))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(
        model.predict(data[0]), model.classes_[probabilities.argmax(axis=1)]
    )
    assert model.score(*data) > 0.65


class Never(BaseEstimator):
    def fit(self, scores, labels):
        return self

    def predict(self, scores):
        return np.zeros(scores.size)


def test_every_class_is_as_likely_where_all_calibrators_say_never():
    model = fitted(GaussianNB(), Never(), data=(X3, Y3))
    np.testing.assert_array_equal(model.predict_proba(X3), 1 / 3)
    np.testing.assert_array_equal(fitted(GaussianNB(), Never()).predict_proba(X)[:, 0], 1)


def test_other_calibrators_fit_in():
    ours = fitted(GaussianNB(), IsotonicCalibrator(), cv=3)
    theirs = fitted(GaussianNB(), IsotonicRegression(out_of_bounds="clip"), cv=3)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


# Data of all kinds


def test_data_frames_reach_the_classifier_untouched():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(X[:, :3].copy(), columns=list("abc"), index=rng.permutation(Y.size))
    frame.loc[frame.index[:20], "a"] = np.nan
    frame["colour"] = pd.Categorical(rng.choice(["red", "green"], Y.size))
    labels = pd.Series(np.where(Y == 1, "yes", "no"), index=frame.index)
    features = make_column_transformer(
        (OneHotEncoder(), ["colour"]), (StandardScaler(), ["a", "b", "c"])
    )
    classifier = make_pipeline(features, HistGradientBoostingClassifier(max_iter=10))
    for cv in [0.3, 3, "same"]:
        model = fitted(classifier, cv=cv, data=(frame, labels), random_state=0)
        assert list(model.classes_) == ["no", "yes"]
        assert list(model.feature_names_in_) == ["a", "b", "c", "colour"]
        assert model.n_features_in_ == 4
        assert model.score(frame, labels) > 0.7
    trained = clone(classifier).fit(frame, labels)
    prefit = fitted(trained, cv="prefit", data=(frame, labels))
    np.testing.assert_array_equal(prefit.predict_proba(frame), model.predict_proba(frame))


def test_a_refit_on_an_array_forgets_the_names():
    model = fitted(data=(pd.DataFrame(X, columns=list("abcde")), Y))
    assert list(model.feature_names_in_) == list("abcde")
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")


def test_sparse_matrices_lists_and_precomputed_kernels():
    dense = fitted(LinearSVC(random_state=0), PlattScaling(), cv=3).predict_proba(X)
    for form in sparse.csr_array, sparse.coo_array:
        model = fitted(LinearSVC(random_state=0), PlattScaling(), cv=3, data=(form(X), Y))
        np.testing.assert_allclose(model.predict_proba(sparse.csr_array(X)), dense, atol=1e-3)
    listed = fitted(LinearSVC(random_state=0), PlattScaling(), cv=3, data=(X.tolist(), Y.tolist()))
    np.testing.assert_array_equal(listed.predict_proba(X), dense)
    kernel = rbf_kernel(X, gamma=0.2)
    for cv in [3, 0.3, "same"]:
        model = fitted(SVC(gamma=0.2), PlattScaling(), cv=cv, random_state=0)
        square = fitted(
            SVC(kernel="precomputed"), PlattScaling(), cv=cv, random_state=0, data=(kernel, Y)
        )
        if cv != 0.3:  # there the classifier knows the columns of its training rows only
            np.testing.assert_allclose(
                square.predict_proba(kernel), model.predict_proba(X), atol=1e-6
            )
        assert square.calibrators_[0].slope_ == pytest.approx(
            model.calibrators_[0].slope_, rel=1e-6
        )


def test_in_searches_and_pickles():
    search = GridSearchCV(
        CalibratedClassifier(GaussianNB(), cv=3),
        {"calibrator": [PlattScaling(), HistogramBinning()], "estimator__var_smoothing": [1e-9, 1]},
        scoring="neg_log_loss",
        cv=3,
        error_score="raise",
    ).fit(X, Y)
    model = search.best_estimator_
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict_proba(X), model.predict_proba(X))
    assert not any(name.endswith("_") for name in vars(clone(model)))


# Refusals


def test_a_failed_fit_changes_nothing():
    model = CalibratedClassifier(GaussianNB(), cv=3)
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(X * np.nan, Y)
    with pytest.raises(NotFittedError):
        model.predict_proba(X)
    before = model.fit(X, np.where(Y == 1, "yes", "no")).predict_proba(X)
    for data in [(X * np.nan, Y), (X, np.zeros(300)), (X, Y + 5, 1.0 - Y)]:
        with pytest.raises(ValueError, match="contains NaN|one class|class 6 has no row"):
            model.fit(*data)
        np.testing.assert_array_equal(model.predict_proba(X), before)
        assert set(model.predict(X)) == {"no", "yes"}


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"cv": 0.0}, "cv must be a number between 0 and 1; found 0.0"),
        ({"cv": 1.0}, "cv must be a number between 0 and 1; found 1.0"),
        ({"cv": 1}, "cv must be an integer of at least 2; found 1"),
        ({"cv": True}, "cv must be an integer of at least 2; found True"),
        ({"cv": "loo"}, "cv must be one of 'leave_one_out', 'prefit', 'same'; found 'loo'"),
        ({"cv": object()}, "Expected `?cv`? as"),
        ({"cv": []}, "cv yields no split"),
        ({"cv": [], "ensemble": True}, "cv yields no split"),
        ({"ensemble": "yes"}, "ensemble must be True or False; found 'yes'"),
        ({"response_method": "margin"}, "response_method must be one of 'auto'"),
    ],
)
def test_arguments_are_checked_at_fit(settings, message):
    with pytest.raises(ValueError, match=message):
        fitted(**settings)


@pytest.mark.parametrize(
    "labels, settings, message",
    [
        (np.zeros(300), {}, r"y holds one class only \(0.0\)"),
        (np.arange(300) == 5, {"cv": 0.5}, "only 1 member"),
        (np.arange(300) == 5, {"cv": "leave_one_out"}, "class True has no row .* training rows"),
        (np.arange(300) < 3, {"cv": [(range(3, 300), range(3))]}, "class True .* training rows"),
        (
            np.arange(300) < 3,
            {"cv": [(range(100), range(100, 300))]},
            "True .* the calibration rows",
        ),
        (np.arange(300) < 2, {"cv": 0.1}, "class True has no row .* the calibration rows"),
        (X[:, 0], {}, "continuous"),
        (None, {}, "y to be passed"),
        (Y[:-1], {}, "inconsistent numbers of samples"),
    ],
)
def test_a_class_that_is_missing_is_named(labels, settings, message):
    with pytest.raises(ValueError, match=message):
        fitted(data=(X, labels), random_state=0, **settings)


def test_a_class_with_fewer_rows_than_folds_is_calibrated_with_a_warning():
    labels = (X[:, 0] >= np.sort(X[:, 0])[-3]).astype(int)  # three positives
    with pytest.warns(UserWarning, match="least populated class in y has only 3 members"):
        model = fitted(cv=5, data=(X, labels))
    assert 0 < model.predict_proba(X)[labels == 1, 1].min()
    with (
        pytest.warns(UserWarning, match="only 1 member"),
        pytest.raises(ValueError, match="class True has no row"),
    ):
        fitted(cv=5, data=(X, np.arange(300) == 7))


@pytest.mark.parametrize("cv", [3, "same", "prefit", 0.4], ids=str)
def test_a_class_of_weight_zero_is_missing(cv):
    estimator = GaussianNB().fit(X, Y) if cv == "prefit" else None
    with pytest.raises(ValueError, match=r"class 1 has no row \(of positive weight\)"):
        fitted(estimator, cv=cv, random_state=0, sample_weight=1.0 - Y)


@pytest.mark.parametrize("labels", [np.where(Y == 1, 2, 0), np.where(Y3 == 1, 2, Y3)])
def test_prefit_wants_the_classes_of_the_classifier(labels):
    data = (X, Y) if labels.size == Y.size else (X3, Y3)
    classifier = GaussianNB().fit(*data)
    with pytest.raises(
        ValueError, match=r"y holds the classes \[0 2\] but estimator was fitted on"
    ):
        fitted(classifier, cv="prefit", data=(data[0], labels))


def test_scores_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="RidgeClassifier has no predict_proba"):
        fitted(RidgeClassifier(), response_method="predict_proba")
    four = np.arange(300) % 4
    pairwise = SVC(decision_function_shape="ovo")
    with pytest.raises(ValueError, match="decision_function gives 6 columns for 4 classes"):
        fitted(pairwise, data=(X, four))
    three = GaussianNB().fit(X, np.arange(300) % 3)
    del three.classes_  # so that only the number of columns tells
    three.predict_proba = lambda rows: np.full((len(rows), 3), 1 / 3)
    with pytest.raises(ValueError, match="predict_proba gives 3 columns for 2 classes"):
        fitted(three, cv="prefit")
    with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]"):
        uniform = HistogramBinning(strategy="uniform")
        fitted(LogisticRegression(), uniform, response_method="decision_function")
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        fitted(sample_weight=np.full(300, -1.0))
    with pytest.raises(ValueError, match="sample_weight has 3 rows but y has 300"):
        fitted(sample_weight=np.ones(3))
    with pytest.raises(NotFittedError):
        CalibratedClassifier().predict(X)

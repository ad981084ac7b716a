"""Where weights, groups and fit parameters go, with scikit-learn's metadata routing and without."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.impute import SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from calib import (
    AUCSplitTree,
    CalibratedClassifier,
    CalibratorCV,
    HeterogeneousCalibrator,
    HistogramBinning,
    IsotonicCalibrator,
    PlattScaling,
    PriorShift,
    StackedCalibrator,
    VennAbers,
)
from calibkit.groups import MondrianVennAbers, Multicalibration, PooledHeterogeneousCalibrator

X, Y = make_classification(300, 5, n_informative=3, flip_y=0.2, random_state=0)
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2, Y.size)
GROUPS = np.random.default_rng(1).integers(0, 30, Y.size)
SPLITS = list(GroupKFold(3).split(X, Y, GROUPS))


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what its fit is given; its score is the first column."""

    def fit(self, X, y, sample_weight=None, clues=None, monitor=None):
        self.classes_ = np.unique(y)
        self.seen_ = {"X": X, "sample_weight": sample_weight, "clues": clues, "monitor": monitor}
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def slope(model):
    return model.calibrators_[0].slope_


def stop_after_five(iteration, model, variables):
    return iteration >= 4


# Without routing


@pytest.mark.parametrize("ensemble", [False, True])
def test_groups_stay_together(ensemble):
    model = CalibratedClassifier(GaussianNB(), cv=GroupKFold(3), ensemble=ensemble)
    by_hand = CalibratedClassifier(GaussianNB(), cv=SPLITS, ensemble=ensemble)
    np.testing.assert_array_equal(
        model.fit(X, Y, groups=GROUPS).predict_proba(X), by_hand.fit(X, Y).predict_proba(X)
    )
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        model.fit(X, Y)


def test_fit_parameters_of_a_row_each_are_split_and_others_passed_on():
    clues = np.arange(Y.size)
    model = CalibratedClassifier(Recorder(), cv=SPLITS, ensemble=True)
    model.fit(X, Y, WEIGHTS, clues=clues.tolist(), monitor=clues[:7])
    for (training, _), (classifier, _) in zip(SPLITS, model.members_, strict=True):
        seen = classifier.seen_
        np.testing.assert_array_equal(seen["X"], X[training])
        np.testing.assert_array_equal(seen["clues"], clues[training])
        np.testing.assert_array_equal(seen["sample_weight"], WEIGHTS[training])
        np.testing.assert_array_equal(seen["monitor"], clues[:7])
    pooled = CalibratedClassifier(Recorder(), cv=SPLITS).fit(X, Y, clues=clues)
    np.testing.assert_array_equal(pooled.estimator_.seen_["clues"], clues)
    assert pooled.estimator_.seen_["sample_weight"] is None


@pytest.mark.parametrize("ensemble", [False, True])
def test_early_stopping(ensemble):
    boosting = GradientBoostingClassifier(n_estimators=50, random_state=0)
    model = CalibratedClassifier(boosting, cv=3, ensemble=ensemble)
    model.fit(X, Y, monitor=stop_after_five)
    assert [classifier.n_estimators_ for classifier, _ in model.members_] == [5] * (
        3 if ensemble else 1
    )


def test_parameters_of_the_last_step_of_a_pipeline():
    model = CalibratedClassifier(make_pipeline(SimpleImputer(), Recorder()), cv=SPLITS[:1])
    model.fit(X, Y, recorder__clues=WEIGHTS)
    np.testing.assert_array_equal(model.estimator_[-1].seen_["clues"], WEIGHTS[SPLITS[0][0]])


@pytest.mark.parametrize(
    "cv, parameters, message",
    [
        ("same", {"groups": GROUPS}, "groups are for a splitter, but cv='same' splits nothing"),
        ("prefit", {"groups": GROUPS}, "groups are for a splitter, but cv='prefit' splits"),
        ("prefit", {"clues": Y, "monitor": 1}, 'cv="prefit" trains no .* clues, monitor: leave'),
    ],
)
def test_parameters_that_nobody_could_take(cv, parameters, message):
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(Recorder().fit(X, Y), cv=cv).fit(X, Y, **parameters)


def test_a_parameter_that_the_classifier_does_not_know():
    with pytest.raises(TypeError, match="unexpected keyword argument 'clues'"):
        CalibratedClassifier(GaussianNB()).fit(X, Y, clues=Y)


# With routing


def test_everything_goes_where_it_is_requested(routing):
    recorder = Recorder().set_fit_request(sample_weight=True, clues="hints")
    model = CalibratedClassifier(recorder, PlattScaling(), cv=GroupKFold(3), ensemble=True)
    model.fit(X, Y, sample_weight=WEIGHTS, groups=GROUPS, hints=Y + 5)
    for (training, scored), (classifier, (platt,)) in zip(SPLITS, model.members_, strict=True):
        np.testing.assert_array_equal(classifier.seen_["X"], X[training])
        np.testing.assert_array_equal(classifier.seen_["sample_weight"], WEIGHTS[training])
        np.testing.assert_array_equal(classifier.seen_["clues"], Y[training] + 5)
        by_hand = PlattScaling().fit(X[scored, 0], Y[scored], sample_weight=WEIGHTS[scored])
        assert platt.slope_ == by_hand.slope_


def test_weights_go_only_where_they_are_requested(routing):
    recorder = Recorder().set_fit_request(sample_weight=False)
    model = CalibratedClassifier(recorder, PlattScaling(), cv="same").fit(X, Y, WEIGHTS)
    assert model.estimator_.seen_["sample_weight"] is None
    assert slope(model) == PlattScaling().fit(X[:, 0], Y, sample_weight=WEIGHTS).slope_

    recorder.set_fit_request(sample_weight=True)
    unweighted = PlattScaling().set_fit_request(sample_weight=False)
    model = CalibratedClassifier(recorder, unweighted, cv="same").fit(X, Y, WEIGHTS)
    np.testing.assert_array_equal(model.estimator_.seen_["sample_weight"], WEIGHTS)
    assert slope(model) == PlattScaling().fit(X[:, 0], Y).slope_


def test_weights_that_nobody_has_spoken_of_are_refused(routing):
    isotonic = IsotonicRegression(out_of_bounds="clip")
    asking = LogisticRegression().set_fit_request(sample_weight=True)
    for model, name in [
        (CalibratedClassifier(LogisticRegression()), "LogisticRegression.fit"),
        (CalibratedClassifier(asking, isotonic), "IsotonicRegression.fit"),
    ]:
        with pytest.raises(UnsetMetadataPassedError, match=name):
            model.fit(X, Y, WEIGHTS)
    isotonic.set_fit_request(sample_weight=True)
    theirs = CalibratedClassifier(asking, isotonic, cv=3).fit(X, Y, WEIGHTS)
    ours = CalibratedClassifier(asking, IsotonicCalibrator(), cv=3).fit(X, Y, WEIGHTS)
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), atol=1e-12)


def test_the_defaults_ask_for_weights_by_themselves(routing):
    model = CalibratedClassifier(cv="same").fit(X, Y, WEIGHTS)
    by_hand = LogisticRegression().fit(X, Y, WEIGHTS)
    np.testing.assert_array_equal(model.estimator_.coef_, by_hand.coef_)
    scores = by_hand.predict_proba(X)[:, 1]
    expected = StackedCalibrator().fit(scores, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(model.calibrators_[0].weights_, expected.weights_)


def test_a_prefit_classifier_is_given_nothing(routing):
    recorder = Recorder().set_fit_request(sample_weight=True, clues=True).fit(X, Y)
    model = CalibratedClassifier(recorder, PlattScaling(), cv="prefit").fit(X, Y, WEIGHTS)
    assert slope(model) == PlattScaling().fit(X[:, 0], Y, sample_weight=WEIGHTS).slope_
    for parameters in [{"clues": Y}, {"groups": GROUPS}]:
        with pytest.raises(TypeError, match=f"unexpected argument.*{next(iter(parameters))}"):
            model.fit(X, Y, **parameters)


def test_groups_that_no_splitter_asks_for(routing):
    with pytest.raises(TypeError, match="unexpected argument.*groups"):
        CalibratedClassifier(GaussianNB(), cv=3).fit(X, Y, groups=GROUPS)


@pytest.mark.parametrize("said", [None, True])
def test_within_cross_validation(routing, said):
    recorder = Recorder().set_fit_request(sample_weight=True)
    model = CalibratedClassifier(recorder, PlattScaling(), cv=GroupKFold(2)).set_score_request(
        sample_weight=False
    )
    if said:
        model.set_fit_request(sample_weight=said)
    result = cross_validate(
        model,
        X,
        Y,
        cv=GroupKFold(3),
        params={"sample_weight": WEIGHTS, "groups": GROUPS},
        return_estimator=True,
        error_score="raise",
    )
    for (training, _), fitted in zip(SPLITS, result["estimator"], strict=True):
        seen = fitted.estimator_.seen_["sample_weight"]
        np.testing.assert_array_equal(seen, WEIGHTS[training])
        by_hand = CalibratedClassifier(
            Recorder().set_fit_request(sample_weight=True),
            PlattScaling(),
            cv=list(GroupKFold(2).split(X[training], Y[training], GROUPS[training])),
        ).fit(X[training], Y[training], WEIGHTS[training])
        assert slope(fitted) == slope(by_hand)


def test_a_search_hands_weights_to_a_calibrator(routing):
    search = GridSearchCV(HistogramBinning(), {"n_bins": [2, 9]}, cv=3)
    search.fit(X[:, 0], Y, sample_weight=WEIGHTS)
    chosen = HistogramBinning(**search.best_params_).fit(X[:, 0], Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(search.predict(X[:, 0]), chosen.predict(X[:, 0]))


@pytest.mark.parametrize("tree", [DecisionTreeClassifier(max_depth=2), AUCSplitTree(max_depth=2)])
def test_partitions_are_trained_alike_with_routing(tree):
    model = HeterogeneousCalibrator(make_pipeline(SimpleImputer(), tree))
    model.fit(X[:, 0], Y, sample_weight=WEIGHTS, features=X)
    expected = model.predict(X[:, 0], features=X)
    with config_context(enable_metadata_routing=True):
        model.fit(X[:, 0], Y, sample_weight=WEIGHTS, features=X)
        routed = model.predict(X[:, 0], features=X)
    np.testing.assert_array_equal(routed, expected)
    assert len(model.parts_) > 1


# Calibrators that take groups or features

SCORES = 1 / (1 + np.exp(-X[:, 0]))
HOSPITALS = np.array(["north", "south"])[GROUPS % 2]
FOLDS = StratifiedKFold(3)


def by_hand(model, **given):
    """Scores of the folds, with `given` cut to their rows."""
    found = []
    for training, test in FOLDS.split(SCORES[:, np.newaxis], Y):
        some, others = (
            {name: rows[part] for name, rows in given.items()} for part in (training, test)
        )
        fitted = model.fit(SCORES[training], Y[training], **some)
        found.append(fitted.score(SCORES[test], Y[test], **others))
    return found


@pytest.mark.parametrize(
    "model, given",
    [
        (MondrianVennAbers(), {"groups": HOSPITALS}),
        (HeterogeneousCalibrator(min_part_size=5), {"groups": HOSPITALS}),
        (HeterogeneousCalibrator(DecisionTreeClassifier(max_depth=2)), {"features": X}),
        (PooledHeterogeneousCalibrator(min_part_size=5), {"groups": HOSPITALS}),
        (PooledHeterogeneousCalibrator(pooling=30), {"features": X}),
        (Multicalibration(alpha=0.9), {"groups": HOSPITALS}),
        (Multicalibration(alpha=0.9), {"groups": X > 0}),
    ],
)
def test_groups_and_features_pass_through_cross_validation(routing, model, given):
    given = {"sample_weight": WEIGHTS, **given}
    found = cross_val_score(model, SCORES, Y, cv=FOLDS, params=given, error_score="raise")
    np.testing.assert_array_equal(found, by_hand(model, **given))
    assert len(set(found)) == 3


def test_a_search_hands_on_groups(routing):
    search = GridSearchCV(MondrianVennAbers(), {"loss": ["log", "brier"]}, cv=FOLDS)
    search.fit(SCORES, Y, groups=HOSPITALS)
    for loss, found in zip(["log", "brier"], search.cv_results_["mean_test_score"], strict=True):
        assert found == np.mean(by_hand(MondrianVennAbers(loss=loss), groups=HOSPITALS))
    expected = MondrianVennAbers(**search.best_params_).fit(SCORES, Y, groups=HOSPITALS)
    np.testing.assert_array_equal(
        search.best_estimator_.predict(SCORES, groups=HOSPITALS),
        expected.predict(SCORES, groups=HOSPITALS),
    )


def test_groups_under_another_name_and_for_the_splitter(routing):
    """The groups of the folds and those of the calibrator are two things."""
    model = MondrianVennAbers().set_fit_request(groups="hospital")
    model.set_score_request(groups="hospital")
    given = {"groups": GROUPS, "hospital": HOSPITALS}
    found = cross_val_score(model, SCORES, Y, cv=GroupKFold(3), params=given, error_score="raise")
    for value, (training, test) in zip(found, SPLITS, strict=True):
        fitted = MondrianVennAbers().fit(SCORES[training], Y[training], groups=HOSPITALS[training])
        assert value == fitted.score(SCORES[test], Y[test], groups=HOSPITALS[test])


@pytest.mark.parametrize("model", [PlattScaling(), CalibratorCV(), PriorShift()], ids=str)
def test_groups_of_folds_are_not_handed_to_calibrators_without(routing, model):
    given = {"params": {"groups": GROUPS}, "cv": GroupKFold(3), "error_score": "raise"}
    assert np.isfinite(cross_val_score(model, SCORES, Y, **given)).all()


@pytest.mark.parametrize(
    "model", [CalibratorCV([PlattScaling(), MondrianVennAbers()]), PriorShift(MondrianVennAbers())]
)
def test_what_is_made_of_them_hands_groups_on_if_it_is_told_to(routing, model):
    with pytest.raises(ValueError, match="groups must be given, a number or a string for each"):
        model.fit(SCORES, Y)
    model.set_fit_request(groups=True).set_score_request(groups=True)
    found = cross_val_score(
        model, SCORES, Y, cv=FOLDS, params={"groups": HOSPITALS}, error_score="raise"
    )
    np.testing.assert_array_equal(found, by_hand(model, groups=HOSPITALS))


@pytest.mark.parametrize("cls", [CalibratorCV, StackedCalibrator])
def test_groups_reach_the_folds_within_if_they_are_told_to(routing, cls):
    model = cls([PlattScaling(), VennAbers()]).set_fit_request(groups=True)
    found = cross_val_score(
        model, SCORES, Y, cv=GroupKFold(3), params={"groups": GROUPS}, error_score="raise"
    )
    for value, (training, test) in zip(found, SPLITS, strict=True):
        fitted = clone(model).fit(SCORES[training], Y[training], groups=GROUPS[training])
        assert value == fitted.score(SCORES[test], Y[test])
    outer = CalibratedClassifier(GaussianNB(), model, cv=GroupKFold(3))
    outer.fit(X, Y, groups=GROUPS)
    scores = np.empty(Y.size)
    for training, test in SPLITS:
        scores[test] = GaussianNB().fit(X[training], Y[training]).predict_proba(X[test])[:, 1]
    alone = clone(model).fit(scores, Y, groups=GROUPS)
    np.testing.assert_allclose(outer.calibrators_[0].losses_, alone.losses_, rtol=1e-9)

"""TransductiveVennAbers against trainings by hand, and the forms its data may come in."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn import config_context
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from calib import CalibratedClassifier, TransductiveVennAbers

X, Y = make_classification(240, 4, n_informative=2, n_redundant=0, flip_y=0.2, random_state=1)
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


@pytest.mark.parametrize("classifier", [GaussianNB(), LinearSVC(random_state=0)], ids=str)
def test_full_venn_abers_by_hand(classifier):
    predictor = TransductiveVennAbers(classifier).fit(X[:60], Y[:60])
    p0, p1 = predictor.predict_interval(X[60:66])
    for i in range(6):
        extended = np.vstack([X[:60], X[60 + i]])
        for label, p in enumerate([p0, p1]):
            z = np.append(Y[:60], label)
            classifier.fit(extended, z)
            if isinstance(classifier, GaussianNB):
                scores = classifier.predict_proba(extended)[:, 1]
            else:
                scores = classifier.decision_function(extended)
            expected = IsotonicRegression().fit(scores, z).predict(scores[-1:])[0]
            assert p[i] == pytest.approx(expected, rel=0, abs=1e-12)


def test_full_venn_abers_merges_like_the_others():
    predictor = TransductiveVennAbers(GaussianNB()).fit(X[:60], Y[:60])
    p0, p1 = predictor.predict_interval(X[60:70])
    probabilities = predictor.predict_proba(X[60:70])
    np.testing.assert_allclose(probabilities[:, 1], p1 / (1 - p0 + p1), rtol=1e-15)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-15)
    square = TransductiveVennAbers(GaussianNB(), loss="brier").fit(X[:60], Y[:60])
    np.testing.assert_allclose(
        square.predict_proba(X[60:70])[:, 1], p1 + p0**2 / 2 - p1**2 / 2, rtol=1e-15
    )
    np.testing.assert_array_equal(predictor.predict(X[60:70]), probabilities.argmax(axis=1))


def test_data_of_all_kinds_and_classes_of_any_name():
    frame = pd.DataFrame(X[:70], columns=list("abcd"))
    frame["colour"] = pd.Categorical(np.where(X[:70, 0] > 0, "red", "green"))
    classifier = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["colour"]), (StandardScaler(), list("abcd"))),
        LogisticRegression(),
    )
    names = np.where(Y == 1, "yes", "no")
    by_name = TransductiveVennAbers(classifier).fit(frame[:60], pd.Series(names[:60]))
    assert by_name.classes_.tolist() == ["no", "yes"]
    assert list(by_name.feature_names_in_) == [*"abcd", "colour"]
    assert by_name.n_features_in_ == 5
    pair = by_name.predict_interval(frame[60:63])
    assert np.all((pair[0] >= 0) & (pair[0] < 1) & (pair[1] > 0) & (pair[1] <= 1))
    assert set(by_name.predict(frame[60:63])) <= {"no", "yes"}
    tree = TransductiveVennAbers(TREE)
    dense = tree.fit(X[:60], Y[:60]).predict_interval(X[60:70])
    for data in [sparse.csr_array(X), sparse.coo_array(X)]:
        rows = data.tocsr()
        np.testing.assert_array_equal(
            tree.fit(rows[:60], Y[:60]).predict_interval(rows[60:70]), dense
        )
    listed = tree.fit(X[:60].tolist(), Y[:60].tolist()).predict_interval(X[60:70].tolist())
    np.testing.assert_array_equal(listed, dense)


def test_several_workers_and_their_progress(capfd):
    quiet = TransductiveVennAbers(GaussianNB()).fit(X[:60], Y[:60])
    expected = quiet.predict_interval(X[60:70])
    assert capfd.readouterr() == ("", "")
    loud = TransductiveVennAbers(GaussianNB(), n_jobs=2, verbose=1).fit(X[:60], Y[:60])
    with parallel_config(backend="threading"):
        np.testing.assert_array_equal(loud.predict_interval(X[60:70]), expected)
    out, error = capfd.readouterr()
    assert out == "" and "10 out of  10" in error


@pytest.mark.parametrize(
    "labels, message",
    [
        (np.zeros(240), "Only binary classification is supported: y holds 1 class,"),
        (np.arange(240) % 3, "y holds 3 classes, pass rows of two classes"),
        (None, "y to be passed"),
        (X[:, 0], "continuous"),
        (Y[:-1], "inconsistent numbers of samples"),
    ],
)
def test_full_venn_abers_wants_two_classes(labels, message):
    with pytest.raises(ValueError, match=message):
        TransductiveVennAbers(GaussianNB()).fit(X, labels)


def test_what_the_classifier_cannot_take_is_refused():
    broken = X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        TransductiveVennAbers().fit(broken, Y)
    fitted = TransductiveVennAbers(GaussianNB()).fit(X, Y)
    with pytest.raises(ValueError, match="contains NaN"):
        fitted.predict_interval(broken)
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict_interval(X[:, :3])


# Objects in another form than the sample


FORMS = {
    "array": np.asarray,
    "list": lambda rows: rows.tolist(),
    "frame": lambda rows: pd.DataFrame(rows, columns=list("abcd")),
    "csr": sparse.csr_array,
    "coo": sparse.coo_array,
}


@pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names")
@pytest.mark.parametrize("sample", FORMS)
@pytest.mark.parametrize("objects", FORMS)
def test_objects_may_come_in_another_form(sample, objects):
    expected = TransductiveVennAbers(TREE).fit(X[:60], Y[:60]).predict_interval(X[60:70])
    predictor = TransductiveVennAbers(TREE).fit(FORMS[sample](X[:60]), Y[:60])
    np.testing.assert_array_equal(predictor.predict_interval(FORMS[objects](X[60:70])), expected)


def test_frames_of_polars():
    polars = pytest.importorskip("polars")
    classifier = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["colour"]), ("passthrough", ["a"])), TREE
    )
    columns = {"a": X[:70, 0], "colour": np.where(X[:70, 1] > 0, "red", "green")}
    pairs = []
    for frame in polars.DataFrame(columns), pd.DataFrame(columns):
        predictor = TransductiveVennAbers(classifier).fit(frame[:60], Y[:60])
        pairs.append(predictor.predict_interval(frame[60:70]))
    np.testing.assert_array_equal(*pairs)


# Weights


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_an_integer_weight_is_that_many_copies(form):
    copies = np.random.default_rng(0).integers(0, 4, 60)
    weighted = TransductiveVennAbers(TREE).fit(form(X[:60]), Y[:60], copies)
    repeated = TransductiveVennAbers(TREE).fit(
        form(np.repeat(X[:60], copies, axis=0)), np.repeat(Y[:60], copies)
    )
    pair = weighted.predict_interval(form(X[60:80]))
    np.testing.assert_array_equal(pair, repeated.predict_interval(form(X[60:80])))
    plain = TransductiveVennAbers(TREE).fit(form(X[:60]), Y[:60])
    assert np.any(pair != np.array(plain.predict_interval(form(X[60:80]))))


def test_a_classifier_that_takes_no_weights():
    weights = np.linspace(0.5, 3, 60)
    neighbours = KNeighborsClassifier(5)
    with pytest.warns(UserWarning, match="KNeighborsClassifier.fit takes no sample_w") as found:
        predictor = TransductiveVennAbers(neighbours).fit(X[:60], Y[:60], weights)
    assert found[0].filename == __file__
    p0, p1 = predictor.predict_interval(X[60:63])
    for i in range(3):
        extended = np.vstack([X[:60], X[60 + i]])
        for label, p in enumerate([p0, p1]):
            z = np.append(Y[:60], label)
            scores = neighbours.fit(extended, z).predict_proba(extended)[:, 1]
            isotonic = IsotonicRegression().fit(scores, z, np.append(weights, 1))
            assert p[i] == pytest.approx(isotonic.predict(scores[-1:])[0], rel=0, abs=1e-12)


@pytest.mark.parametrize(
    "weights, message",
    [
        (np.ones(3), "sample_weight has 3 rows but y has 240"),
        (-np.ones(240), "sample_weight must not be negative"),
        (1.0 - Y, "Only binary classification is supported: y holds 1 class,"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        TransductiveVennAbers(GaussianNB()).fit(X, Y, weights)


def test_weights_are_routed_to_a_classifier_that_asks_for_them():
    weights = np.random.default_rng(1).integers(1, 5, 60).astype(float)
    data = X[:60], Y[:60]
    expected = TransductiveVennAbers(TREE).fit(*data, weights).predict_interval(X[60:70])
    with config_context(enable_metadata_routing=True):
        asking = DecisionTreeClassifier(max_depth=2, random_state=0)
        with pytest.raises(UnsetMetadataPassedError, match="DecisionTreeClassifier.fit"):
            TransductiveVennAbers(asking).fit(*data, weights)
        asking.set_fit_request(sample_weight=True)
        predictor = TransductiveVennAbers(asking).fit(*data, weights)
        np.testing.assert_array_equal(predictor.predict_interval(X[60:70]), expected)
        asking.set_fit_request(sample_weight=False)
        other = TransductiveVennAbers(asking).fit(*data, weights).predict_interval(X[60:70])
        assert np.any(np.array(other) != expected)
        TransductiveVennAbers().fit(*data, weights)  # the default asks by itself
        asking.set_fit_request(sample_weight=True)
        predictor.set_score_request(sample_weight=False)
        folds = [(np.arange(40), np.arange(40, 60))]
        result = cross_validate(
            predictor, *data, cv=folds, params={"sample_weight": weights}, return_estimator=True
        )
        root = result["estimator"][0].estimator_.tree_
        assert root.weighted_n_node_samples[0] == weights[:40].sum() != 40


# Refusals


def test_a_failed_fit_changes_nothing():
    predictor = TransductiveVennAbers(GaussianNB())
    with pytest.raises(ValueError, match="contains NaN"):
        predictor.fit(X * np.nan, Y)
    with pytest.raises(NotFittedError):
        predictor.predict_interval(X)
    before = predictor.fit(X[:60], Y[:60] + 1).predict_interval(X[60:65])
    for data in [(X, np.zeros(240)), (X * np.nan, Y)]:
        with pytest.raises(ValueError, match=r"two classes|contains NaN"):
            predictor.fit(*data)
        np.testing.assert_array_equal(predictor.predict_interval(X[60:65]), before)
        assert predictor.classes_.tolist() == [1, 2]


@pytest.mark.parametrize("estimator", ["logistic", GaussianNB, IsotonicRegression()], ids=str)
def test_what_is_no_classifier_is_refused(estimator):
    with pytest.raises(ValueError, match="estimator must be a classifier with decision_function"):
        TransductiveVennAbers(estimator).fit(X, Y)


def test_two_classes_only_is_a_tag():
    for model in [TransductiveVennAbers(), CalibratedClassifier(TransductiveVennAbers())]:
        assert not get_tags(model).classifier_tags.multi_class
    assert get_tags(CalibratedClassifier()).classifier_tags.multi_class

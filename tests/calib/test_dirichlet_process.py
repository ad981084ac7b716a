"""Dirichlet-process mixtures against scikit-learn, exact evidence and plain definitions."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import betaln, digamma, expit, gammaln, logsumexp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import BayesianGaussianMixture
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from calib.base.calibrator import OneClassWarning
from calib.methods import dirichlet_mixture as kernels
from calib.methods.dirichlet_process import DirichletProcessCalibrator


def fit_standard(scores, n_components=10, concentration=1.0, max_iter=10000, tol=1e-7):
    """The kernel on a sample in standard units, each score of weight one."""
    values, counts = np.unique(scores, return_counts=True)
    return kernels.fit_mixture(
        values, counts.astype(float), n_components, concentration, max_iter, tol
    )


def two_normals(n, rng):
    labels = (rng.random(n) < 0.3).astype(int)
    return np.where(labels, rng.normal(1, 2, n), rng.normal(-2, 1, n)), labels


# --- the bound ----------------------------------------------------------------------------------


def bounds_by_definition(scores, n_components, concentration, n_iterations):
    """E log p(x, z, v, mu, lambda) - E log q, term by term and observation by observation."""
    n, alpha = scores.size, concentration
    block = np.minimum((np.arange(n) + 0.5) / n * n_components, n_components - 1).astype(int)
    shares = np.eye(n_components)[block]
    bounds = []
    for _ in range(n_iterations + 1):
        shares = shares[:, np.argsort(-shares.sum(axis=0), kind="stable")]
        counts = shares.sum(axis=0)
        a, b = 1 + counts, alpha + np.array([counts[t + 1 :].sum() for t in range(n_components)])
        log_v, log_rest = digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)
        log_pi = log_v + np.array([log_rest[:t].sum() for t in range(n_components)])
        kappa = 1 + counts
        mean = shares.T @ scores / kappa
        shape = 0.5 + counts / 2
        rate = 0.5 + (shares * (scores[:, None] - mean) ** 2).sum(axis=0) / 2 + mean**2 / 2
        precision, log_precision = shape / rate, digamma(shape) - np.log(rate)

        log_normal = (
            log_precision
            - np.log(2 * np.pi)
            - 1 / kappa
            - precision * (scores[:, None] - mean) ** 2
        ) / 2
        log_prior_mean = (log_precision - np.log(2 * np.pi) - 1 / kappa - precision * mean**2) / 2
        log_prior_precision = (
            0.5 * np.log(0.5) - gammaln(0.5) - 0.5 * log_precision - 0.5 * precision
        )
        log_prior_stick = np.log(alpha) + (alpha - 1) * log_rest
        log_p = np.sum(shares * (log_normal + log_pi))
        log_p += np.sum(log_prior_mean + log_prior_precision + log_prior_stick)
        entropy = -np.sum(shares * np.log(np.where(shares > 0, shares, 1)))
        entropy += np.sum(stats.beta(a, b).entropy())
        entropy += np.sum(stats.gamma(shape, scale=1 / rate).entropy())
        entropy += np.sum(0.5 * np.log(2 * np.pi * np.e / kappa) - log_precision / 2)
        bounds.append(log_p + entropy)
        log_shares = log_normal + log_pi
        shares = np.exp(log_shares - logsumexp(log_shares, axis=1, keepdims=True))
    return np.array(bounds)


@pytest.mark.parametrize("concentration", [0.1, 1.0, 4.0])
def test_bound_equals_its_definition(concentration):
    scores = np.sort(np.random.default_rng(1).standard_t(3, 40))
    scores = (scores - scores.mean()) / scores.std()
    fit = fit_standard(scores, 4, concentration, max_iter=25, tol=1e-300)
    expected = bounds_by_definition(scores, 4, concentration, fit.bounds.size - 1)
    np.testing.assert_allclose(fit.bounds, expected, rtol=1e-10)


def log_evidence_of_block(points):
    """Marginal likelihood of one cluster: the product of its Student predictive densities."""
    degrees, first, second, total = 1.0, 0.0, 1.0, 0.0
    for x in points:
        mean = first / degrees
        scale = np.sqrt((second / degrees - mean**2) * (1 + 1 / degrees))
        total += stats.t(degrees, mean, scale).logpdf(x)
        degrees, first, second = degrees + 1, first + x, second + x * x
    return total


def set_partitions(items):
    if not items:
        yield []
        return
    head, *tail = items
    for partition in set_partitions(tail):
        yield [[head], *partition]
        for i, block in enumerate(partition):
            yield [*partition[:i], [head, *block], *partition[i + 1 :]]


@pytest.mark.parametrize("concentration", [0.3, 1.0, 3.0])
def test_bound_lies_below_the_exact_evidence_of_the_dirichlet_process(concentration):
    points = [-1.6, -1.4, -0.1, 0.2, 1.4, 1.5]
    log_terms = [
        len(partition) * np.log(concentration)
        + sum(gammaln(len(block)) + log_evidence_of_block(block) for block in partition)
        for partition in set_partitions(points)
    ]
    assert len(log_terms) == 203  # the Bell number of 6
    evidence = logsumexp(log_terms) + gammaln(concentration) - gammaln(concentration + 6)
    for n_components in (1, 2, 6, 20):
        bound = fit_standard(np.array(points), n_components, concentration).bounds[-1]
        assert evidence - 5 < bound < evidence


def test_one_component_is_exact():
    points = np.random.default_rng(2).normal(size=30)
    fit = fit_standard(points, n_components=1, concentration=0.7)
    expected = log_evidence_of_block(points) + betaln(31, 0.7) + np.log(0.7)
    np.testing.assert_allclose(fit.bounds, expected, rtol=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    scores=st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0]), min_size=2, max_size=60),
    concentration=st.floats(0.01, 20),
    n_components=st.integers(1, 12),
    seed=st.integers(0, 100),
)
def test_bound_never_decreases(scores, concentration, n_components, seed):
    labels = np.random.default_rng(seed).integers(0, 2, len(scores))
    labels[:2] = 0, 1
    calibrator = DirichletProcessCalibrator(
        n_components=n_components, concentration=concentration
    ).fit(scores, labels)
    for bounds in calibrator.elbo_:
        assert np.all(np.diff(bounds) >= -1e-10 * len(scores))
    predictions = calibrator.predict([*scores, -1e300, 1e300])
    assert np.all((predictions >= 0) & (predictions <= 1))


def test_bound_never_decreases_with_pooled_cells():
    rng = np.random.default_rng(3)
    for scores in (rng.standard_t(1.5, 20000), expit(20 * rng.normal(size=20000))):
        labels = (rng.random(scores.size) < 0.4).astype(int)
        for bounds in DirichletProcessCalibrator().fit(scores, labels).elbo_:
            assert np.all(np.diff(bounds) >= -1e-10 * scores.size)


@pytest.mark.parametrize("concentration", [0.2, 1.0, 5.0])
def test_sticks_in_order_of_size_have_the_highest_evidence(concentration):
    def evidence(counts):
        return betaln(*kernels.stick_posterior(np.array(counts), concentration)).sum()

    counts = np.array([9.0, 4.5, 3.0, 1.0, 0.25])
    others = [evidence(order) for order in itertools.permutations(counts)][1:]
    assert evidence(counts) > max(others)
    # swapping the neighbours a, b before a rest r costs log((a + c + r) / (b + c + r))
    swapped = evidence([9.0, 3.0, 4.5, 1.0, 0.25])
    cost = np.log((4.5 + 1.25 + concentration) / (3.0 + 1.25 + concentration))
    assert evidence(counts) - swapped == pytest.approx(cost, rel=1e-10)


# --- scikit-learn -------------------------------------------------------------------------------


def scored_samples():
    """Ten samples of (scores, labels), from laws and from classifiers."""
    rng = np.random.default_rng(4)
    n = 2000
    samples = {}

    def draw(name, scores, probabilities):
        samples[name] = scores, (rng.random(scores.size) < probabilities).astype(int)

    beta = rng.beta(2, 5, n)
    draw("beta", beta, beta)
    mixture = np.where(rng.random(n) < 0.3, rng.beta(8, 2, n), rng.beta(1, 6, n))
    draw("beta mixture", mixture, 0.9 * mixture)
    samples["two normals"] = two_normals(n, rng)
    heavy = rng.standard_t(2, n)
    draw("heavy tails", heavy, expit(heavy))
    skewed = rng.lognormal(0, 1, n)
    draw("lognormal", skewed, skewed / (1 + skewed))
    margin = rng.normal(0, 2, n)
    draw("saturated", expit(6 * margin), expit(margin))
    points = rng.normal(size=(n, 2))
    ring = (np.abs(np.hypot(*points.T) - 1.2) < 0.5).astype(int)
    machine = SVC(kernel="poly", degree=2).fit(points[:300], ring[:300])
    samples["ring, quadratic SVM"] = machine.decision_function(points), ring
    X, y = load_breast_cancer(return_X_y=True)
    naive = cross_val_predict(GaussianNB(), X, y, method="predict_proba")
    samples["cancer, naive Bayes"] = naive[:, 1], y
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    logistic = cross_val_predict(LogisticRegression(), X, y, method="decision_function")
    samples["cancer, logistic"] = logistic, y
    X, y = load_digits(return_X_y=True)
    forest = RandomForestClassifier(50, random_state=0)
    eight = (y == 8).astype(int)
    samples["digits, forest"] = (
        cross_val_predict(forest, X, eight, method="predict_proba")[:, 1],
        eight,
    )
    assert len(samples) == 10
    for name, (scores, labels) in samples.items():
        order = rng.permutation(scores.size)
        samples[name] = scores[order], labels[order]
    return samples


def sklearn_mixture(**options):
    """The same model of scores in standard units."""
    return BayesianGaussianMixture(
        weight_concentration_prior_type="dirichlet_process",
        mean_prior=[0.0],
        mean_precision_prior=1.0,
        degrees_of_freedom_prior=1.0,
        covariance_prior=[[1.0]],
        reg_covar=0.0,
        random_state=0,
        **options,
    )


def sklearn_log_density(model, scores):
    """Its posterior predictive density."""
    degrees, kappa = model.degrees_of_freedom_, model.mean_precision_
    scale = np.sqrt(model.covariances_[:, 0, 0] * (1 + 1 / kappa))
    log_students = stats.t(degrees, model.means_[:, 0], scale).logpdf(scores[:, None])
    return logsumexp(log_students + np.log(model.weights_), axis=1)


def sklearn_bound(model, scores, concentration):
    """Our bound, one assignment and one update after the parameters of `model`."""
    cells = kernels.Cells(np.ones(scores.size), np.stack([scores**0, scores, scores**2]))
    components = kernels.Components(
        model.degrees_of_freedom_, model.means_[:, 0], model.covariances_[:, 0, 0]
    )
    natural = kernels.natural_parameters(np.stack(model.weight_concentration_), components)
    statistics, entropy = kernels.assign(cells, natural)
    return entropy + kernels.log_evidence(
        kernels.stick_posterior(statistics[:, 0], concentration),
        kernels.gaussian_posterior(statistics),
        concentration,
    )


def test_held_out_log_density_and_bound_against_sklearn_on_ten_samples():
    for name, (scores, labels) in scored_samples().items():
        half = scores.size // 2
        calibrator = DirichletProcessCalibrator().fit(scores[:half], labels[:half])
        standard = (scores - calibrator.location_) / calibrator.scale_
        differences = []
        for label in (0, 1):
            of_label = labels == label
            train = standard[:half][of_label[:half]]
            model = sklearn_mixture(
                n_components=10, weight_concentration_prior=1.0, max_iter=5000, tol=1e-6
            ).fit(train[:, None])
            assert calibrator.elbo_[label][-1] > sklearn_bound(model, train, 1.0) - 0.1, name
            ours = calibrator.log_densities(scores[half:][of_label[half:]])[label]
            theirs = sklearn_log_density(model, standard[half:][of_label[half:]])
            differences.append(ours + np.log(calibrator.scale_) - theirs)
        assert abs(np.concatenate(differences).mean()) < 0.01, name


def test_the_optimum_is_a_fixed_point_of_sklearn():
    scores = np.sort(two_normals(400, np.random.default_rng(5))[0])
    scores = (scores - scores.mean()) / scores.std()
    fit = fit_standard(scores, 4, 0.5, tol=1e-14)
    degrees, means, variances = (values[:-1] for values in fit.mixture[1:])
    model = sklearn_mixture(
        n_components=4, weight_concentration_prior=0.5, max_iter=1, warm_start=True
    )
    counts = degrees - 1
    model.converged_, model.lower_bound_ = False, -np.inf
    model.weight_concentration_ = tuple(kernels.stick_posterior(counts, 0.5))
    model.weights_ = np.exp(fit.mixture.log_weights[:-1])
    model.mean_precision_, model.degrees_of_freedom_ = degrees, degrees
    model.means_, model.covariances_ = means[:, None], variances[:, None, None]
    model.precisions_cholesky_ = 1 / np.sqrt(model.covariances_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(scores[:, None])
    np.testing.assert_allclose(model.degrees_of_freedom_, degrees, rtol=1e-5)
    np.testing.assert_allclose(model.means_[:, 0], means, atol=1e-5)
    np.testing.assert_allclose(model.covariances_[:, 0, 0], variances, rtol=1e-5)


# --- densities and probabilities ----------------------------------------------------------------


def test_densities_integrate_to_one():
    scores, labels = two_normals(300, np.random.default_rng(6))
    calibrator = DirichletProcessCalibrator().fit(scores, labels)
    for label in (0, 1):
        mass, _ = integrate.quad(
            lambda s, label=label: np.exp(calibrator.log_densities([s])[label, 0]), -np.inf, np.inf
        )
        assert mass == pytest.approx(1, abs=1e-4)


def test_prediction_is_bayes_rule_of_the_fitted_attributes():
    scores, labels = two_normals(500, np.random.default_rng(7))
    calibrator = DirichletProcessCalibrator(n_components=5).fit(scores, labels)
    degrees = calibrator.degrees_of_freedom_
    laws = stats.t(
        degrees, calibrator.means_, calibrator.standard_deviations_ * np.sqrt(1 + 1 / degrees)
    )
    queries = np.linspace(-9, 9, 50)
    f0, f1 = np.sum(calibrator.weights_ * laws.pdf(queries[:, None, None]), axis=2).T
    m, n = np.sum(labels), np.sum(1 - labels)
    np.testing.assert_allclose(calibrator.predict(queries), m * f1 / (m * f1 + n * f0), rtol=1e-9)
    np.testing.assert_allclose(calibrator.log_densities(queries), np.log([f0, f1]), atol=1e-9)
    np.testing.assert_allclose(calibrator.weights_.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.sum(degrees - 1, axis=1), [n, m], rtol=1e-10)


def test_a_known_mixture_is_recovered():
    rng = np.random.default_rng(8)
    scores, labels = two_normals(20000, rng)
    calibrator = DirichletProcessCalibrator().fit(scores, labels)
    grid = np.linspace(-12, 14, 4001)
    f0, f1 = np.exp(calibrator.log_densities(grid))
    true0, true1 = stats.norm(-2, 1).pdf(grid), stats.norm(1, 2).pdf(grid)
    for fitted, true in ((f0, true0), (f1, true1)):
        assert integrate.trapezoid(np.abs(fitted - true), grid) / 2 < 0.02
    probability = 0.3 * true1 / (0.3 * true1 + 0.7 * true0)
    bulk = (grid > -5) & (grid < 5)
    assert np.max(np.abs(calibrator.predict(grid) - probability)[bulk]) < 0.05


def test_pooled_cells_change_little(monkeypatch):
    rng = np.random.default_rng(9)
    scores = np.where(rng.random(6000) < 0.5, rng.beta(2, 8, 6000), rng.beta(9, 2, 6000))
    scores = np.append(scores, np.zeros(500))
    labels = (rng.random(6500) < 0.2 + 0.6 * scores).astype(int)
    pooled = DirichletProcessCalibrator().fit(scores, labels)
    monkeypatch.setattr(kernels, "CELLS_PER_WEIGHT", 1 << 40)
    exact = DirichletProcessCalibrator().fit(scores, labels)
    for n, bounds, exact_bounds in zip((6500, 6500), pooled.elbo_, exact.elbo_, strict=True):
        assert abs(bounds[-1] - exact_bounds[-1]) < 2e-4 * n
    queries = np.linspace(0, 1, 200)
    np.testing.assert_allclose(pooled.predict(queries), exact.predict(queries), atol=0.005)


def test_cells_are_narrow_and_light_and_lose_nothing():
    rng = np.random.default_rng(14)
    scores = np.sort(np.append(rng.normal(0, 1e-3, 9000), rng.standard_t(2, 3000)))
    cells = kernels.pool_cells(scores, np.ones(12000))
    assert cells.weights.max() <= np.ceil(12000 / 1024)
    spread = np.sqrt(np.maximum(cells.moments[2] - cells.moments[1] ** 2, 0))
    assert spread.max() <= 1 / 512  # no law on an interval has more than half its width
    totals = [scores.size, scores.sum(), np.sum(scores**2)]
    np.testing.assert_allclose(cells.moments @ cells.weights, totals, rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_repetitions(seed):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=2500), 3)
    labels = (rng.random(2500) < expit(scores)).astype(int)
    weights = rng.integers(0, 4, 2500)
    weighted = DirichletProcessCalibrator().fit(scores, labels, sample_weight=weights)
    repeated = DirichletProcessCalibrator().fit(scores.repeat(weights), labels.repeat(weights))
    queries = np.linspace(-5, 5, 100)
    np.testing.assert_allclose(weighted.predict(queries), repeated.predict(queries), atol=1e-9)


def test_order_of_rows_does_not_matter():
    rng = np.random.default_rng(10)
    scores = np.round(rng.normal(size=3000), 2)
    labels = (rng.random(3000) < expit(scores)).astype(int)
    weights = rng.random(3000)
    order = rng.permutation(3000)
    queries = np.linspace(-5, 5, 100)
    plain = DirichletProcessCalibrator().fit(scores, labels)
    shuffled = DirichletProcessCalibrator().fit(scores[order], labels[order])
    np.testing.assert_array_equal(plain.predict(queries), shuffled.predict(queries))
    plain.fit(scores, labels, sample_weight=weights)
    shuffled.fit(scores[order], labels[order], sample_weight=weights[order])
    np.testing.assert_allclose(plain.predict(queries), shuffled.predict(queries), atol=1e-7)


@pytest.mark.parametrize("unit, origin", [(1e-200, 0.0), (1e200, 0.0), (3.0, 1e4)])
def test_units_and_origin_of_the_scores_do_not_matter(unit, origin):
    scores, labels = two_normals(400, np.random.default_rng(11))
    queries = np.linspace(-10, 10, 50)
    plain = DirichletProcessCalibrator().fit(scores, labels).predict(queries)
    moved = DirichletProcessCalibrator().fit(origin + unit * scores, labels)
    np.testing.assert_allclose(moved.predict(origin + unit * queries), plain, atol=1e-6)


def test_a_tiny_class_leans_to_the_base_measure():
    scores = np.append(np.random.default_rng(12).normal(size=999), 0.5)
    labels = np.append(np.zeros(999, int), 1)
    predictions = DirichletProcessCalibrator().fit(scores, labels).predict(np.linspace(-2, 2, 9))
    assert np.all((predictions > 1e-4) & (predictions < 5e-3))  # the base rate is 1e-3


# --- extremes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_predicted_everywhere(label):
    with pytest.warns(OneClassWarning):
        calibrator = DirichletProcessCalibrator().fit([0.1, 0.4, 0.9], [label] * 3)
    np.testing.assert_array_equal(calibrator.predict([-1e9, 0.2, 1e300]), [label] * 3)


def test_tied_scores_predict_the_base_rate():
    calibrator = DirichletProcessCalibrator().fit([2.0, 2.0, 2.0, 2.0], [0, 1, 0, 0])
    np.testing.assert_array_equal(calibrator.predict([-1.0, 2.0, 1e300]), [0.25] * 3)
    np.testing.assert_array_equal(calibrator.standard_deviations_, 0.0)
    with pytest.raises(ValueError, match="all equal"):
        calibrator.log_densities([2.0])


def test_one_observation():
    with pytest.warns(OneClassWarning):
        calibrator = DirichletProcessCalibrator().fit([0.3], [1])
    np.testing.assert_array_equal(calibrator.predict([0.0, 0.3]), [1.0, 1.0])


def test_atoms_are_sharpened():
    scores = np.array([0.0] * 500 + [1.0] * 500 + [0.5])
    labels = np.array([0] * 450 + [1] * 50 + [1] * 400 + [0] * 100 + [1])
    calibrator = DirichletProcessCalibrator().fit(scores, labels)
    peaks = np.array([50, 400]) ** 1.5, np.array([450, 100]) ** 1.5
    expected = peaks[0] / (peaks[0] + peaks[1])
    np.testing.assert_allclose(calibrator.predict([0.0, 1.0]), expected, atol=0.005)


@pytest.mark.parametrize(
    "scores, weights",
    [
        ([-1e308, 1e308, 0.0, 1.0], None),
        ([0.0, 1e-310, 2e-310, 5e-310], None),
        ([1e16, 1e16 + 2, 1e16 + 4, 1e16 + 6], None),
        ([0.0, 1.0, 2.0, 3.0], [1e18, 1e18, 1e17, 1.0]),
        ([0.0, 1.0, 2.0, 3.0], [1e-9, 1e-9, 1e-9, 1e-12]),
    ],
)
def test_extreme_scores_and_weights(scores, weights):
    calibrator = DirichletProcessCalibrator().fit(scores, [0, 1, 0, 1], sample_weight=weights)
    predictions = calibrator.predict([*scores, -1.7e308, 1.7e308, 0.5])
    assert np.all((predictions >= 0) & (predictions <= 1))


def test_many_idle_components_with_a_small_concentration():
    calibrator = DirichletProcessCalibrator(n_components=500, concentration=1e-3)
    predictions = calibrator.fit([0.0, 1.0, 2.0, 3.0], [0, 1, 0, 1]).predict([0.0, 1e200])
    assert np.all((predictions > 0) & (predictions < 1))


def test_no_queries():
    calibrator = DirichletProcessCalibrator().fit([0.0, 1.0], [0, 1])
    assert calibrator.predict([]).shape == (0,)
    assert calibrator.log_densities([]).shape == (2, 0)


def test_too_few_iterations_are_announced():
    scores, labels = two_normals(200, np.random.default_rng(13))
    with pytest.warns(ConvergenceWarning, match="max_iter=3") as record:
        calibrator = DirichletProcessCalibrator(max_iter=3).fit(scores, labels)
    assert record[0].filename == __file__
    assert not calibrator.converged_.any()
    np.testing.assert_array_equal(calibrator.n_iter_, [3, 3])


@pytest.mark.parametrize(
    "parameter",
    [
        {"n_components": 0},
        {"n_components": 2.0},
        {"concentration": 0.0},
        {"concentration": np.inf},
        {"max_iter": 0},
        {"tol": 0.0},
        {"tol": "small"},
    ],
)
def test_parameters_are_checked(parameter):
    with pytest.raises(ValueError, match=next(iter(parameter))):
        DirichletProcessCalibrator(**parameter).fit([0.0, 1.0], [0, 1])

"""The models of the KDD-98 mailing: who responds, and with how many dollars."""

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC, LinearSVR

LARGEST_GIFT = 50.0  # dollars; larger ones are left out when the amount model is trained


def response_model(classifier):
    """The classifiers of Table 3: liblinear's, and naive Bayes on classes.

    They are trained as if the two classes were of equal size, as the paper's uncalibrated rows
    show (its logistic regression predicts 1/2 on average where one person in twenty responds);
    "SVM reversed" is not, see `margins`. C is not stated. On 0/1 columns that code
    classes, multinomial naive Bayes is the categorical one, up to the smoothing.
    """
    if classifier == "LR":
        return LogisticRegression(C=0.001, class_weight="balanced", solver="liblinear")
    if classifier == "NB":
        return MultinomialNB(fit_prior=False)
    return LinearSVC(C=0.001, class_weight="balanced" if classifier == "SVM" else None, dual=False)


def margins(classifier, model, X):
    """Log odds, or the margins of an SVM; their sigmoid is the score in [0, 1].

    "SVM reversed" is an SVM without class weights whose margins point to class 0, which is how
    liblinear's program prints them if the first training row is of class 0. It behaves as the
    SVM columns of Table 3 do.
    """
    if classifier == "NB":
        negative, positive = model.predict_joint_log_proba(X).T
        return positive - negative
    return model.decision_function(X) * (-1 if classifier == "SVM reversed" else 1)


class AmountModel:
    """Linear support vector regression of the gifts of responders on x and r(x).

    The loss is the squared one, liblinear's default, since a mailing policy needs expected gifts:
    the absolute loss would give medians, which are lower. r(x) is standardised, or the penalty
    would wipe it out, and gifts are centred, or it would shrink their mean.
    """

    def fit(self, X, responses, gifts):
        """Train on the rows with a gift of at most $50."""
        rows = np.flatnonzero((gifts > 0) & (gifts <= LARGEST_GIFT))
        self.mean_gift_ = gifts[rows].mean()
        self.centre_, self.scale_ = responses[rows].mean(), responses[rows].std() or 1.0
        self.regression_ = LinearSVR(C=0.01, loss="squared_epsilon_insensitive", dual=False)
        self.regression_.fit(self._with(X[rows], responses[rows]), gifts[rows] - self.mean_gift_)
        return self

    def predict(self, X, responses):
        """Expected gifts in dollars, of those who respond."""
        return self.mean_gift_ + self.regression_.predict(self._with(X, responses))

    def _with(self, X, responses):
        column = sparse.csr_matrix(((responses - self.centre_) / self.scale_)[:, np.newaxis])
        return sparse.hstack([X, column], format="csr")

"""Random numbers of a problem set: one stream for each term, student and question.

The file lies beside every problem set. At grading the grader names the student, so that data and
hidden tests do not depend on what a notebook says.
"""

import hashlib
import os
from pathlib import Path

import numpy as np

TERM = (Path(__file__).parent / "term.txt").read_text().strip()


def rng(question, student):
    """Random generator of a question for a student, in this term."""
    student = os.environ.get("COURSE_STUDENT", student)
    digest = hashlib.sha256(f"{TERM}/{student}/{question}".encode()).digest()
    return np.random.default_rng(list(digest))


def draw_labels(probabilities, rng):
    """Labels 0 and 1, each 1 with its probability."""
    return (rng.random(np.shape(probabilities)) < probabilities).astype(int)


def expit(x):
    """The logistic function, 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-np.asarray(x, dtype=float)))


def logit(p):
    """The logarithm of the odds, log(p / (1 - p))."""
    p = np.asarray(p, dtype=float)
    return np.log(p / (1 - p))

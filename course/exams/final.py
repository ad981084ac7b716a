"""Numbers of the final: data drawn for a term, and the solutions computed from them."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.special import betaln

from calib import VennAbers

from .midterm import row


def listed(values):
    """Values in a sentence."""
    return ", ".join(str(value) for value in values)


def tied_auc(rng):
    """Question 1: four positives and four negatives with tied scores."""
    won = tied = lost = 0
    while 0 in [won, tied, lost]:  # all three kinds of pairs
        positive = np.sort(rng.choice([2, 3, 4, 5], size=4))
        negative = np.sort(rng.choice([1, 2, 3], size=4))
        pairs = list(product(positive.tolist(), negative.tolist()))
        won = sum(p > n for p, n in pairs)
        tied = sum(p == n for p, n in pairs)
        lost = 16 - won - tied
    return {
        "scores_positive": row(positive),
        "scores_negative": row(negative),
        "won": won,
        "tied": tied,
        "lost": lost,
        "auc": Fraction(2 * won + tied, 32),
    }


def two_groups(rng):
    """Question 1: two levels of a score in two groups, with people and positives in each cell."""
    people = np.array([100, 100, 100, 100])
    positives = np.array([rng.integers(5, 8), rng.integers(2, 4), rng.integers(8, 10), 4]) * 10
    negatives = people - positives
    levels = np.array([1, 1, 2, 2])
    names = ["A low", "B low", "A high", "B high"]

    def auc(value):
        above = value[:, None] > value[None, :]
        tied = value[:, None] == value[None, :]
        return np.sum((above + tied / 2) * np.outer(positives, negatives)) / (
            positives.sum() * negatives.sum()
        )

    return {
        "cells": row(positives),
        "order": " > ".join(names[i] for i in np.argsort(-positives)),
        "auc_score": f"{auc(levels):.4f}",
        "auc_best": f"{auc(positives):.4f}",
    }


def decision(rng):
    """Question 2: costs, and a policy that believes too much."""
    missed = int(rng.choice([4, 9, 19]))
    threshold = Fraction(1, 1 + missed)
    said, true = threshold * Fraction(6, 5), threshold * Fraction(4, 5)
    return {
        "missed": missed,
        "threshold": threshold,
        "said": f"{float(said):.3f}",
        "true": f"{float(true):.3f}",
        "cost_act": f"{float(1 - true):.3f}",
        "cost_wait": f"{float(true * missed):.3f}",
        "regret": f"{float(1 - true - true * missed):.3f}",
        "price": f"{float((1 + missed) * (said - true)):.3f}",
    }


def evidence(labels):
    """Evidence of one bin under the uniform prior."""
    m, n = sum(labels), len(labels) - sum(labels)
    return Fraction(math.factorial(m) * math.factorial(n), math.factorial(m + n + 1))


def binnings(rng):
    """Question 3: one bin or two for six labels."""
    low, high = [(0, 0, 1), (1, 1, 1)] if rng.random() < 0.5 else [(0, 0, 0), (0, 1, 1)]
    one, two = evidence(low + high), evidence(low) * evidence(high)
    assert math.isclose(math.log(one), betaln(1 + sum(low + high), 7 - sum(low + high)))
    weight = two / (one + two)
    in_one = Fraction(sum(low + high) + 1, 8)
    in_two = Fraction(sum(high) + 1, 5)
    return {
        "six_labels": listed(low + high),
        "evidence_one": one,
        "evidence_low": evidence(low),
        "evidence_high": evidence(high),
        "evidence_two": two,
        "weight_two": f"{float(weight):.3f}",
        "in_one": in_one,
        "in_two": in_two,
        "average": f"{float((1 - weight) * in_one + weight * in_two):.3f}",
    }


def path(rng):
    """Question 4: two scores with labels in the wrong order."""
    first, second = (int(w) for w in rng.choice([1, 2, 3], size=2, replace=False))
    return {
        "first": first,
        "second": second,
        "meeting": Fraction(first * second, first + second),
        "pooled": Fraction(first, first + second),
    }


def venn_abers(rng):
    """Question 5: the pair for a new score between six calibration scores."""
    inner = np.sort([0, 1, 0, 1])
    while np.all(np.diff(inner) >= 0):  # else there is nothing to pool
        inner = rng.permutation([0, 1, 0, 1])
    labels = np.array([0, *inner, 1])
    new = float(rng.choice([2.5, 3.5, 4.5]))
    fitted = VennAbers().fit(np.arange(1.0, 7.0), labels)
    p0, p1 = (
        Fraction(float(p)).limit_denominator(7) for p in np.ravel(fitted.predict_interval([new]))
    )
    place = int(new)
    return {
        "va_labels": listed(labels),
        "new": new,
        "with_zero": listed([*labels[:place], "**0**", *labels[place:]]),
        "with_one": listed([*labels[:place], "**1**", *labels[place:]]),
        "p0": p0,
        "p1": p1,
        "merged": p1 / (1 - p0 + p1),
    }


def groups(rng):
    """Question 6: false positive rates at equal precision, and points for a part."""
    hit, precision = Fraction(int(rng.choice([6, 7, 8])), 10), Fraction(int(rng.choice([6, 8])), 10)
    rates = [share / (1 - share) * (1 - precision) / precision * hit for share in (0.5, 0.2)]
    offset, spread = rng.choice([0.4, 0.5]), rng.choice([0.1, 0.2])
    return {
        "hit": float(hit),
        "precision": float(precision),
        "rate_a": f"{rates[0]:.3f}",
        "rate_b": f"{rates[1]:.3f}",
        "offset": offset,
        "spread": spread,
        "points": math.ceil(round(2 / (spread * offset**2), 6)),
    }


def folds(rng):
    """Question 7: ten differences of log losses over random splits of ninety to ten."""
    differences = rng.permutation([0.002, 0.01, 0.006, -0.004, 0.012, 0.004, 0.008, 0.0, 0.01])
    differences = np.append(differences, rng.choice([0.002, -0.002]))
    mean, spread = differences.mean(), differences.std(ddof=1)
    naive, corrected = (mean / (spread * math.sqrt(f)) for f in (1 / 10, 1 / 10 + 1 / 9))
    return {
        "differences": listed(f"{d:.3f}" for d in differences),
        "mean": f"{mean:.4f}",
        "sd": f"{spread:.5f}",
        "naive": f"{naive:.2f}",
        "corrected_t": f"{corrected:.2f}",
    }


def numbers(rng):
    """All numbers of the exam."""
    parts = [tied_auc, two_groups, decision, binnings, path, venn_abers, groups, folds]
    return {name: value for part in parts for name, value in part(rng).items()}

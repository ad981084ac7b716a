"""One page on one file of scores: whether they are calibrated, and how certain that is.

`make_report` measures. A `Report` holds numbers and words, and writes them as JSON or as an HTML
page that loads nothing else.
"""

from calibkit.report.make import make_report
from calibkit.report.records import (
    Bin,
    Caution,
    ChecklistItem,
    Clinical,
    ClinicalDecision,
    Compared,
    Curve,
    Data,
    Escape,
    Estimate,
    Group,
    Method,
    Promise,
    ScoreRange,
    SmoothedCurve,
    Test,
    Threshold,
    Verdict,
)
from calibkit.report.report import Report

__all__ = [
    "Bin",
    "Caution",
    "ChecklistItem",
    "Clinical",
    "ClinicalDecision",
    "Compared",
    "Curve",
    "Data",
    "Escape",
    "Estimate",
    "Group",
    "Method",
    "Promise",
    "Report",
    "ScoreRange",
    "SmoothedCurve",
    "Test",
    "Threshold",
    "Verdict",
    "make_report",
]

"""Test vectors: cases with exact answers for the measures and methods of calibration.

This file needs Python alone. It may be copied beside `calibration-1.json` and used without the rest
of the package.
"""

import inspect
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("calibration-1.json")
IMPRECISE = 1e-3  # largest relative error of an answer that is right except in precision
SMALLEST_SCALE = 0.1  # size below which errors are absolute


class CaseVerdict(NamedTuple):
    """The answer of a function to a case.

    Attributes
    ----------
    case, function : str
        The id of the case, and the function with its kind of bins.
    verdict : str
        "pass", "imprecise", "other convention", "refused" or "fault".
    found : list or str
        The answer, or the exception.
    right : list of str
        The right answer.
    remark : str
        The convention, or the known mistake, that the answer is the answer of.
    """

    case: str
    function: str
    verdict: str
    found: list | str
    right: list[str]
    remark: str


def read_vectors() -> list[dict]:
    """Read the cases of the test vectors.

    Returns
    -------
    cases : list of dict
        With the keys id, function, input, answers, mistakes, tolerance, tolerance_reason, source
        and why. `answers` has one answer for each convention, the usual one first.

    Notes
    -----
    An answer is given as a fraction and as a decimal of 30 digits, both as text. The decimal may be
    "undefined" or "infinity".

    Examples
    --------
    >>> from calibkit.testing import read_vectors
    >>> case = next(case for case in read_vectors() if case["id"] == "auc-ties")
    >>> case["input"]["labels"]
    [0, 1, 0, 1, 1, 0, 1, 1, 1, 0]
    >>> case["answers"][0]["fraction"]
    '31/48'
    """
    return json.loads(FILE.read_text(encoding="utf-8"))["cases"]


def judge_vectors(functions: Mapping[str, Callable]) -> list[CaseVerdict]:
    """Judge functions by the test vectors.

    Parameters
    ----------
    functions : mapping of str to callable
        Functions by their names in the vectors. Each is called with the input of a case by keyword,
        such as ``f(labels=..., probabilities=..., n_bins=..., bins=...)``. A function without the
        argument weights is not asked about them. It raises NotImplementedError for other input that
        it does not offer.

    Returns
    -------
    verdicts : list of CaseVerdict
        For the cases of these functions that are offered.

    Notes
    -----
    The convention of a function is the one that explains most of its answers. A case passes if its
    answer is the one of that convention. If the right answer is undefined, so are NaN and any
    exception.

    Examples
    --------
    >>> from calibkit.testing import judge_vectors
    >>> def brier(labels, probabilities):
    ...     pairs = zip(labels, probabilities)
    ...     return sum((z - p) ** 2 for z, p in pairs) / len(labels)
    >>> {verdict.verdict for verdict in judge_vectors({"brier": brier})}
    {'pass'}
    """
    called: dict[str, list] = {}
    for case in read_vectors():
        if case["function"] in functions:
            returned = _call(functions[case["function"]], case["input"])
            if returned is not NotImplemented:
                called.setdefault(_kind(case), []).append((case, returned))
    return [
        _verdict(case, returned, convention)
        for cases in called.values()
        for convention in [_convention(cases)]
        for case, returned in cases
    ]


def describe_verdicts(verdicts: list[CaseVerdict]) -> str:
    """Describe verdicts, a paragraph for each function: its convention, and where it differs.

    Parameters
    ----------
    verdicts : list of CaseVerdict

    Returns
    -------
    text : str

    Examples
    --------
    >>> from calibkit.testing import describe_verdicts, judge_vectors
    >>> def ratio(labels, probabilities):
    ...     return sum(labels) / sum(probabilities)
    >>> print(describe_verdicts(judge_vectors({"observed_expected": ratio})))
    observed_expected: 4 of 4 pass; ratio: O/E
    """
    lines = []
    for function in dict.fromkeys(verdict.function for verdict in verdicts):
        cases = [verdict for verdict in verdicts if verdict.function == function]
        passed = [verdict for verdict in cases if verdict.verdict == "pass"]
        remark = f"; {passed[0].remark}" if passed else ""
        lines.append(f"{function}: {len(passed)} of {len(cases)} pass{remark}")
        for case in cases:
            if case.verdict != "pass":
                lines.append(f"  {case.case}: {case.verdict}, {_told(case)}")
    return "\n".join(lines)


def _told(case):
    returned = case.found if isinstance(case.found, str) else ", ".join(map(str, case.found))
    remark = f" ({case.remark})" if case.remark else ""
    return f"{returned} and not {', '.join(case.right)}{remark}"


def _kind(case):
    """Return the function and its kind of bins, which have conventions of their own."""
    bins = case["input"].get("bins")
    return f"{case['function']}, bins of equal {bins}" if bins else case["function"]


def _call(function, given):
    """Return the numbers that a function returns, the text of an exception, or NotImplemented."""
    if "weights" in given and not _takes_weights(function):
        return NotImplemented
    try:
        return _flat(function(**given))
    except NotImplementedError:
        return NotImplemented
    except Exception as error:  # whatever an implementation raises is a refusal
        return f"{type(error).__name__}: {error}"


def _takes_weights(function):
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == "weights" or p.kind is p.VAR_KEYWORD for p in parameters)


def _flat(answer):
    """Return the numbers of an answer, which may be lists of lists, or arrays."""
    if hasattr(answer, "tolist"):
        answer = answer.tolist()
    if isinstance(answer, list | tuple):
        return [number for part in answer for number in _flat(part)]
    return [math.nan if answer is None else float(answer)]


def _texts(answer):
    decimal = answer["decimal"]
    if isinstance(decimal, str):
        return [decimal]
    return [text for part in decimal for text in _texts({"decimal": part})]


def _is(returned, answer, tolerance, smallest=1.0):
    """Whether the returned numbers equal the numbers of an answer."""
    texts = _texts(answer)
    if "undefined" in texts:
        return isinstance(returned, str) or any(map(math.isnan, returned))
    if isinstance(returned, str) or len(returned) != len(texts):
        return False
    return all(
        number == right
        or (math.isfinite(right) and abs(number - right) <= tolerance * max(smallest, abs(right)))
        for number, right in zip(returned, map(float, texts), strict=True)
    )


def _name(convention):
    return ", ".join(f"{key}: {value}" for key, value in convention.items())


def _agrees(convention, other):
    """Whether two conventions say the same where both say something."""
    return all(other.get(key, value) == value for key, value in convention.items())


def _convention(cases):
    """Return the convention that explains most of the answers."""
    explained: Counter = Counter()
    conventions = {}
    for case, returned in cases:
        for answer in case["answers"]:
            name = _name(answer["convention"])
            conventions.setdefault(name, answer["convention"])
            explained[name] += _is(returned, answer, case["tolerance"])
    most = max(explained.values())
    return next(conventions[name] for name in conventions if explained[name] == most)


def _verdict(case, returned, convention):
    answers = case["answers"]
    same = [answer for answer in answers if _agrees(convention, answer["convention"])]
    verdict, remark = _judged(case, returned, same)
    return CaseVerdict(
        case=case["id"],
        function=_kind(case),
        verdict=verdict,
        found=returned,
        right=_texts((same or answers)[0]),
        remark=remark,
    )


def _judged(case, returned, same):
    """Return a verdict and a remark; `same` are the answers of the convention of the function."""

    def fitting(answers):
        return [answer for answer in answers if _is(returned, answer, case["tolerance"])]

    if fitting(same):
        return "pass", _name(fitting(same)[0]["convention"])
    if fitting(case["answers"]):
        return "other convention", _name(fitting(case["answers"])[0]["convention"])
    if isinstance(returned, str):
        return "refused", ""
    if fitting(case["mistakes"]):
        return "fault", fitting(case["mistakes"])[0]["mistake"]
    nearly = any(_is(returned, answer, IMPRECISE, SMALLEST_SCALE) for answer in case["answers"])
    return ("imprecise" if nearly else "fault"), ""

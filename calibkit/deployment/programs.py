"""A stored map as JavaScript, SQL, ONNX or a table to join, which do not need this package."""

import itertools
import json
import math
import re
import sqlite3
from contextlib import closing

import numpy as np
from scipy.special import logit

from calib.base.maps import CalibrationMap
from calib.base.probabilities import SMALLEST_PROBABILITY, probabilities_of
from calibkit.deployment.inverse_maps import scores_at
from calibkit.deployment.onnx_graph import GRAPHS, onnx_model
from calibkit.deployment.stored_maps import StoredMap

PLAIN_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
RESERVED = frozenset(  # words that PostgreSQL, DuckDB or SQLite does not read as a plain name
    """
    add all alter analyse analyze and anti any array as asc asof asymmetric at authorization
    autoincrement between binary both by case cast check collate collation column commit
    concurrently constraint create cross current_catalog current_date current_role current_schema
    current_time current_timestamp current_user default deferrable delete desc describe distinct do
    drop else end escape except exists false fetch for foreign freeze from full glob grant group
    having ilike in index initially inner insert intersect into is isnull join lambda lateral
    leading left like limit localtime localtimestamp natural not nothing notnull null offset on only
    or order outer overlaps pivot placing positional primary qualify raise references returning
    right select semi session_user set show similar some summarize symmetric system_user table
    tablesample then to trailing transaction true union unique unpack unpivot update user using
    values variadic verbose when where window with
    """.split()
)
MAX_EXP_ARGUMENT = 700  # log-odds, beyond which EXP may leave the range of floats
# probabilities between which scores are kept, so that LN is finite
INNER_ENDS = np.array([SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY])
MAX_LOG_ODDS = -logit(SMALLEST_PROBABILITY)  # log-odds of the probability 1 - SMALLEST_PROBABILITY
JS_SEARCH = """\
  let low = 0, high = scores.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scores[middle] <= score) low = middle + 1; else high = middle;
  }
"""
JS_STEP = "  return probabilities[low];\n"
JS_INTERPOLATE = """\
  if (low === 0) return probabilities[0];
  if (low === scores.length) return probabilities[low - 1];
  const left = probabilities[low - 1], right = probabilities[low];
  const gap = 0.5 * scores[low] - 0.5 * scores[low - 1];
  const share = gap > 0 ? (0.5 * score - 0.5 * scores[low - 1]) / gap : 0;
  const value = left + share * (right - left);
  return Math.min(Math.max(value, Math.min(left, right)), Math.max(left, right));
"""
JS_SIGMOID = "  const logit = slope * score + intercept;\n"
JS_INSIDE = "  const s = Math.min(Math.max(score, 2 ** -53), 1 - 2 ** -53);\n"
JS_POLYNOMIAL = """\
  const apart = Math.log(s / (1 - s)) - centre;
  const logit = coefficients.reduceRight((sum, coefficient) => sum * apart + coefficient, 0);
"""
JS_BETA = (
    "  const logit = level + a * Math.log(s / centre) - b * Math.log((1 - s) / (1 - centre));\n"
)
JS_LOGIT = "  const value = Math.log(s / (1 - s));\n"
JS_SPLINE = """\
  const n = coefficients.length - 2, half = Math.min(Math.max(value, least), greatest) / 2;
  const place = n * ((half - low / 2) / (high / 2 - low / 2));
  const piece = Math.min(Math.max(Math.floor(place) + 1, 0), n + 1);
  const apart = place - Math.max(piece - 1, 0);
  const logit = coefficients[piece].reduceRight((sum, coefficient) => sum * apart + coefficient, 0);
  return Math.min(Math.max(1 / (1 + Math.exp(-logit)), 2 ** -53), 1 - 2 ** -53);
"""
JS_AVERAGE = """
function calibrate(score) {
  const average = members.reduce((sum, member, k) => sum + weights[k] * member(score), 0);
  return oddsFactor === 1 ? average : 1 / (1 + (1 / average - 1) / oddsFactor);
}
"""
JS_FINITE = "  if (!Number.isFinite(score)) throw new RangeError(`no finite number: ${score}`);\n"
JS_MIRRORED = f"""
function calibrate(score) {{
{JS_FINITE}  return mirrored(-score);
}}
"""
LEAST_ADDED = "1e-300"  # makes the reciprocal of a probability of 0 finite, and changes no other
JS_EXPIT = "  return 1 / (1 + Math.exp(-logit));\n"


def program(stored: StoredMap, language: str, score: str, remark: str | None = None) -> str | bytes:
    """The map of a `StoredMap` in another language, with a comment that describes it."""
    origin = f"{stored.method}, fitted to {stored.fitted_to.rows} rows of {stored.fitted_to.file}"
    calibrator = f"The probability of class 1, calibrated by {stored.package}."
    # escaped, because names in a map of unknown origin may hold an end of line
    head = [json.dumps(line)[1:-1] for line in (calibrator, origin, remark) if line]
    if language == "onnx":
        return onnx_model(stored.map_, score, "\n".join(head)).SerializeToString()
    write = PROGRAMS[language].get(stored.map_.kind)
    if write is None:
        raise ValueError(
            f"a {stored.map_.kind} map cannot be exported to {language}: "
            f"{', '.join(PROGRAMS[language])} maps can"
        )
    if language == "table":  # a comment would be read as a row
        return write(stored.map_)
    comment = "//" if language == "javascript" else "--"
    body = write(stored.map_, f"CAST({_sql_name(score)} AS DOUBLE PRECISION)")
    if language == "sql":
        body = _null_unless_finite(_sql_name(score), body)
    return "".join(f"{comment} {line}\n" for line in head) + body


def rule(map_: CalibrationMap, probability: float) -> str:
    """A sentence that names the scores at which the map gives at least this probability."""
    lower, upper, increasing = scores_at(map_, probability)
    first, last = (lower, upper) if increasing else (upper, lower)
    words = f"the probability is at least {probability!r}"
    if math.isinf(first):
        everywhere = (first < 0) == increasing
        return f"{words} {'for every score' if everywhere else 'for no score'}"
    sentence = f"{words} where the score is {'>=' if increasing else '<='} {first!r}"
    return sentence if first == last else f"{sentence}, and just that as far as {last!r}"


def _javascript(names, body):
    """A function that writes a map with these attributes, whose lines `body` return the result."""

    def write(map_, _):
        values = {name: np.asarray(getattr(map_, name)).tolist() for name in names}
        declared = "".join(f"const {name} = {json.dumps(values[name])};\n" for name in names)
        return f"{declared}\nfunction calibrate(score) {{\n{JS_FINITE}{body}}}\n"

    return write


def _javascript_mixture(map_, score):
    """The average of the members, each a separate function."""
    write = PROGRAMS["javascript"]
    members = [write[m.kind](m, score).replace("\n", "\n  ").strip() for m in map_.members]
    functions = "".join(f"  (() => {{\n  {m}\n  return calibrate;\n  }})(),\n" for m in members)
    weights = f"const weights = {json.dumps(map_.weights.tolist())};\n"
    weights += f"const oddsFactor = {json.dumps(float(map_.odds_factor))};\n"
    return f"{weights}const members = [\n{functions}];\n{JS_AVERAGE}"


def _sql_mixture(map_, score):
    write = PROGRAMS["sql"]
    members = [write[member.kind](member, score).strip() for member in map_.members]
    parts = zip(_literals(map_.weights), members, strict=True)
    average = "\n+ ".join(f"{weight} * {member}" for weight, member in parts)
    if map_.odds_factor == 1:
        return f"{average}\n"
    (factor,) = _literals([map_.odds_factor])
    return f"1.0 / (1.0 + (1.0 / ({LEAST_ADDED} + {average}) - 1.0) / {factor})\n"


def _javascript_mirrored(map_, score):
    inner = PROGRAMS["javascript"][map_.map.kind](map_.map, score).replace("\n", "\n  ").strip()
    return f"const mirrored = (() => {{\n  {inner}\n  return calibrate;\n}})();\n{JS_MIRRORED}"


def _sql_mirrored(map_, score):
    return PROGRAMS["sql"][map_.map.kind](map_.map, f"(-{score})")


def _null_unless_finite(name, value):
    """NULL unless the score is finite. The test is needed where a database has NaN equal to NaN."""
    return f"CASE WHEN {name} - {name} = 0 THEN CAST(\n{value}AS DOUBLE PRECISION) END\n"


def _table_of_steps(map_):
    """A row for each interval of scores; the first and the last extend to the largest floats."""
    largest = np.finfo(float).max
    bounds = [-largest, *map_.scores, largest]
    return _csv("lower,upper,probability", bounds[:-1], bounds[1:], map_.probabilities)


def _table_of_knots(map_):
    return _csv("score,probability", map_.scores, map_.probabilities)


def _csv(header, *columns):
    cells = [_literals(column, exponent="") for column in columns]
    rows = [",".join(row) for row in zip(*cells, strict=True)]
    return "".join(f"{row}\n" for row in [header, *rows])


def _case(branches, otherwise):
    """CASE with branches of a condition and a value; without branches, the other value alone."""
    lines = [f"WHEN {condition} THEN {value}" for condition, value in branches]
    if not lines:
        return f"{otherwise}\n"
    return "\n  ".join(["CASE", *lines, f"ELSE {otherwise}"]) + "\nEND\n"


def _sql_step(map_, score):
    values = _literals(map_.probabilities)
    below = [f"{score} < {cut}" for cut in _literals(map_.scores)]
    return _case(zip(below, values[:-1], strict=True), values[-1])


def _sql_linear(map_, score):
    values = _literals(map_.probabilities)
    halves = 0.5 * map_.scores
    gaps = _literals(np.diff(halves))
    rises = _literals(np.diff(map_.probabilities))
    pieces = values[:1]
    for value, half, gap, rise in zip(values, _literals(halves), gaps, rises, strict=False):
        is_flat = 0 in (float(rise), float(gap))
        line = f"{value} + (0.5 * {score} - {half}) / {gap} * {rise}"
        pieces.append(value if is_flat else line)
    below = [f"{score} < {knot}" for knot in _literals(map_.scores)]
    return _case(zip(below, pieces, strict=True), values[-1])


def _sql_sigmoid(map_, score):
    slope, intercept = _literals([map_.slope, map_.intercept])
    return _sql_logistic(f"({slope} * {score} + {intercept})")


def _sql_polynomial(map_, score):
    centre, *lower, logit = _literals([map_.centre, *map_.coefficients])
    for coefficient in reversed(lower):
        logit = f"({coefficient} + (LN({score} / (1.0 - {score})) - {centre}) * {logit})"
    return _sql_logistic(logit, _sql_ends(map_, score, INNER_ENDS))


def _sql_beta(map_, score):
    a, b, level = _literals([map_.a, map_.b, map_.level])
    low, high = _literals([map_.centre, 1 - map_.centre])
    logit = f"({level} + {a} * LN({score} / {low}) - {b} * LN((1.0 - {score}) / {high}))"
    return _sql_logistic(logit, _sql_ends(map_, score, INNER_ENDS))


def _sql_spline(map_, score):
    return _sql_pieces(map_, score, score, _unchanged)


def _sql_logit_spline(map_, score):
    return _sql_pieces(map_, score, f"LN({score} / (1.0 - {score}))", probabilities_of)


def _unchanged(values):
    return values


def _sql_pieces(map_, score, value, score_of):
    """A spline of `value`. The scores where its pieces begin are `score_of` the knots."""
    n = len(map_.coefficients) - 2
    halves = np.linspace(map_.low / 2, map_.high / 2, n + 1)  # the range may be beyond all floats
    half, gap = _literals([halves[0], halves[-1] - halves[0]])
    largest_logit, least_logit = _literals([MAX_LOG_ODDS, -MAX_LOG_ODDS])
    largest, least = _literals([1 - SMALLEST_PROBABILITY, SMALLEST_PROBABILITY])
    position = f"{n}.0 * (0.5 * {value} - {half}) / {gap}"
    pieces = []
    for j, coefficients in enumerate(map_.coefficients):
        *lower, logit = _literals(coefficients)
        for coefficient in reversed(lower):
            logit = f"({coefficient} + ({position} - {max(j - 1, 0)}.0) * {logit})"
        limits = [(f"{logit} > {largest_logit}", largest), (f"{logit} < {least_logit}", least)]
        pieces.append(_case(limits, f"1.0 / (1.0 + EXP(-{logit}))").strip())
    branches = _sql_ends(map_, score, score_of(np.array([map_.least, map_.greatest])))
    below = [f"{score} < {cut}" for cut in _literals(score_of(2 * halves))]
    return _case([*branches, *zip(below, pieces[:-1], strict=True)], pieces[-1])


def _sql_logistic(logit, ends=()):
    """Log-odds to probability, which beyond `MAX_EXP_ARGUMENT` is 0 or 1 up to 1e-300."""
    limits = [(f"{logit} > {MAX_EXP_ARGUMENT}", "1.0"), (f"{logit} < -{MAX_EXP_ARGUMENT}", "0.0")]
    return _case([*ends, *limits], f"1.0 / (1.0 + EXP(-({logit})))")


def _sql_ends(map_, score, ends):
    """Branches for the scores beyond both ends, where the map is constant."""
    low, high = _literals(ends)
    lowest, highest = _literals(map_(ends))
    return [(f"{score} <= {low}", lowest), (f"{score} >= {high}", highest)]


def _sql_name(score):
    """The name of a column in SQL, in quotes where it is no plain name."""
    if not PLAIN_NAME.fullmatch(score):
        return '"' + score.replace('"', '""') + '"'
    return ".".join(f'"{p}"' if p.lower() in RESERVED else p for p in score.split("."))


def _literals(values, exponent="e0"):
    """Digits that every database reads as these floats; SQLite rounds some last digits wrongly."""
    with closing(sqlite3.connect(":memory:")) as database:

        def reads(text, value):
            return database.execute(f"SELECT {text}").fetchone()[0] == value

        return [_digits(float(value), reads, exponent) for value in values]


def _digits(value, reads, exponent):
    """The shortest digits that `reads` accepts for `value`.

    In SQL they have an exponent, which makes a literal a float and no DECIMAL.
    """
    shortest = repr(value) if "e" in repr(value) else f"{value!r}{exponent}"
    longer = (f"{value:.{precision}e}" for precision in range(16, 40))
    for digits in itertools.chain([shortest], longer):
        if reads(digits, value):
            return digits
    return shortest


TABLE_NAMES = ["scores", "probabilities"]
SPLINE_NAMES = ["least", "greatest", "low", "high", "coefficients"]
PROGRAMS = {
    "javascript": {
        "step": _javascript(TABLE_NAMES, JS_SEARCH + JS_STEP),
        "linear": _javascript(TABLE_NAMES, JS_SEARCH + JS_INTERPOLATE),
        "sigmoid": _javascript(["slope", "intercept"], JS_SIGMOID + JS_EXPIT),
        "logit_polynomial": _javascript(
            ["coefficients", "centre"], JS_INSIDE + JS_POLYNOMIAL + JS_EXPIT
        ),
        "spline": _javascript(SPLINE_NAMES, "  const value = score;\n" + JS_SPLINE),
        "logit_spline": _javascript(SPLINE_NAMES, JS_INSIDE + JS_LOGIT + JS_SPLINE),
        "beta": _javascript(["a", "b", "level", "centre"], JS_INSIDE + JS_BETA + JS_EXPIT),
        "mixture": _javascript_mixture,
        "mirrored": _javascript_mirrored,
    },
    "onnx": GRAPHS,
    "table": {"step": _table_of_steps, "linear": _table_of_knots},
    "sql": {
        "step": _sql_step,
        "linear": _sql_linear,
        "sigmoid": _sql_sigmoid,
        "logit_polynomial": _sql_polynomial,
        "spline": _sql_spline,
        "logit_spline": _sql_logit_spline,
        "beta": _sql_beta,
        "mixture": _sql_mixture,
        "mirrored": _sql_mirrored,
    },
}

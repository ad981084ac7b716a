"""The JSON schema of the test vectors."""

from vectors.functions import FUNCTIONS


def nested(kind):
    """Return the schema of a thing, a list of it, or a list of lists."""
    lists = {"type": "array", "items": kind}
    return {"anyOf": [kind, lists, {"type": "array", "items": lists}]}


def an_object(properties, optional=()):
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


FRACTION = {"type": "string", "pattern": "^-?[0-9]+(/[1-9][0-9]*)?$"}
DECIMAL = {
    "type": "string",
    "pattern": "^(-?[0-9]+([.][0-9]+)?(E[+-]?[0-9]+)?|undefined|-?infinity)$",
}
ANSWER = {
    "fraction": {
        "description": "absent as null where it is irrational or longer than 60 characters",
        **nested({"anyOf": [FRACTION, {"type": "null"}]}),
    },
    "decimal": {"description": "at most 30 digits", **nested(DECIMAL)},
}
ROWS = {"type": "array", "items": {"type": "number"}}
INPUT = {
    "labels": {"type": "array", "items": {"enum": [0, 1]}, "minItems": 1},
    "probabilities": ROWS,
    "scores": ROWS,
    "weights": ROWS,
    "new_scores": ROWS,
    "thresholds": ROWS,
    "n_bins": {"type": "integer", "minimum": 1},
    "bins": {"enum": ["width", "mass"]},
    "loss": {"enum": ["brier", "log"]},
    "scale": {"enum": ["score", "logit"]},
}
TEXT = {"type": "string", "minLength": 1}
CONVENTION = {"type": "object", "additionalProperties": TEXT, "minProperties": 1}
CASE = an_object(
    {
        "id": {"type": "string", "pattern": "^[a-z0-9-]+$"},
        "function": {"enum": list(FUNCTIONS)},
        "input": an_object(INPUT, optional=set(INPUT) - {"labels"}),
        "answers": {
            "description": "one for each convention; the first is the one of the source",
            "type": "array",
            "minItems": 1,
            "items": an_object({"convention": CONVENTION, **ANSWER}),
        },
        "mistakes": {
            "description": "answers of known mistakes, all of them wrong",
            "type": "array",
            "items": an_object({"mistake": TEXT, **ANSWER}),
        },
        "tolerance": {
            "description": "largest distance of a right answer, times the larger of 1 and its size",
            "type": "number",
            "exclusiveMinimum": 0,
        },
        "tolerance_reason": TEXT,
        "source": TEXT,
        "why": TEXT,
    }
)
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Test vectors for measures and methods of calibration",
    **an_object(
        {
            "name": {"const": "calibration"},
            "version": {"const": 1},
            "functions": {"type": "object", "additionalProperties": TEXT},
            "cases": {"type": "array", "items": CASE},
        }
    ),
}

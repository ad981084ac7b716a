"""A map as a graph of ONNX, for runtimes that know nothing of this package."""

import numpy as np

from calib.contract.validation import NEAREST

OPSET, IR = 18, 9  # of 2023: onnxruntime from 1.14 on reads them


class _Graph:
    """Nodes and constants; call it with an operator and its inputs, names or numbers."""

    def __init__(self, helper):
        self.helper, self.nodes, self.constants = helper, [], []

    def __call__(self, operator, *inputs, output=None, **attributes):
        names = [i if isinstance(i, str) else self._constant(i) for i in inputs]
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operator, names, [output], **attributes))
        return output

    def _constant(self, values):
        values, name = np.asarray(values), f"c{len(self.constants)}"
        kind = self.helper.np_dtype_to_tensor_dtype(values.dtype)
        tensor = self.helper.make_tensor(name, kind, values.shape, values.tobytes(), raw=True)
        self.constants.append(tensor)
        return name

    def within(self, values, low, high):
        """Values kept within limits, which may be arrays."""
        return self("Min", self("Max", values, low), high)

    def whole(self, values):
        """Values as numbers of rows of a table."""
        return self("Cast", values, to=self.helper.np_dtype_to_tensor_dtype(np.dtype(np.int64)))


def onnx_model(map_, score: str = "score", origin: str = ""):
    """The map as a model of ONNX: from a vector `score` of doubles to one of probabilities.

    Where the score is no finite number, the probability is NaN. Steps and lines give the float that
    the map gives; logarithms and exponentials of another library may differ in the last digits.
    `origin` says what the map is, and stays in the model. A `ValueError` says if onnx is missing.
    """
    try:
        from onnx import TensorProto, helper
    except ImportError as error:
        raise ValueError(f"onnx is needed ({error}): pip install onnx") from None
    graph = _Graph(helper)
    finite = graph("Equal", graph("Sub", score, score), 0.0)
    value = FORMS[map_.kind](graph, map_, graph("Where", finite, score, 0.5))
    graph("Where", finite, value, np.nan, output="probability")
    row = TensorProto.DOUBLE, ["rows"]
    source, target = ([helper.make_tensor_value_info(n, *row)] for n in (score, "probability"))
    body = helper.make_graph(graph.nodes, "calibration", source, target, graph.constants)
    opset = [helper.make_opsetid("", OPSET)]
    about = {"producer_name": "calib", "doc_string": origin, "ir_version": IR}
    return helper.make_model(body, opset_imports=opset, **about)


def _count(graph, knots, value):
    """How many knots are at most the value: bits of the answer, the highest first."""
    depth = max(1, int(knots.size).bit_length())
    padded = np.append(knots, np.full(2**depth - knots.size, np.inf))
    count = np.int64(0)
    for size in (2**bit for bit in reversed(range(depth))):
        probe = graph("Gather", padded, graph("Add", count, np.int64(size - 1)))
        passed = graph.whole(graph("LessOrEqual", probe, value))
        count = graph("Add", count, graph("Mul", passed, np.int64(size)))
    return count


def _step(graph, map_, value):
    return graph("Gather", map_.probabilities, _count(graph, map_.scores, value))


def _linear(graph, map_, value):
    halves, rises = 0.5 * map_.scores, np.diff(map_.probabilities)
    gaps = np.diff(halves)
    rises, gaps = np.where(gaps > 0, rises, 0), np.where(gaps > 0, gaps, 1)
    left, right = (np.insert(map_.probabilities, k, map_.probabilities[k]) for k in (0, -1))
    right[-1] = left[-1] = map_.probabilities[-1]
    piece = _count(graph, map_.scores, value)
    lines = np.insert(halves, 0, halves[0]), np.pad(gaps, 1, constant_values=1.0), np.pad(rises, 1)
    values = left, np.minimum(left, right), np.maximum(left, right)
    columns = (graph("Gather", column, piece) for column in (*lines, *values))
    half, gap, rise, start, low, high = columns
    share = graph("Div", graph("Sub", graph("Mul", value, 0.5), half), gap)
    return graph.within(graph("Add", start, graph("Mul", share, rise)), low, high)


def _logistic(logit):
    return lambda graph, map_, value: graph("Sigmoid", logit(graph, map_, value))


def _sigmoid(graph, map_, value):
    return graph("Add", graph("Mul", value, map_.slope), map_.intercept)


def _powers(graph, coefficients, value):
    """A polynomial whose coefficients may differ from row to row."""
    *lower, result = coefficients
    for coefficient in reversed(lower):
        result = graph("Add", graph("Mul", result, value), coefficient)
    return result


def _log_odds(graph, value):
    value = graph.within(value, NEAREST, 1 - NEAREST)
    return graph("Log", graph("Div", value, graph("Sub", 1.0, value)))


def _polynomial(graph, map_, value):
    apart = graph("Sub", _log_odds(graph, value), map_.centre)
    coefficients = [float(c) for c in map_.coefficients]
    # a constant, too, has the shape of the scores
    return graph("Add", graph("Mul", apart, 0.0), _powers(graph, coefficients, apart))


def _beta(graph, map_, value):
    value = graph.within(value, NEAREST, 1 - NEAREST)
    first = graph("Log", graph("Div", value, map_.centre))
    second = graph("Log", graph("Div", graph("Sub", 1.0, value), 1 - map_.centre))
    parts = graph("Mul", first, map_.a), graph("Mul", second, map_.b)
    return graph("Add", graph("Sub", parts[0], parts[1]), map_.level)


def _spline(graph, map_, value):
    n = len(map_.coefficients) - 2
    half = graph("Mul", graph.within(value, map_.least, map_.greatest), 0.5)
    width = map_.high / 2 - map_.low / 2
    place = graph("Mul", graph("Div", graph("Sub", half, map_.low / 2), width), float(n))
    start = graph.within(graph("Floor", place), -1.0, float(n))
    piece = graph.whole(graph("Add", start, 1.0))
    rows = (graph("Gather", column.copy(), piece) for column in map_.coefficients.T)
    apart = graph("Sub", place, graph("Max", start, 0.0))
    return graph.within(graph("Sigmoid", _powers(graph, rows, apart)), NEAREST, 1 - NEAREST)


def _mixture(graph, map_, value):
    total = 0.0
    for weight, member in zip(map_.weights.tolist(), map_.members, strict=True):
        part = graph("Mul", FORMS[member.kind](graph, member, value), weight)
        total = graph("Add", total, part)
    return total


FORMS = {
    "step": _step,
    "linear": _linear,
    "sigmoid": _logistic(_sigmoid),
    "logit_polynomial": _logistic(_polynomial),
    "beta": _logistic(_beta),
    "spline": _spline,
    "logit_spline": lambda graph, map_, value: _spline(graph, map_, _log_odds(graph, value)),
    "mixture": _mixture,
}

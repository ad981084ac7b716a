"""A map as a graph of ONNX, for runtimes without this package."""

import numpy as np

from calib.base.probabilities import SMALLEST_PROBABILITY

OPSET = 18  # version of the operators, which onnxruntime reads from 1.14 (2023) on
IR_VERSION = 9  # version of the format, read since the same release


class _Graph:
    """Nodes and constants; call it with an operator and its inputs, names or numbers."""

    def __init__(self, helper):
        self.helper = helper
        self.nodes = []
        self.constants = []

    def __call__(self, operator, *inputs, output=None, **attributes):
        names = [value if isinstance(value, str) else self._constant(value) for value in inputs]
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operator, names, [output], **attributes))
        return output

    def _constant(self, values):
        values = np.asarray(values)
        name = f"c{len(self.constants)}"
        kind = self.helper.np_dtype_to_tensor_dtype(values.dtype)
        tensor = self.helper.make_tensor(name, kind, values.shape, values.tobytes(), raw=True)
        self.constants.append(tensor)
        return name

    def within(self, values, low, high):
        """Keep values within limits, which may be arrays."""
        return self("Min", self("Max", values, low), high)

    def whole(self, values):
        """Convert values to integers, as numbers of rows of a table."""
        return self("Cast", values, to=self.helper.np_dtype_to_tensor_dtype(np.dtype(np.int64)))


def onnx_model(map_, score: str = "score", origin: str = ""):
    """The map as a model of ONNX: from a vector `score` of doubles to a vector of probabilities.

    Where the score is no finite number, the probability is NaN. Steps and lines give the same
    floats as the map. Logarithms and exponentials of another library may differ in the last digits.
    `origin` describes the map and is stored in the model.

    Raises
    ------
    ValueError
        If onnx is missing.
    """
    try:
        from onnx import TensorProto, helper
    except ImportError as error:
        raise ValueError(f"onnx is needed ({error}): pip install onnx") from None
    graph = _Graph(helper)
    finite = graph("Equal", graph("Sub", score, score), 0.0)
    value = GRAPHS[map_.kind](graph, map_, graph("Where", finite, score, 0.5))
    graph("Where", finite, value, np.nan, output="probability")
    source = helper.make_tensor_value_info(score, TensorProto.DOUBLE, ["rows"])
    target = helper.make_tensor_value_info("probability", TensorProto.DOUBLE, ["rows"])
    body = helper.make_graph(graph.nodes, "calibration", [source], [target], graph.constants)
    return helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="calib",
        doc_string=origin,
        ir_version=IR_VERSION,
    )


def _count(graph, knots, value):
    """The number of knots that are at most the value, found bit by bit from the highest."""
    depth = max(1, int(knots.size).bit_length())
    padded = np.append(knots, np.full(2**depth - knots.size, np.inf))
    count = np.int64(0)
    for bit in reversed(range(depth)):
        size = 2**bit
        probe = graph("Gather", padded, graph("Add", count, np.int64(size - 1)))
        passed = graph.whole(graph("LessOrEqual", probe, value))
        count = graph("Add", count, graph("Mul", passed, np.int64(size)))
    return count


def _step(graph, map_, value):
    return graph("Gather", map_.probabilities, _count(graph, map_.scores, value))


def _linear(graph, map_, value):
    """Each piece is a line from its left end. The outer pieces are constant."""
    halves = 0.5 * map_.scores
    gaps = np.diff(halves)
    rises = np.where(gaps > 0, np.diff(map_.probabilities), 0)
    gaps = np.where(gaps > 0, gaps, 1)
    left = np.insert(map_.probabilities, 0, map_.probabilities[0])
    right = np.append(map_.probabilities, map_.probabilities[-1])
    piece = _count(graph, map_.scores, value)
    half = graph("Gather", np.insert(halves, 0, halves[0]), piece)
    gap = graph("Gather", np.pad(gaps, 1, constant_values=1.0), piece)
    rise = graph("Gather", np.pad(rises, 1), piece)
    start = graph("Gather", left, piece)
    low = graph("Gather", np.minimum(left, right), piece)
    high = graph("Gather", np.maximum(left, right), piece)
    share = graph("Div", graph("Sub", graph("Mul", value, 0.5), half), gap)
    return graph.within(graph("Add", start, graph("Mul", share, rise)), low, high)


def _sigmoid(graph, map_, value):
    logit = graph("Add", graph("Mul", value, map_.slope), map_.intercept)
    return graph("Sigmoid", logit)


def _powers(graph, coefficients, value):
    """A polynomial whose coefficients may differ from row to row."""
    *lower, result = coefficients
    for coefficient in reversed(lower):
        result = graph("Add", graph("Mul", result, value), coefficient)
    return result


def _log_odds(graph, value):
    value = graph.within(value, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return graph("Log", graph("Div", value, graph("Sub", 1.0, value)))


def _polynomial(graph, map_, value):
    distance = graph("Sub", _log_odds(graph, value), map_.centre)
    coefficients = [float(c) for c in map_.coefficients]
    zeros = graph("Mul", distance, 0.0)  # they give a constant polynomial the shape of the scores
    return graph("Sigmoid", graph("Add", zeros, _powers(graph, coefficients, distance)))


def _beta(graph, map_, value):
    value = graph.within(value, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    first = graph("Log", graph("Div", value, map_.centre))
    second = graph("Log", graph("Div", graph("Sub", 1.0, value), 1 - map_.centre))
    difference = graph("Sub", graph("Mul", first, map_.a), graph("Mul", second, map_.b))
    return graph("Sigmoid", graph("Add", difference, map_.level))


def _spline(graph, map_, value):
    n = len(map_.coefficients) - 2
    half = graph("Mul", graph.within(value, map_.least, map_.greatest), 0.5)
    width = map_.high / 2 - map_.low / 2
    position = graph("Mul", graph("Div", graph("Sub", half, map_.low / 2), width), float(n))
    start = graph.within(graph("Floor", position), -1.0, float(n))
    piece = graph.whole(graph("Add", start, 1.0))
    distance = graph("Sub", position, graph("Max", start, 0.0))
    coefficients = [graph("Gather", column.copy(), piece) for column in map_.coefficients.T]
    logit = _powers(graph, coefficients, distance)
    return graph.within(graph("Sigmoid", logit), SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)


def _logit_spline(graph, map_, value):
    return _spline(graph, map_, _log_odds(graph, value))


def _weighted_sum(graph, map_, value):
    total = 0.0
    for weight, member in zip(map_.weights.tolist(), map_.members, strict=True):
        part = graph("Mul", GRAPHS[member.kind](graph, member, value), weight)
        total = graph("Add", total, part)
    if map_.odds_factor == 1:
        return total
    against = graph("Div", graph("Sub", graph("Div", 1.0, total), 1.0), float(map_.odds_factor))
    return graph("Div", 1.0, graph("Add", 1.0, against))


def _mirrored(graph, map_, value):
    return GRAPHS[map_.map.kind](graph, map_.map, graph("Neg", value))


GRAPHS = {
    "step": _step,
    "linear": _linear,
    "sigmoid": _sigmoid,
    "logit_polynomial": _polynomial,
    "beta": _beta,
    "spline": _spline,
    "logit_spline": _logit_spline,
    "mixture": _weighted_sum,
    "mirrored": _mirrored,
}

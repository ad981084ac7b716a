"""Plain values between the grader and a student's process: numbers, text, lists, arrays, functions.

Both sides read this file. What comes in is made of exact builtin types and fresh arrays, whatever
the sender did: nothing is unpickled, and no received object has a method of the sender's.
"""

import base64
import json
import math
import struct
import time
from numbers import Number

import numpy as np

LIMIT = 32 * 2**20  # bytes of a message
KINDS = "biufcU"  # of arrays: bool, integers, floats, text; no objects
PLAIN = (bool, int, float, str)


class NotPlain(ValueError):
    """A value that cannot be sent, or bytes that are no value."""


def encoded(value, functions):
    """The value as JSON has it; a function is kept in a list and becomes its place there."""
    if value is None or type(value) in PLAIN:
        return value
    if isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__"):  # or of pandas
        return encoded_array(np.asarray(value))
    for kind in PLAIN:
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Number):  # a fraction
        return float(value)
    if isinstance(value, dict):
        return {"pairs": [encoded(pair, functions) for pair in value.items()]}
    if isinstance(value, np.random.Generator):  # a child: nobody foresees what the sender draws
        return {"generator": value.spawn(1)[0].bit_generator.state}
    if callable(value):
        functions.append(value)
        return {"function": len(functions) - 1}
    if not hasattr(value, "__iter__"):
        raise NotPlain(f"{type(value).__name__} is no number, text, list or array")
    return [encoded(entry, functions) for entry in value]


def encoded_array(array):
    """An array as its dtype, shape and bytes."""
    if array.dtype.kind == "O":
        array = np.array(array.tolist())
    if array.dtype.kind not in KINDS:
        raise NotPlain(f"an array of {array.dtype} holds no numbers")
    content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": array.dtype.str, "shape": list(array.shape), "bytes": content}


def decoded(message, function):
    """The value of a message; ``function`` makes something to call of a function's place."""
    if isinstance(message, list):
        return [decoded(entry, function) for entry in message]
    if not isinstance(message, dict):
        return message
    if "bytes" in message:
        return decoded_array(message)
    if "pairs" in message:
        return dict(decoded(pair, function) for pair in message["pairs"])
    if "generator" in message:
        generator = np.random.default_rng()
        generator.bit_generator.state = message["generator"]
        return generator
    return function(int(message["function"]))


def decoded_array(message):
    """A fresh array, or a scalar of NumPy for an array without axes."""
    dtype, shape = np.dtype(str(message["dtype"])), tuple(map(int, message["shape"]))
    content = base64.b64decode(message["bytes"])
    if dtype.kind not in KINDS or len(shape) > 8 or min(shape, default=0) < 0:
        raise NotPlain("an array that holds no numbers")
    if math.prod(shape) * dtype.itemsize != len(content):
        raise NotPlain("an array whose bytes do not fill its shape")
    return np.frombuffer(content, dtype).reshape(shape).copy()[()]


class Channel:
    """One end of a socket, for messages of bounded size."""

    def __init__(self, socket):
        self.socket = socket
        self.deadline = None  # of time.monotonic; TimeoutError after it

    def send(self, message):
        """Write a message: its length, then JSON."""
        content = json.dumps(message).encode()
        if len(content) > LIMIT:
            raise NotPlain(f"a value of {len(content) // 2**20} MB is too large")
        self._wait()
        self.socket.sendall(struct.pack(">I", len(content)) + content)

    def receive(self):
        """Read a message; EOFError where the other end is closed."""
        (length,) = struct.unpack(">I", self._exactly(4))
        if length > LIMIT:
            raise NotPlain(f"a message of {length // 2**20} MB is too large")
        return json.loads(self._exactly(length))

    def _exactly(self, n):
        parts = []
        while n:
            self._wait()
            parts.append(self.socket.recv(min(n, 2**20)))
            if not parts[-1]:
                raise EOFError("the other end is closed")
            n -= len(parts[-1])
        return b"".join(parts)

    def _wait(self):
        """Let the next step of the socket end at the deadline."""
        if self.deadline is not None:
            self.socket.settimeout(max(self.deadline - time.monotonic(), 1e-3))

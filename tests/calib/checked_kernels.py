"""The package once more, with kernels in plain Python on arrays that check every access.

Compiled kernels check no bounds: an index born of a NaN or an overflow reads or writes somewhere
else in memory. Here it is an error, and so is a loop without end.
"""

import ast
import functools
import importlib
import importlib.util
import math
import pkgutil
import re
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import calib
import calibkit

PACKAGES = (calib, calibkit)
IS_KERNEL = re.compile(r"calib\.kernels\.|.*_kernels$")
LOOPS = {  # of one method or test, under a name of their own
    "calib.methods.gaussian_sums",
    "calib.methods.kernel_sums",
    "calibkit.inference.label_paths",
    "calibkit.inference.signed_range",
    "calibkit.inference.total_variation",
    "calibkit.prediction_intervals.interval_sums",
}
MODULES = {
    module.name
    for package in PACKAGES
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.ispkg
}
CHECKED = LOOPS | {name for name in MODULES if IS_KERNEL.match(name)}
CHECKED.remove("calib.kernels.newton")  # no compiled loop
CALIBRATORS = [
    "ABB", "BBQ", "ENIR", "BetaCalibration", "DirectIsotonic", "DirichletProcessCalibrator",
    "HistogramBinning", "IsotonicCalibrator", "KernelCalibrator", "PlattScaling", "QuadraticLogit",
    "SplineCalibrator", "TemperatureScaling", "VennAbers",
]  # fmt: skip
MOST_ACCESSES = 2_000_000  # in one call of `bounded`: beyond, a loop has no end
done = SimpleNamespace(accesses=0)  # no attribute of the class: to change one takes long
UNWRITTEN = {"f": np.nan, "i": np.iinfo(np.int64).min, "u": 255}  # what `empty` leaves in an array


class Checked(np.ndarray):
    """An array that has, for kernels, integer indices from 0 on and below its size, no others."""

    def __getitem__(self, index):
        return super().__getitem__(self._allowed(index))

    def __setitem__(self, index, value):
        super().__setitem__(self._allowed(index), value)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return array[()] if array.ndim == 0 else array.view(Checked)

    def _allowed(self, index):
        if sys._getframe(2).f_globals["__name__"] not in CHECKED:
            return index
        done.accesses += 1
        if done.accesses > MOST_ACCESSES:
            raise RuntimeError("a loop without end")
        if type(index) is int and self.ndim == 1 and 0 <= index < len(self):
            return index  # nearly all accesses: it need not take the long way
        along = index if isinstance(index, tuple) else (index,)
        for item, size in zip(along, self.shape, strict=False):
            if isinstance(item, slice):
                inside = all(0 <= end <= size for end in (item.start, item.stop) if end is not None)
            elif isinstance(item, np.ndarray):
                inside = item.dtype == bool or np.all((item >= 0) & (item < size))
            else:
                inside = isinstance(item, int | np.integer) and 0 <= item < size
            if not inside:
                raise IndexError(f"{item!r} is no index along an axis of {size}")
        return index


def checked(value):
    """The arrays in `value`, an array or tuple, as checked ones; anything else as it is."""
    if isinstance(value, np.ndarray):
        return value.view(Checked)
    if isinstance(value, tuple):
        items = [checked(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def bounded(function, *arguments):
    """Call a kernel; an access out of bounds, a bad integer or a loop without end raise."""
    done.accesses = 0
    with np.errstate(all="ignore"):
        return function(*map(checked, arguments))


def jit(function):
    """What `calib.kernels.compiling.jit` does without numba, on checked arrays."""

    @functools.wraps(function)
    def plain(*arguments):
        with np.errstate(all="ignore"):
            return function(*map(checked, arguments))

    return plain


class CheckedNumPy:
    """NumPy with functions that make checked arrays."""

    def __getattr__(self, name):
        function = getattr(np, name)
        if isinstance(function, type | np.ufunc) or not callable(function):
            return function

        def call(*arguments, **options):
            result = function(*arguments, **options)
            if name.startswith("empty"):
                result.fill(UNWRITTEN[result.dtype.kind])
            return checked(result)

        return call


class CompiledMath:
    """The module `math` with NaN where there is no result, as in compiled code, and no error."""

    def __getattr__(self, name):
        def call(*arguments):
            try:
                return getattr(math, name)(*arguments)
            except (ValueError, OverflowError):
                return np.nan

        return call


def integer(value):
    """`int` for a number that a machine integer can hold; a compiled one gives any other anyhow."""
    if not -(2**63) <= value < 2**63:  # true for NaN
        raise OverflowError(f"{value} as an integer")
    return int(value)


class NamedLast(ast.NodeTransformer):
    """Turn ``x[-1]``, where the source itself says -1, into ``x[len(x) - 1]``."""

    def visit_Subscript(self, node):
        self.generic_visit(node)
        for part in ast.walk(node.slice):
            for field, value in ast.iter_fields(part):
                if isinstance(part, ast.Slice) and field != "step" and is_negative(value):
                    setattr(part, field, from_the_end(node.value, value))
        if is_negative(node.slice):
            node.slice = from_the_end(node.value, node.slice)
        return node


def is_negative(node):
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    )


def from_the_end(array, index):
    size = ast.Call(ast.Name("len", ast.Load()), [array], [])
    return ast.BinOp(size, ast.Sub(), index.operand)


class Loader(SourceFileLoader):
    """Load a kernel module with checks."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        tree = NamedLast().visit(ast.parse(self.get_data(path)))
        return compile(ast.fix_missing_locations(tree), path, "exec")

    def exec_module(self, module):
        super().exec_module(module)
        if module.__name__.endswith(".compiling"):
            module.compiled, module.jit = False, jit
            return
        constants = {k: v.view(Checked) for k, v in vars(module).items() if type(v) is np.ndarray}
        vars(module).update(constants, np=CheckedNumPy(), math=CompiledMath(), int=integer)


class Finder:
    """Find the kernel modules, for `Loader`."""

    @staticmethod
    def find_spec(name, path, target=None):
        if name not in CHECKED:
            return None
        file = str(Path(path[0]) / f"{name.rpartition('.')[2]}.py")
        return importlib.util.spec_from_file_location(name, file, loader=Loader(name, file))


def load():
    """The kernel modules and the calibrators by name, beside those that are in use."""
    in_use = {name: sys.modules.pop(name) for name in list(sys.modules) if is_ours(name)}
    sys.meta_path.insert(0, Finder)
    try:
        kernels = {
            name.rpartition(".")[2].removesuffix("_kernels"): importlib.import_module(name)
            for name in sorted(CHECKED)
        }
        package = importlib.import_module("calib")
        calibrators = {name: getattr(package, name) for name in CALIBRATORS}
    finally:
        sys.meta_path.remove(Finder)
        for name in filter(is_ours, list(sys.modules)):
            del sys.modules[name]
        sys.modules.update(in_use)
    return SimpleNamespace(**kernels), SimpleNamespace(**calibrators)


def is_ours(name):
    return name.split(".")[0] in {"calib", "calibkit"}

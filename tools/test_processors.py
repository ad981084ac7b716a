"""Run every notebook as other processors would compute it, and compare its outputs.

python tools/test_processors.py              every setting
python tools/test_processors.py WORD ...     those settings whose line holds one of the words

Processors differ in the last bit of a dot product, of a sum or of an exponential; no number in the
book may hang on it. A setting is a set of environment variables under which OpenBLAS, Numba, NumPy
and the C library take the code that they have for another processor, or under which the folder
`perturbed` moves the inputs of classifiers and calibrators, which shows the same on any machine.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CORES = {"Prescott": "pni", "Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512f"}
NUMBA = {"NUMBA_CPU_NAME": "generic"}
NO_AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
NO_AVX = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}
NO_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2"}
SEEDS = ["1", "2", "3"]


class Setting(NamedTuple):
    """Environment variables, and what the processor needs for them, as /proc/cpuinfo names it."""

    environment: dict
    needs: str = ""

    def __str__(self):
        return " ".join(f"{name}={value}" for name, value in self.environment.items())


def settings():
    """Every setting, whether this processor has what it needs or not."""
    for core, needs in CORES.items():
        for threads in ["1", "2"]:
            yield Setting({"OPENBLAS_CORETYPE": core, "OMP_NUM_THREADS": threads}, needs)
    yield Setting(NUMBA)
    yield Setting(NO_AVX512, "avx512f")
    yield Setting(NO_FMA, "fma")
    yield Setting({"OPENBLAS_CORETYPE": "Prescott", **NUMBA, **NO_AVX, **NO_FMA}, "avx2")
    for seed in SEEDS:
        yield Setting({"PERTURBATION": seed, "PYTHONPATH": str(ROOT / "tools" / "perturbed")})


def features():
    """What this processor has; nothing is known of it where there is no /proc/cpuinfo."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.exists() else []
    return {word for line in lines if line.startswith("flags") for word in line.split()} | {""}


def run(setting):
    """Whether all notebooks give their stored outputs, and what pytest wrote."""
    command = ["make", "--no-print-directory", "test-notebooks"]
    environment = {**os.environ, **setting.environment}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr * (done.returncode != 0)


def main():
    """Run the settings, tell the outcome of each, and fail if one of them does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="default: every setting")
    words = parser.parse_args().words
    passed, failed, known = 0, 0, features()
    for setting in settings():
        if words and not any(word in str(setting) for word in words):
            continue
        if setting.needs not in known:
            print(f"left out, no {setting.needs}: {setting}", flush=True)
            continue
        success, text = run(setting)
        passed, failed = passed + success, failed + (not success)
        print(f"{setting}: {text.splitlines()[-1] if success else text}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()

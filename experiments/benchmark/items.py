"""The benchmark as something that can be reproduced."""

from experiments.benchmark.cross import BENCHMARK_CROSS
from experiments.benchmark.peers import BENCHMARK_PEERS
from experiments.benchmark.protocol import BENCHMARK
from experiments.benchmark.second import BENCHMARK_SECOND
from experiments.benchmark.truth import BENCHMARK_TRUTH
from experiments.contents import Paper, Study

_CHAPTER = "33_which_calibrator"
PAPER = Paper(
    name="benchmark",
    citation="The benchmark of this book",
    short="",
    studies=tuple(
        Study(name=name, title=one.title, chapter=_CHAPTER, experiments=(one.name,))
        for name, one in [
            ("real", BENCHMARK),
            ("truth", BENCHMARK_TRUTH),
            ("cross", BENCHMARK_CROSS),
            ("peers", BENCHMARK_PEERS),
            ("second", BENCHMARK_SECOND),
        ]
    ),
    experiments=(BENCHMARK, BENCHMARK_TRUTH, BENCHMARK_CROSS, BENCHMARK_PEERS, BENCHMARK_SECOND),
)

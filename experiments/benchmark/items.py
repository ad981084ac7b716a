"""The benchmark, and the coverage of intervals, as something that can be reproduced."""

from experiments.benchmark.clipped import BENCHMARK_CLIPPED
from experiments.benchmark.copies import BENCHMARK_COPIES
from experiments.benchmark.cross import BENCHMARK_CROSS
from experiments.benchmark.default import BENCHMARK_DEFAULT, BENCHMARK_DEFAULT_RARE
from experiments.benchmark.drift import BENCHMARK_DRIFT
from experiments.benchmark.peers import BENCHMARK_PEERS
from experiments.benchmark.protocol import BENCHMARK
from experiments.benchmark.second import BENCHMARK_SECOND
from experiments.benchmark.second_peers import BENCHMARK_SECOND_PEERS
from experiments.benchmark.truth import BENCHMARK_TRUTH
from experiments.benchmark.undecided import UNDECIDED
from experiments.contents import Paper, Study
from experiments.coverage import INTERVAL_COVERAGE, SMOOTH_COVERAGE
from experiments.group_levels import GROUP_LEVELS
from experiments.risk_control import RISK_CONTROL
from experiments.truthfulness import TRUTHFULNESS
from experiments.verdicts.peers import VERDICTS_PEERS
from experiments.verdicts.study import ADVICE, VERDICTS

_CHAPTER = "C11_which_calibrator"
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
            ("clipped", BENCHMARK_CLIPPED),
            ("second", BENCHMARK_SECOND),
            ("second_peers", BENCHMARK_SECOND_PEERS),
            ("copies", BENCHMARK_COPIES),
            ("drift", BENCHMARK_DRIFT),
            ("default", BENCHMARK_DEFAULT),
            ("default_rare", BENCHMARK_DEFAULT_RARE),
            ("undecided", UNDECIDED),
        ]
    )
    + (
        Study(
            name="intervals",
            title=INTERVAL_COVERAGE.title,
            chapter="C01_measuring_without_bins",
            experiments=(INTERVAL_COVERAGE.name,),
        ),
        Study(
            name="smooth_intervals",
            title=SMOOTH_COVERAGE.title,
            chapter="C06_which_distances_can_be_estimated",
            experiments=(SMOOTH_COVERAGE.name,),
        ),
        Study(
            name="small_groups",
            title=GROUP_LEVELS.title,
            chapter="C01_measuring_without_bins",
            experiments=(GROUP_LEVELS.name,),
        ),
        Study(
            name="risk_control",
            title=RISK_CONTROL.title,
            chapter="C04_guarantees_without_assumptions",
            experiments=(RISK_CONTROL.name,),
        ),
        Study(
            name="truthfulness",
            title=TRUTHFULNESS.title,
            chapter="C05_distances_to_calibration",
            experiments=(TRUTHFULNESS.name,),
        ),
        Study(
            name="verdicts",
            title=VERDICTS.title,
            chapter="your_own_scores",
            experiments=(VERDICTS.name, ADVICE.name, VERDICTS_PEERS.name),
        ),
    ),
    experiments=(
        BENCHMARK,
        BENCHMARK_TRUTH,
        BENCHMARK_CROSS,
        BENCHMARK_PEERS,
        BENCHMARK_CLIPPED,
        BENCHMARK_SECOND,
        BENCHMARK_SECOND_PEERS,
        BENCHMARK_COPIES,
        BENCHMARK_DRIFT,
        BENCHMARK_DEFAULT,
        BENCHMARK_DEFAULT_RARE,
        UNDECIDED,
        INTERVAL_COVERAGE,
        SMOOTH_COVERAGE,
        GROUP_LEVELS,
        RISK_CONTROL,
        TRUTHFULNESS,
        VERDICTS,
        ADVICE,
        VERDICTS_PEERS,
    ),
)

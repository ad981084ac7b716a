"""The networks at the paper's own budget: 100 epochs, five runs, all training rows of Table 4.

``python -m experiments.durfee2022.full`` trains the 90 families on the processor, one after the
other, in some ten hours. With ``--device cuda`` the families of a data set and a kind of inputs are
trained side by side on an accelerator. This needs PyTorch. An interrupted run goes on after the
last family that is recorded, or after the last families that were trained side by side.

Everything that follows is fixed before the run. The 30th and the 100th epoch are recorded, and the
best epoch up to each of them by the validation AUC. The number that stands for a printed number is
the best of 100 epochs on standardised inputs, as in `experiments.durfee2022.tables.Reading`. The
three middle learning rates are those of `durfee2022_networks_standard`, so that networks without
dropped units can be compared one by one with those of the processor.
"""

import argparse
import sys
from dataclasses import replace
from itertools import groupby

from joblib import Parallel, delayed

from calibkit.datasets import DatasetNotFound
from experiments.durfee2022.data import PROTOCOLS, SEED
from experiments.durfee2022.epochs import Course, measured_rows
from experiments.durfee2022.networks import NO_TORCH, NOT_STATED, lost_settings, stack_for, torch
from experiments.durfee2022.scores import BUDGETS, INPUTS, cases
from experiments.recording import Experiment, record, recorded_cases

LEVEL = BUDGETS["full"]
COUNTS = (30, LEVEL.n_epochs)
N_WARM_UP = 3
N_SHARED = 3  # families whose networks a process calibrates with the same trees


def run_case(case):
    """Train a family on the processor; measure its networks and their calibration."""
    (rows,) = run_together([case], "cpu", n_jobs=1)
    return rows


def run_together(group, device, n_jobs):
    """Train families of one data set side by side; rows of each family.

    Parameters
    ----------
    group : list of dict
        Some of `experiments.durfee2022.scores.cases`, with one data set.
    device : str
        As PyTorch names it.
    n_jobs : int
        Processes that calibrate the networks by leaf.
    """
    courses = train_together([stack_for(case, LEVEL, device) for case in group])
    kept = [course.kept for course in courses]
    dataset = group[0]["dataset"]
    shares = [range(k, min(k + N_SHARED, len(kept))) for k in range(0, len(kept), N_SHARED)]
    found = Parallel(n_jobs)(
        delayed(_rows_of_run)(dataset, {k: kept[k] for k in share}, run)
        for run in range(LEVEL.n_runs)
        for share in shares
    )
    return [
        sorted(
            (row for rows in found for row in rows.get(k, [])),
            key=lambda row: (row["n_epochs"], row["kept"], row["run"], row["learning_rate"]),
        )
        for k in range(len(group))
    ]


def _rows_of_run(dataset, kept, run):
    """Rows of a run, for each family; the trees of the run are grown once."""
    return {k: measured_rows(dataset, LEVEL, own, [run]) for k, own in kept.items()}


def train_together(stacks):
    """Train stacks that have the same number of batches; what is kept of each.

    Parameters
    ----------
    stacks : list of Stack

    Returns
    -------
    courses : list of Course
    """
    courses = [Course(stack, COUNTS, COUNTS) for stack in stacks]
    steps = [ReplayedStep(stack) if stack.theta.is_cuda else stack.step for stack in stacks]
    for epoch in range(1, max(COUNTS) + 1):
        for stack in stacks:
            stack.start_epoch()
        _wait(stacks)
        for _ in range(stacks[0].n_batches):
            for step in steps:
                step()
        _wait(stacks)
        for course in courses:
            course.after_epoch()
        if epoch % 10 == 0:
            print(f"{len(stacks)} families: epoch {epoch} of {max(COUNTS)}", file=sys.stderr)
    return courses


class ReplayedStep:
    """A training step of a stack, recorded once as a CUDA graph and replayed on its own stream.

    Parameters
    ----------
    stack : Stack
        Its state is that of before when the step is recorded.
    """

    def __init__(self, stack):
        self.stream = torch.cuda.Stream()
        self.graph = torch.cuda.CUDAGraph()
        with torch.no_grad():
            everything = [*stack.state(), *stack.moments, stack.n_steps, stack.position]
            before = [values.clone() for values in everything]
        torch.cuda.synchronize()
        with torch.cuda.stream(self.stream):
            for _ in range(N_WARM_UP):
                stack.position.zero_()
                stack.step()
        torch.cuda.synchronize()
        with torch.cuda.graph(self.graph, stream=self.stream):
            stack.step()
        with torch.no_grad():
            for values, old in zip(everything, before, strict=True):
                values.copy_(old)
        torch.cuda.synchronize()

    def __call__(self):
        """Train on the next batch."""
        with torch.cuda.stream(self.stream):
            self.graph.replay()


def _wait(stacks):
    """Let an accelerator come to the end of what was asked for."""
    if stacks[0].theta.is_cuda:
        torch.cuda.synchronize()


FULL_STUDY = Experiment(
    name="durfee2022_full",
    title="Networks of Durfee, Gupta and Basu (2022) at the paper's budget: 100 epochs, 5 runs",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    datasets=tuple(PROTOCOLS),
    accelerator="NVIDIA H100",
    deviations=(
        *lost_settings(LEVEL),
        *NOT_STATED,
        "The paper does not say which epoch is kept: rows with kept = best hold the best epoch up "
        "to n_epochs by validation AUC, those with kept = last the epoch n_epochs itself.",
        "Trained with PyTorch 2.11.0 on an NVIDIA H100, where the units that dropout leaves out "
        "are drawn by the accelerator; initial values, Adam and batch normalisation have the "
        "constants of Keras.",
        "The scores are not rounded to bytes. Columns as in durfee2022_epochs.",
    ),
)


def main():
    """Train what is not recorded yet."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.durfee2022.full",
        description="Train the networks at the paper's budget; an interrupted run goes on.",
    )
    parser.add_argument("--device", default="cpu", help="as PyTorch names it, by default cpu")
    parser.add_argument("--jobs", type=int, default=1, help="processes that calibrate by leaf")
    parser.add_argument("--dataset", choices=list(PROTOCOLS), help="train for one data set only")
    parser.add_argument("--inputs", choices=INPUTS, help="train on one kind of inputs only")
    parser.add_argument("--folder", help="write here and not into the folder results")
    args = parser.parse_args()
    if torch is None:
        parser.error(NO_TORCH)
    wanted = [
        case
        for case in cases()
        if args.dataset in (None, case["dataset"]) and args.inputs in (None, case["inputs"])
    ]
    try:
        _record(wanted, args)
    except DatasetNotFound as error:
        parser.exit(1, f"{error}\n")


def _record(wanted, args):
    """Record families, those of a data set and a kind of inputs side by side on an accelerator."""
    if args.device == "cpu":
        record(FULL_STUDY, folder=args.folder, n_jobs=args.jobs, cases=wanted)
        return
    for _, group in groupby(wanted, key=lambda case: (case["dataset"], case["inputs"])):
        done = [case for case, _ in recorded_cases(FULL_STUDY, folder=args.folder)]
        group = [case for case in group if case not in done]
        if group:
            rows = run_together(group, args.device, args.jobs)
            found = {tuple(case.values()): own for case, own in zip(group, rows, strict=True)}
            study = replace(FULL_STUDY, run_case=lambda case, found=found: found[(*case.values(),)])
            record(study, folder=args.folder, n_jobs=1, cases=group)


if __name__ == "__main__":
    main()

"""The networks of Durfee, Gupta and Basu (2022), trained many at a time; their scores, recorded.

``python -m experiments.durfee2022.networks`` trains them. This needs PyTorch, the extra
``networks``; whatever is computed from the recorded scores does not.
"""

import argparse
import math
from functools import partial
from typing import NamedTuple

import numpy as np

from calib.metrics import log_loss, roc_auc_score
from calibkit.datasets import DatasetNotFound
from experiments.durfee2022.data import PARTS, PROTOCOLS, SEED, features, split
from experiments.durfee2022.scores import BUDGETS, SIZES, cases, write_scores
from experiments.recording import Experiment, record

try:
    import torch
    from torch.nn import functional
except ImportError:  # the package and the book work without it
    torch = None

BATCH = 128
EMBEDDING = 8
DROPOUT = 0.25


class Rows(NamedTuple):
    """What a stack of networks is trained on: all rows as tensors, and the parts of each run.

    Attributes
    ----------
    dense : tensor of shape (n, n_dense)
    codes : tensor of shape (n, n_embedded)
        Rows of one table of embeddings for all columns, which has `n_codes` rows.
    n_codes : int
    labels : tensor of shape (n,)
    centre, scale : tensors of shape (n_runs, 1, n_dense)
        What is subtracted from the dense columns, and what they are then divided by.
    parts : list of dict
        Rows of the four parts of each run.
    """

    dense: "torch.Tensor"
    codes: "torch.Tensor"
    n_codes: int
    labels: "torch.Tensor"
    centre: "torch.Tensor"
    scale: "torch.Tensor"
    parts: list

    @property
    def device(self):
        """Processor or accelerator that holds the tensors."""
        return self.dense.device


def rows_for(encoded, parts, inputs, device="cpu"):
    """Tensors of a data set; `inputs` says whether numbers are standardised by training rows."""
    _require_torch()
    shape = (len(parts), 1, encoded.dense.shape[1])
    centre, scale = np.zeros(shape), np.ones(shape)
    if inputs == "standardised":
        numbers = encoded.dense[:, : encoded.n_numbers].astype(float)
        for run, part in enumerate(parts):
            training = numbers[part["training"]]
            centre[run, 0, : encoded.n_numbers] = training.mean(axis=0)
            scale[run, 0, : encoded.n_numbers] = training.std(axis=0)
    starts = np.cumsum([0, *encoded.n_codes])[:-1]
    return Rows(
        dense=torch.from_numpy(encoded.dense).to(device),
        codes=torch.from_numpy(encoded.codes + starts.astype(int)).to(device),
        n_codes=sum(encoded.n_codes),
        labels=torch.from_numpy(encoded.labels.astype(np.float32)).to(device),
        centre=torch.from_numpy(centre.astype(np.float32)).to(device),
        scale=torch.from_numpy(scale.astype(np.float32)).to(device),
        parts=parts,
    )


class Stack:
    """Networks of one shape, one for each run and learning rate, computed together.

    Each network has what it would have alone: the rows, the start, the batches and the dropped
    units of its run and the steps of its learning rate. Activations have the shape (networks,
    units, rows); all parameters of a network are one row of `theta`. Initial values, Adam and
    batch normalisation are those of Keras. The networks are computed where the rows are. Starts
    are the same on every device, and so are batches where no units are dropped.

    Parameters
    ----------
    rows : Rows
    widths : tuple of int
        Units of the hidden layers.
    regularisation : one of `REGULARISATIONS`
        What follows the rectifier of each hidden layer.
    rates : tuple of float
    seeds : list of int
        One for each run.
    normalised_inputs : bool
        Whether there is batch normalisation before the first layer, too.
    """

    def __init__(self, rows, widths, regularisation, rates, seeds, normalised_inputs=False):
        _require_torch()
        self.rows = rows
        self.regularisation, self.normalised_inputs = regularisation, normalised_inputs
        n_inputs = rows.dense.shape[1] + EMBEDDING * rows.codes.shape[1]
        self.units = [n_inputs, *widths, 1]
        self.generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.n_runs, self.n_rates = len(seeds), len(rates)
        self.n = self.n_runs * self.n_rates
        self.rates = torch.tensor(rates).repeat(self.n_runs)[:, None].to(rows.device)
        starts = torch.stack([self._start(generator) for generator in self.generators])
        starts = starts.repeat_interleave(self.n_rates, dim=0).to(rows.device)
        self.theta = starts.requires_grad_()
        self.statistics = [
            (
                torch.zeros(self.n * units, device=rows.device),
                torch.ones(self.n * units, device=rows.device),
            )
            for units in self._normalised()
        ]
        self.moments = torch.zeros_like(self.theta), torch.zeros_like(self.theta)
        # a step reads its number and its batch from tensors, so that a graph of it can be replayed
        self.n_steps = torch.zeros((), dtype=torch.float64, device=rows.device)
        self.n_batches = len(rows.parts[0]["training"]) // BATCH
        shape = (self.n_batches, self.n_runs, BATCH)
        self.batches = torch.zeros(shape, dtype=torch.int64, device=rows.device)
        self.position = torch.zeros(1, dtype=torch.int64, device=rows.device)

    def _shapes(self):
        """Of the table of embeddings, of each layer, of each batch normalisation."""
        layers = [
            shape
            for a, b in zip(self.units, self.units[1:], strict=False)
            for shape in [(b, a), (b, 1)]
        ]
        scalings = [shape for units in self._normalised() for shape in [(1, units), (1, units)]]
        return [(self.rows.n_codes, EMBEDDING), *layers, *scalings]

    def _normalised(self):
        inputs = self.units[:1] if self.normalised_inputs else []
        hidden = self.units[1:-1] if self.regularisation == "batch norm" else []
        return [*inputs, *hidden]

    def _start(self, generator):
        """Initial parameters: Glorot's weights, small embeddings, no biases, scales of one."""
        n_layers = len(self.units) - 1
        pieces = []
        for k, (a, b) in enumerate(self._shapes()):
            uniform = 2 * torch.rand(a * b, generator=generator) - 1
            if k == 0:
                pieces.append(0.05 * uniform)
            elif k <= 2 * n_layers:
                pieces.append(uniform * (math.sqrt(6 / (a + b)) if k % 2 else 0.0))
            else:
                pieces.append(torch.full((a * b,), float(k % 2)))
        return torch.cat(pieces)

    def _pieces(self):
        shapes = self._shapes()
        flat = self.theta.split([a * b for a, b in shapes], dim=1)
        return [
            piece.unflatten(1, shape) if math.prod(shape) else None
            for piece, shape in zip(flat, shapes, strict=True)
        ]

    def logits(self, rows, training=False):
        """Scores of each network; `rows` of shape (runs, n) to scores of shape (networks, n)."""
        table, *pieces = self._pieces()
        n_layers = len(self.units) - 1
        layers, scalings = pieces[: 2 * n_layers], pieces[2 * n_layers :]
        hidden = self._inputs(rows, table)
        normalisations = iter(range(len(self.statistics)))
        if self.normalised_inputs:
            hidden = self._normalise(hidden, next(normalisations), scalings, training)
        for k in range(n_layers):
            hidden = torch.baddbmm(layers[2 * k + 1], layers[2 * k], hidden)
            if k == n_layers - 1:
                return hidden[:, 0]
            hidden = functional.relu(hidden)
            if self.regularisation == "batch norm":
                hidden = self._normalise(hidden, next(normalisations), scalings, training)
            elif self.regularisation == "dropout" and training:
                hidden = self._drop(hidden)

    def _inputs(self, rows, table):
        dense = (self.rows.dense[rows] - self.rows.centre) / self.rows.scale
        shared = dense.transpose(1, 2).repeat_interleave(self.n_rates, dim=0)
        if table is None:
            return shared
        own = torch.arange(self.n, device=rows.device)[:, None, None] * self.rows.n_codes
        codes = self.rows.codes[rows].repeat_interleave(self.n_rates, dim=0) + own
        embedded = functional.embedding(codes, table.reshape(-1, EMBEDDING))
        return torch.cat([shared, embedded.flatten(2).transpose(1, 2)], dim=1)

    def _normalise(self, hidden, k, scalings, training):
        scale, shift = scalings[2 * k].flatten(), scalings[2 * k + 1].flatten()
        channels = hidden.reshape(1, -1, hidden.shape[2])
        normalised = functional.batch_norm(
            channels, *self.statistics[k], scale, shift, training, momentum=0.01, eps=1e-3
        )
        return normalised.view(hidden.shape)

    def _drop(self, hidden):
        """Drop the same units in all networks of a run."""
        if hidden.is_cuda:
            draws = torch.rand(self.n_runs, *hidden.shape[1:], device=hidden.device)
        else:
            draws = torch.stack(
                [torch.rand(hidden.shape[1:], generator=g) for g in self.generators]
            )
        kept = draws >= DROPOUT
        return hidden * (kept / (1 - DROPOUT)).repeat_interleave(self.n_rates, dim=0)

    def train_epoch(self):
        """One pass over the training rows of each run, in batches; the odd rows are left out."""
        self.start_epoch()
        for _ in range(self.n_batches):
            self.step()

    def start_epoch(self):
        """Draw the batches of an epoch."""
        training = np.stack([part["training"] for part in self.rows.parts])
        orders = [torch.randperm(training.shape[1], generator=g) for g in self.generators]
        rows = torch.from_numpy(training).gather(1, torch.stack(orders))
        rows = rows[:, : self.n_batches * BATCH].unflatten(1, (self.n_batches, BATCH))
        self.batches.copy_(rows.transpose(0, 1))
        self.position.zero_()

    def step(self):
        """Train on the next batch."""
        batch = self.batches.index_select(0, self.position)[0]
        labels = self.rows.labels[batch].repeat_interleave(self.n_rates, dim=0)
        losses = functional.binary_cross_entropy_with_logits(
            self.logits(batch, training=True), labels, reduction="none"
        )
        (gradient,) = torch.autograd.grad(losses.mean(dim=1).sum(), self.theta)
        self._adam_step(gradient)
        self.position += 1

    def _adam_step(self, gradient):
        first, second = self.moments
        self.n_steps += 1
        first.lerp_(gradient, 0.1)
        second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        correction = torch.sqrt(1 - 0.999**self.n_steps) / (1 - 0.9**self.n_steps)
        with torch.no_grad():
            self.theta -= correction * self.rates * first / (second.sqrt() + 1e-7)

    def scores(self, part):
        """Scores of all networks on a part, an array of shape (networks, rows of the part)."""
        rows = torch.from_numpy(np.stack([parts[part] for parts in self.rows.parts]))
        rows = rows.to(self.rows.device)
        with torch.no_grad():
            scores = torch.cat([self.logits(some) for some in rows.split(4096, dim=1)], 1)
        return scores.cpu().numpy()

    def labels(self, part):
        """Labels that belong to `scores`."""
        rows = np.stack([parts[part] for parts in self.rows.parts])
        return self.rows.labels.cpu().numpy()[rows].repeat(self.n_rates, axis=0)

    def state(self):
        """Everything that the scores depend on, one row for each network."""
        statistics = [values.view(self.n, -1) for pair in self.statistics for values in pair]
        return [self.theta.detach(), *statistics]


def train(stack, n_epochs):
    """Train all networks; leave each in the state of its epoch of the best validation AUC.

    Returns
    -------
    epochs : ndarray of shape (networks,)
        That epoch, from 1; 0 for a network whose scores were never finite.
    """
    epochs, best = np.zeros(stack.n, dtype=int), np.full(stack.n, -np.inf)
    kept = [values.clone() for values in stack.state()]
    for epoch in range(1, n_epochs + 1):
        stack.train_epoch()
        new = areas(stack, "validation")
        better = new > best  # never for NaN
        epochs[better], best[better] = epoch, new[better]
        for old, values in zip(kept, stack.state(), strict=True):
            old[better] = values[better]
    for old, values in zip(kept, stack.state(), strict=True):
        values.copy_(old)
    return epochs


def areas(stack, part):
    """AUC of every network on a part; NaN where a score is not finite."""
    return np.array(
        [
            roc_auc_score(labels, scores) if np.isfinite(scores).all() else np.nan
            for labels, scores in zip(stack.labels(part), stack.scores(part), strict=True)
        ]
    )


def stack_for(case, level, device="cpu"):
    """The untrained networks of a family, at a level of cost."""
    encoded = features(case["dataset"])
    runs = range(level.n_runs)
    parts = [
        split(case["dataset"], run, encoded.labels, encoded.held_out, at_most=level.n_training)
        for run in runs
    ]
    return Stack(
        rows_for(encoded, parts, case["inputs"], device),
        SIZES[case["size"]],
        case["regularisation"],
        level.rates,
        seeds=[SEED + run for run in runs],
        normalised_inputs=case["inputs"] == "raw" and case["dataset"] == "credit_default",
    )


def run_case(case, budget):
    """Train a stack, write its scores, and return what is known of each network."""
    level = BUDGETS[budget]
    stack = stack_for(case, level)
    epochs = train(stack, level.n_epochs)
    scores = {part: stack.scores(part) for part in PARTS}
    write_scores(case, budget, scores["calibration"], scores["test"])
    return [
        {
            "run": k // len(level.rates),
            "learning_rate": level.rates[k % len(level.rates)],
            "epoch": epochs[k],
            **_measures(stack, scores, k),
        }
        for k in range(stack.n)
    ]


def _measures(stack, scores, k):
    measured = {}
    for part in ["training", "validation", "test"]:
        labels, own = stack.labels(part)[k], scores[part][k].astype(float)
        measured[f"{part}_auc"] = roc_auc_score(labels, own)
        measured[f"{part}_log_loss"] = log_loss(labels, 1 / (1 + np.exp(-np.clip(own, -30, 30))))
    return measured


def lost_settings(level):
    """Deviations: settings of the paper that are lost from the text, and those taken instead."""
    return (
        "The widths of the layers are lost from the text we have: 64-32-16, 128-64-32 and "
        "256-128-64 are ours.",
        f"The learning rates are lost, too: {', '.join(map(str, level.rates))} are ours.",
    )


NOT_STATED = (
    "Each run draws its own four parts; the paper does not say whether its runs do.",
    "The paper does not say whether numbers are standardised: both are recorded.",
)


def experiment(budget):
    """The training of all networks at a level of cost."""
    level = BUDGETS[budget]
    return Experiment(
        name=f"durfee2022_networks_{budget}",
        title="Networks of Durfee, Gupta and Basu (2022): five data sets, three sizes, three "
        "regularisations",
        seed=SEED,
        cases=cases,
        run_case=partial(run_case, budget=budget),
        datasets=tuple(PROTOCOLS),
        deviations=(
            *lost_settings(level),
            f"{level.n_runs} runs of {level.n_epochs} epochs; the paper has 5 of 100.",
            f"At most {level.n_training or 'all'} training rows: this cuts diabetes130.",
            *NOT_STATED,
            "PyTorch 2.13.0 in place of TensorFlow; initial values, Adam and batch normalisation "
            "have the constants of Keras.",
        ),
    )


NO_TORCH = (
    "training the networks needs PyTorch: pip install torch==2.13.0; the recorded scores can be "
    "used without it"
)


def _require_torch():
    if torch is None:
        raise ImportError(NO_TORCH)


def main():
    """Train what is not recorded yet, one stack of networks after the other."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.durfee2022.networks",
        description="Train the networks and record their scores in the folder results; an "
        "interrupted run goes on where it stopped.",
    )
    budgets = [name for name in BUDGETS if name != "full"]  # experiments.durfee2022.full has it
    parser.add_argument("--budget", choices=budgets, default="standard")
    budget = parser.parse_args().budget
    if torch is None:
        parser.error(NO_TORCH)
    try:
        record(experiment(budget), n_jobs=1)
    except DatasetNotFound as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()

"""The table of all statements that are attacked, in the order of the chapters."""

from experiments.attack import of_bins, of_distances, of_losses, of_orders, of_pairs
from experiments.attack.statement import STATEMENTS as ENTERED
from experiments.attack.statement import Statement
from experiments.chapter_numbers import place_of

ROOMS = [of_bins, of_orders, of_distances, of_pairs, of_losses]  # each enters its statements
STATEMENTS: dict[str, Statement] = dict(
    sorted(ENTERED.items(), key=lambda item: place_of(item[1].chapter))
)

"""The command ``python -m experiments.verdicts``: the table of what is recorded."""

from experiments.recording import recorded
from experiments.verdicts.study import VERDICTS
from experiments.verdicts.table import COSTS, SAYS, failures, summary, written

if __name__ == "__main__":
    rows = recorded(VERDICTS.name)
    lines = summary(rows)
    print("shares of files in per cent", written(lines, SAYS), sep="\n\n", end="\n\n")
    print("harm in per cent, regrets in thousandths", written(lines, COSTS), sep="\n\n", end="\n\n")
    print("where a headline was misleading or wrong", failures(rows), sep="\n\n")

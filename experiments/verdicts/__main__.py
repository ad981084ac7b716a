"""The command ``python -m experiments.verdicts``: the table of what is recorded."""

from experiments.recording import recorded
from experiments.verdicts.study import VERDICTS
from experiments.verdicts.table import summary, text

if __name__ == "__main__":
    print(text(summary(recorded(VERDICTS.name))))

"""The command ``python -m experiments.verdicts``: the tables of what is recorded."""

from experiments.recording import recorded
from experiments.verdicts import table
from experiments.verdicts.peers import VERDICTS_PEERS, written_shares
from experiments.verdicts.study import ADVICE, VERDICTS

if __name__ == "__main__":
    rows, advised = recorded(VERDICTS.name), recorded(ADVICE.name)
    says, costs = table.summary(rows, table.headlines), table.summary(advised, table.costs)
    print("shares of files in per cent", table.written(says, table.SAYS), sep="\n\n", end="\n\n")
    print("harm in per cent, regrets in thousandths", table.written(costs, table.COSTS), sep="\n\n")
    print("\nwhere headlines were most often misleading or wrong", table.failures(rows), sep="\n\n")
    print("\nother tests, in per cent", written_shares(recorded(VERDICTS_PEERS.name)), sep="\n\n")

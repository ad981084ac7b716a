"""Our trees, naive Bayes and network are Weka's: on the same rows they give the same."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from experiments import second_hand
from experiments.vovk2014 import network
from experiments.vovk2014.decision_tree import DecisionTree
from experiments.vovk2014.naive_bayes import MixedNaiveBayes

FOLDER = second_hand.PROGRAM.parent
IS_THERE = f'source("{FOLDER}/weka.R"); if (!weka_is_there()) quit(status = 1)'
N, N_TRAIN, COLUMNS = 300, 200, 4
PROGRAM = f"""
    {IS_THERE}
    rows <- as_instances(as.matrix(read.table("x")), scan("z"))
    train <- rJava::.jnew("weka/core/Instances", rows, 0L, {N_TRAIN}L)
    test <- rJava::.jnew("weka/core/Instances", rows, {N_TRAIN}L, {N - N_TRAIN}L)
    for (name in c("J48", "NB", "NN")) {{
      p <- train_and_ask(weka_classifiers[[name]](), train, test)
      writeLines(sprintf("%.17g", c(p$train, p$test)), name)
    }}
    still <- weka_object("functions/MultilayerPerceptron", c("-L", "1e-15", "-M", "0", "-N", "1"))
    rJava::.jcall(still, "V", "buildClassifier", train)
    writeLines(rJava::.jcall(still, "S", "toString"), "weights")
    numbers <- as_instances(cbind(seq_len({N_TRAIN}) - 1), scan("z")[seq_len({N_TRAIN})])
    rJava::.jcall(numbers, "V", "randomize", rJava::.jnew("java/util/Random", rJava::.jlong(0)))
    order <- rJava::.jcall(numbers, "[D", "attributeToDoubleArray", 0L)
    writeLines(as.character(order), "order")
"""


@pytest.fixture(scope="module")
def weka(tmp_path_factory):
    """Rows, labels, and a function from the name of a file to what Weka wrote there."""
    there = (
        shutil.which("Rscript")
        and not subprocess.run(["Rscript", "-e", IS_THERE], capture_output=True).returncode
    )
    if not there:
        pytest.skip("R, Weka or rJava is missing")
    folder = tmp_path_factory.mktemp("weka")
    rng = np.random.default_rng(48)
    x = rng.standard_normal((N, COLUMNS)).round(2)
    steps = (x[:, 0] > 0.7) | (x[:, 1] > 0) & (x[:, 2] > -0.3)
    y = (steps ^ (rng.random(N) < 0.15)).astype(np.int64)
    np.savetxt(folder / "x", x, fmt="%.17g")
    np.savetxt(folder / "z", y, fmt="%d")
    subprocess.run(["Rscript", "-e", PROGRAM], cwd=folder, check=True, capture_output=True)
    return x, y, folder


@pytest.mark.parametrize(
    ("name", "ours"),
    [("J48", DecisionTree((0,) * COLUMNS)), ("NB", MixedNaiveBayes((0,) * COLUMNS))],
)
def test_tree_and_naive_bayes_are_those_of_weka(weka, name, ours):
    x, y, folder = weka
    own = ours.fit(x[:N_TRAIN], y[:N_TRAIN]).predict_proba(x)[:, 1]
    assert np.unique(own).size > 3
    np.testing.assert_allclose(own, np.loadtxt(folder / name), atol=1e-10)


def test_with_the_weights_and_the_order_of_weka_the_network_is_the_same(weka):
    x, y, folder = weka
    ours = network.BackPropagationNetwork().fit(x[:N_TRAIN], y[:N_TRAIN])
    nodes = weights_of((folder / "weights").read_text())
    hidden = range(2, len(nodes))
    columns = [f"Attrib a{j + 1}" for j in range(COLUMNS)]
    ours.inner_ = np.array([[nodes[k][of] for k in hidden] for of in [*columns, "Threshold"]])
    ours.outer_ = np.array(
        [[nodes[z][of] for of in [*(f"Node {k}" for k in hidden), "Threshold"]] for z in [0, 1]]
    )
    assert 0.04 < np.abs(ours.inner_).max() < network.LARGEST_WEIGHT
    order = np.loadtxt(folder / "order", dtype=int)
    inputs = ours._inputs(x[order])
    network.train(inputs, y[order], ours.inner_, ours.outer_, network.EPOCHS)
    np.testing.assert_allclose(ours.predict_proba(x)[:, 1], np.loadtxt(folder / "NN"), atol=1e-9)


def weights_of(text):
    """From the number of a node to its weights by what they belong to."""
    nodes = {}
    for line in text.splitlines():
        if found := re.match(r"Sigmoid Node (\d+)", line):
            own = nodes[int(found[1])] = {}
        elif found := re.match(r"\s+(Threshold|Node \d+|Attrib \w+)\s+(\S+)$", line):
            own[found[1]] = float(found[2])
    return nodes

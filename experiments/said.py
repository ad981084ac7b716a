"""What the papers say of a setting that they leave open or state, and where; of others nothing.

Sections are the papers' own; the text of 2014 and 2022 lost its formulas where it says so here.
"""

SAID = {
    "naeini2014": {
        "ties-by-label": 'stated (2.1): "sorted and partitioned into ten bins"; ties not '
        "mentioned, code published later sorts by label",
        "ten-bins-at-100": "not stated for Table 2; the cube root is called the optimum (3)",
        "slope of Platt scaling": "stated (1): maximum likelihood; steps and penalty not",
        "classes-at-random": "stated (5): 1,000 instances to train on, 1,000 to test; shares of "
        "the classes not",
        "linear SVM": "kernels stated (5), loss and penalty not; liblinear for the models of the "
        "mailing",
        "quadratic SVM": "kernel stated (5), constants and C not; code published later has both",
        "reversed-margin": "stated (5): liblinear; how its margin becomes a score not",
        "base-rate": "counts of both files stated (5), not which file is measured",
        "rows that are scored": "stated (5.1): the training rows of the model",
        "test-size": "stated (5): a validation file of 96,367",
        "donation codes": "stated (5): attributes of an earlier paper, not listed",
        "penalty of the logistic regression": "stated (5): liblinear; penalty not",
    },
    "naeini2016": {
        "grouping": 'stated (III.A): "the interval [0, 1], into K fixed number of bins", K = 10',
        "pooled": "stated (III.C): 10 runs of 10-fold cross-validation; how they are averaged not",
        "isotonic regression": "algorithm stated (I); values between scores not",
        "held-out": 'stated (III.C): "we always used the train data for calibrating"',
        "logistic regression": "named (III.C); no setting",
        "support vector machine": "named (III.C), scores by a sigmoid (II, note 2); no setting",
        "naive Bayes": "named (III.C); no setting",
        "quadratic SVM": "kernel stated (III.B), its constants and C not",
        "recoded": "sets named (note 5); how several classes become two not",
        "versions of the data sets": "sets named (note 5); their versions not",
        "folded-auc": "AUC named (III.A); that it is folded stands in the authors' code alone",
        "linear SVM": "kernels stated (III.B), loss and penalty not",
    },
    "vovk2014": {
        "LR": "Weka's (5); no setting named",
        "NB": "Weka's (5); no setting named",
        "NN": "Weka's (5); no setting named",
        "J48": "Weka's (5); no setting named",
        "J48 Bagging": 'Weka\'s (5): "J48 decision trees with bagging"; version not named, cited '
        "as of 2011",
        "echo": "named (5), not described",
    },
    "durfee2022": {
        "raw-inputs": "not stated; Credit alone has a batch normalisation of its inputs (14.2)",
        "budget": "stated (14.2): 100 epochs, 5 runs; (Table 4): all training rows",
        "epochs": "stated (14.2): the best validation AUC over 100 epochs; (5.1): the highest "
        "validation accuracy",
        "readmitted-early": "stated (14.1): readmitted or not",
        "rates": "stated (14.2), lost from the text we have",
        "ranking": "stated (6.1): top 3 and top 50 %; by which rows not",
        "variant": "stated (14.2): 9 variants for each data set",
        "half": "stated (6.1): top 50 %; of an odd number not",
        "widths": "stated (14.2), lost from the text we have",
        "tree": "stated (14.3): two depths and two leaf sizes, lost from the text we have",
    },
}

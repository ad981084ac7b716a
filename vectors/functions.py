"""What each function of the vectors takes and returns, in words."""

SAMPLE = "labels, probabilities and, in some cases, weights"
FUNCTIONS = {
    "brier": f"{SAMPLE}: a number",
    "log_loss": f"{SAMPLE}: a number",
    "observed_expected": f"{SAMPLE}: a number",
    "auc": f"{SAMPLE}: a number",
    "ece": f"{SAMPLE}, n_bins, bins (width or mass): a number",
    "mce": f"{SAMPLE}, n_bins, bins (width or mass): a number",
    "rms_error": f"{SAMPLE}, n_bins, bins (width or mass): a number",
    "reliability_curve": f"{SAMPLE}, n_bins, bins: lists of weights, mean probabilities and "
    "observed fractions of the bins that are not empty",
    "debiased_squared_error": f"{SAMPLE}, n_bins, bins: a number",
    "isotonic": "labels, scores and, in some cases, weights: a value for each row",
    "corp": f"{SAMPLE}, loss (brier or log): miscalibration, discrimination, uncertainty",
    "venn_abers_pairs": "labels, scores, new_scores: p0 and p1 for each new score",
    "venn_abers": "labels, scores, new_scores: a probability for each new score",
    "histogram": "labels, scores, weights in some cases, n_bins of equal width, new_scores: a "
    "probability for each new score",
    "kuiper": f"{SAMPLE}: a number",
    "ks_error": f"{SAMPLE}: a number",
    "averaged_two_bin_error": f"{SAMPLE}: a number",
    "spiegelhalter_z": "labels, probabilities: a number",
    "spiegelhalter_p": "labels, probabilities: a number",
    "platt": "labels, scores, weights in some cases, scale (score or logit): a probability for "
    "each row",
    "temperature": "labels, scores, weights in some cases: a probability for each row",
    "beta": "labels, scores, weights in some cases: a probability for each row",
    "slope_intercept": f"{SAMPLE}: two numbers",
    "in_the_large": f"{SAMPLE}: a number",
    "net_benefit": f"{SAMPLE}, thresholds: a number for each threshold",
}

# Packages of R by the test vectors: Rscript benchmarks/vectors.R, in the root of a clone.
source("vectors/run.R")

ones <- function(x, weights) if (is.null(weights)) rep(1, length(x)) else weights
packages <- list(
  pROC = function() list(
    auc = function(labels, probabilities) as.numeric(
      pROC::auc(pROC::roc(labels, probabilities, levels = 0:1, direction = "<", quiet = TRUE)))),
  Hmisc = function() list(
    auc = function(labels, probabilities) unname(Hmisc::somers2(probabilities, labels)["C"])),
  ROCR = function() list(
    auc = function(labels, probabilities)
      ROCR::performance(ROCR::prediction(probabilities, labels), "auc")@y.values[[1]]),
  ModelMetrics = function() list(
    auc = function(labels, probabilities) ModelMetrics::auc(labels, probabilities),
    brier = function(labels, probabilities) ModelMetrics::brier(labels, probabilities),
    log_loss = function(labels, probabilities) ModelMetrics::logLoss(labels, probabilities)),
  MLmetrics = function() list(
    auc = function(labels, probabilities) MLmetrics::AUC(probabilities, labels),
    log_loss = function(labels, probabilities) MLmetrics::LogLoss(probabilities, labels)),
  rms = function() {
    part <- function(name) function(labels, probabilities)
      unname(rms::val.prob(probabilities, labels, pl = FALSE, logistic.cal = FALSE)[name])
    list(auc = part("C (ROC)"), brier = part("Brier"), slope_intercept = part(c("Slope", "Intercept")))
  },
  Iso = function() list(
    isotonic = function(labels, scores, weights = NULL) {
      if (anyDuplicated(scores)) return(NULL)  # it has no scores, and so no ties
      order <- order(scores)
      Iso::pava(labels[order], ones(labels, weights)[order])[order(order)]
    }),
  fdrtool = function() list(
    isotonic = function(labels, scores, weights = NULL) {
      w <- ones(labels, weights)
      fit <- fdrtool::monoreg(scores, labels, w)
      fit$yf[match(scores, sort(unique(scores)))]
    })
)
for (name in names(packages)) {
  cat("##", name, as.character(packageVersion(name)), "\n", sep = "\t")
  judge(packages[[name]](), "calibkit/testing/calibration-1.json")
}
cat("##\tbase R\t", paste(R.version$major, R.version$minor, sep = "."), "\n", sep = "")

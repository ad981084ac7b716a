# Base R by the test vectors: Rscript vectors/base.R, in the root of a clone.
source("vectors/run.R")

ones <- function(x, weights) if (is.null(weights)) rep(1, length(x)) else weights

judge(list(
  brier = function(labels, probabilities, weights = NULL)
    weighted.mean((labels - probabilities)^2, ones(labels, weights)),
  log_loss = function(labels, probabilities, weights = NULL)
    weighted.mean(-log(ifelse(labels == 1, probabilities, 1 - probabilities)), ones(labels, weights)),
  auc = function(labels, probabilities) {
    n <- table(factor(labels, 0:1))
    unname((sum(rank(probabilities)[labels == 1]) - n[2] * (n[2] + 1) / 2) / prod(n))
  },
  ece = function(labels, probabilities, n_bins, bins, weights = NULL) {
    w <- ones(labels, weights)
    edges <- if (bins == "width") 0:n_bins / n_bins
      else unique(quantile(probabilities, 0:n_bins / n_bins))
    k <- if (length(edges) > 1) cut(probabilities, edges, include.lowest = TRUE) else rep(1, length(w))
    sum(abs(tapply(w * (labels - probabilities), k, sum)), na.rm = TRUE) / sum(w)
  },
  isotonic = function(labels, scores) {
    order <- order(scores, -labels)
    fit <- isoreg(seq_along(order), labels[order])$yf
    fit[order(order)]
  },
  slope_intercept = function(labels, probabilities, weights = NULL) {
    fit <- glm(labels ~ qlogis(probabilities), binomial, weights = ones(labels, weights))
    rev(unname(coef(fit)))
  },
  in_the_large = function(labels, probabilities, weights = NULL)
    unname(coef(glm(labels ~ 1, binomial, offset = qlogis(probabilities), weights = ones(labels, weights)))),
  platt = function(labels, scores, scale, weights = NULL) {
    x <- if (scale == "logit") qlogis(scores) else scores
    unname(fitted(glm(labels ~ x, binomial, weights = ones(labels, weights))))
  },
  temperature = function(labels, scores, weights = NULL)
    unname(fitted(glm(labels ~ 0 + qlogis(scores), binomial, weights = ones(labels, weights)))),
  beta = function(labels, scores, weights = NULL)
    unname(fitted(glm(labels ~ log(scores) + log1p(-scores), binomial, weights = ones(labels, weights))))
), "calibkit/testing/calibration-1.json")

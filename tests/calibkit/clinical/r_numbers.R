# Numbers of R packages for the files that samples.py writes.
#
#   Rscript r_numbers.R FOLDER HOSLEM.R > r_numbers.csv
#
# R 4.2.2 with rms 6.5-0, Hmisc 4.8-0, pROC 1.18.0 and riskRegression 2022.11.28 of Debian 12.
# HOSLEM.R is the file R/hoslem.test.R of ResourceSelection 0.3-6, which Debian has not.
suppressPackageStartupMessages({
  library(rms)
  library(pROC)
  library(riskRegression)
})
arguments <- commandArgs(trailingOnly = TRUE)
source(arguments[2])
places <- c(0.05, 0.25, 0.5, 0.75, 0.95)  # quantiles of p at which curves are read
show_number <- function(file, name, value) {
  cat(sprintf("%s,%s,%.12g\n", file, name, value))
}
deviance_of <- function(formula, rows) {
  glm(formula, data = rows, family = binomial, control = list(epsilon = 1e-14, maxit = 100))
}
cat("file,number,value\n")
for (path in sort(Sys.glob(file.path(arguments[1], "*.csv")))) {
  file <- sub(".csv", "", basename(path), fixed = TRUE)
  rows <- read.csv(path, colClasses = "numeric")
  rows$logit <- qlogis(rows$p)
  n <- nrow(rows)
  show <- function(name, value) show_number(file, name, value)

  # rms: val.prob
  validated <- val.prob(rows$p, rows$z, pl = FALSE)
  for (name in c("C (ROC)", "U", "U:Chi-sq", "U:p", "Brier", "Intercept", "Slope", "Emax", "E90",
                 "Eavg", "S:z", "S:p")) {
    show(paste("val.prob", name), validated[name])
  }

  # stats: likelihood ratios of the steps of an update, and calibration in the large
  as_they_are <- deviance_of(z ~ offset(logit) - 1, rows)
  shifted <- deviance_of(z ~ offset(logit), rows)
  line <- deviance_of(z ~ logit, rows)
  show("glm in the large", coef(shifted)[1])
  show("glm intercept", coef(line)[1])
  show("glm slope", coef(line)[2])
  show("glm LR of line", deviance(as_they_are) - deviance(line))
  show("glm LR of line against shift", deviance(shifted) - deviance(line))

  # rms: the robust errors of the line, of rows and of hospitals
  dd <- datadist(rows)
  options(datadist = "dd")
  fitted <- lrm(z ~ logit, data = rows, x = TRUE, y = TRUE, tol = 1e-14, eps = 1e-12, maxit = 50)
  robust <- sqrt(diag(vcov(robcov(fitted))))
  show("robcov error of intercept", robust[1])
  show("robcov error of slope", robust[2])
  by_hospital <- sqrt(diag(vcov(robcov(fitted, rows$hospital))))
  show("robcov by hospital error of intercept", by_hospital[1])
  show("robcov by hospital error of slope", by_hospital[2])

  # Hmisc and rms: restricted cubic spline of the logits, with robust errors
  at <- quantile(rows$p, places, type = 1)
  of_hmisc <- attr(rcspline.eval(rows$logit, nk = 4), "knots")
  for (k in 1:4) show(paste("rcspline knot", k), of_hmisc[k])
  knots <- quantile(rows$logit, c(0.05, 0.35, 0.65, 0.95))  # the same from 100 rows on
  spline <- lrm(z ~ rcs(logit, knots), data = rows, x = TRUE, y = TRUE, tol = 1e-14, eps = 1e-12,
                maxit = 50)
  predicted <- predict(robcov(spline), data.frame(logit = qlogis(at)), se.fit = TRUE)
  for (k in seq_along(places)) {
    show(paste("rcs logit at quantile", places[k]), predicted$linear.predictors[k])
    show(paste("rcs robust error at quantile", places[k]), predicted$se.fit[k])
  }

  # stats: loess. The span holds the whole number of points that three quarters come to, upwards.
  span <- ceiling(0.75 * n) / n
  direct <- loess(z ~ p, data = rows, span = span, control = loess.control(surface = "direct"))
  distances <- abs(fitted(direct) - rows$p)
  for (k in seq_along(places)) {
    show(paste("loess at quantile", places[k]), predict(direct, data.frame(p = at[k])))
  }
  show("ICI", mean(distances))
  show("E50", quantile(distances, 0.5, type = 1))
  show("E90", quantile(distances, 0.9, type = 1))
  show("Emax", max(distances))
  show("E50 of type 7", quantile(distances, 0.5))
  show("E90 of type 7", quantile(distances, 0.9))
  usual <- loess(z ~ p, data = rows)  # interpolates, and takes floor(0.75 n) points
  show("ICI of R's default", mean(abs(fitted(usual) - rows$p)))

  # pROC
  curve <- roc(rows$z, rows$p, quiet = TRUE, direction = "<")
  show("pROC AUC", as.numeric(auc(curve)))
  show("pROC error of AUC", sqrt(var(curve)))

  # riskRegression: the index of prediction accuracy, which is the scaled Brier score
  scored <- Score(list(model = rows$p), formula = z ~ 1, data = rows, metrics = "brier",
                  summary = "ipa", se.fit = 0L)$Brier$score
  show("riskRegression IPA", scored$IPA[scored$model == "model"])

  # ResourceSelection
  tested <- suppressWarnings(hoslem.test(rows$z, rows$p, g = 10))
  show("hoslem X2", tested$statistic)
  show("hoslem p", tested$p.value)
}

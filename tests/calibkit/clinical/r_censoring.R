# Inverse probability of censoring weights of R's package pec for the files of censored.py.
#
#   Rscript r_censoring.R FOLDER > r_censoring.csv
#
# R 4.2.2 with pec 2022.05.04 of Debian 12.
suppressPackageStartupMessages({
  library(pec)
  library(survival)
})
horizon <- 1.05
cat("file,number,value\n")
for (path in sort(Sys.glob(file.path(commandArgs(trailingOnly = TRUE)[1], "*.csv")))) {
  file <- sub(".csv", "", basename(path), fixed = TRUE)
  rows <- read.csv(path)
  rows <- rows[order(rows$time, -rows$event), ]
  free <- ipcw(Surv(time, event) ~ 1, data = rows, method = "marginal", times = horizon,
               subjectTimes = rows$time, subjectTimesLag = 1)
  had_event <- rows$event == 1 & rows$time <= horizon
  show <- function(name, value) cat(sprintf("%s,%s,%.12g\n", file, name, value))
  show("G at the horizon", free$IPCW.times)
  weights <- ifelse(had_event, 1 / free$IPCW.subjectTimes, 0)
  weights[rows$time > horizon] <- 1 / free$IPCW.times
  show("rate", sum(weights[had_event]) / sum(weights))
  show("sum of weights", sum(weights))
  show("sum of squared weights", sum(weights^2))
  show("largest weight of an event", max(weights[had_event]))
}

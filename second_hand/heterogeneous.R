# The example of section 3 of Durfee, Gupta and Basu (2022), by simulation.
# Our text of the paper has lost the constants. These fit its sentences: normal scores around 1 and
# -1 with standard deviation 1 on training data and 2 on others, and a feature of 3/4 against 1/4.

run_example <- function(n_runs, n = 20000) {
  draw <- function(spread) {
    z <- rbinom(n, 1, 0.5)
    list(z = z, y = rnorm(n, 2 * z - 1, spread), b = rbinom(n, 1, ifelse(z == 1, 0.75, 0.25)))
  }
  area <- function(score, z) measures(z, plogis(score))["AUC"]
  rows <- lapply(seq_len(n_runs), function(run) {
    set.seed(run)
    train <- draw(1)
    held_out <- draw(2)
    test <- draw(2)
    # training keeps the score and learns what the feature adds
    learnt <- glm.fit(cbind(1, train$b), train$z, offset = train$y, family = binomial())$coefficients[2]
    repaired <- numeric(n)
    for (group in 0:1) {
      map <- platt(held_out$y[held_out$b == group], held_out$z[held_out$b == group])
      repaired[test$b == group] <- qlogis(map(test$y[test$b == group]))
    }
    data.frame(paper = "durfee2022", table = "section3", row = c("learnt", "by group"),
               column = "AUC", run = run,
               value = c(area(test$y + learnt * test$b, test$z), area(repaired, test$z)))
  })
  do.call(rbind, rows)
}

# Table 3 of Vovk and Petej (2014): methods in the order of the loss with their best classifier.
# The paper prints the first, the second and the third of four methods.

printed_methods <- list(
  "Diabetes / log" = c("VA", "SVA", "W"), "Diabetes / square" = c("VA", "W", "SVA"),
  "Liver / log" = c("VA", "W", "SVA"), "Liver / square" = c("VA", "SVA", "W"),
  "Ionosphere / log" = c("SVA", "VA", "W"), "Ionosphere / square" = c("SVA", "DIR", "W")
)

ranks_of <- function(loss, method) {
  best <- tapply(loss, method, min)
  setNames(rank(best, ties.method = "min"), names(best))
}

# From the means of Tables 1 and 2; a rank varies as the means do, drawn anew with their errors.
ranking <- function(found, n_draws = 1000) {
  set.seed(2014)
  rows <- lapply(names(printed_methods), function(place) {
    set <- sub(" / .*", "", place)
    own <- found[found$paper == "vovk2014" & endsWith(found$row, paste(" /", set)) &
                   found$table == if (endsWith(place, "log")) "table1" else "table2", ]
    if (nrow(own) < 24) return(NULL)  # six classifiers, four methods
    error <- ifelse(is.finite(own$spread), own$spread / sqrt(own$repetitions), 0)
    drawn <- replicate(n_draws, ranks_of(own$ours + error * rnorm(nrow(own)), own$column))
    methods <- printed_methods[[place]]
    data.frame(paper = "vovk2014", table = "table3", row = paste(place, "/", methods),
               column = "rank", ours = unname(ranks_of(own$ours, own$column)[methods]),
               spread = signif(apply(drawn, 1, sd)[methods], 6), repetitions = 1)
  })
  do.call(rbind, rows)
}

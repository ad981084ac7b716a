# Rscript second_hand/run.R FOLDER FILE: the data sets lie in FOLDER, means go to FILE.

place <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
for (name in c("calibrators", "rings", "venn_abers", "heterogeneous")) {
  source(file.path(place, paste0(name, ".R")))
}
arguments <- commandArgs(trailingOnly = TRUE)
# splits of the full predictor: fewer where training takes longest
full <- list(diabetes = 4, liver_disorders = 16, ionosphere = 4)
rows <- rbind(run_rings(n_tables = 20, n_sizes = 10), run_example(n_runs = 20),
              run_venn_abers(arguments[1], n_splits = 100, n_full = full))
keys <- c("paper", "table", "row", "column")
order_of_rows <- unique(do.call(paste, c(rows[keys], sep = "\r")))
parts <- split(rows, factor(do.call(paste, c(rows[keys], sep = "\r")), levels = order_of_rows))
found <- do.call(rbind, lapply(parts, function(part) {
  data.frame(part[1, keys], ours = signif(mean(part$value), 6),
             spread = signif(if (all(is.finite(part$value))) sd(part$value) else NA, 6),
             repetitions = nrow(part))
}))
write.csv(found, arguments[2], row.names = FALSE, quote = 1:4, na = "", eol = "\n")

# Rscript second_hand/run.R FOLDER FILE [PART ...]: the data sets lie in FOLDER, means go to FILE.
# PART is rings, sizes, example, venn_abers or weka; without one all are run. What is not run, for
# want of a package or because it was not asked for, keeps its lines in FILE.

program <- sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))
place <- dirname(gsub("~+~", " ", program, fixed = TRUE))  # Rscript writes a space in a path so
for (file in setdiff(list.files(place, "[.]R$", full.names = TRUE), file.path(place, "run.R"))) {
  source(file)
}
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
record <- arguments[2]

machines_are_there <- function() {
  found <- requireNamespace("e1071", quietly = TRUE)
  if (!found) message("e1071 is missing, the SVMs were not run: apt-get install r-cran-e1071")
  found
}

# splits of the full predictor: fewer where training takes longest
full <- list(diabetes = 16, liver_disorders = 16, ionosphere = 4)
parts <- list(
  rings = function() if (machines_are_there()) run_rings(n_tables = 20, n_sizes = 0),
  sizes = function() if (machines_are_there()) run_rings(n_tables = 0, n_sizes = 10),
  example = function() run_example(n_runs = 20),
  venn_abers = function() {
    if (machines_are_there()) run_venn_abers(folder, n_splits = 100, n_full = full)
  },
  weka = function() if (weka_is_there()) run_weka(folder)
)
chosen <- if (length(arguments) > 2) arguments[-(1:2)] else names(parts)
stopifnot(chosen %in% names(parts))
run <- lapply(parts[chosen], function(part) part())
rows <- do.call(rbind, unname(run))
if (is.null(rows)) quit(status = 0)

key <- function(rows) do.call(paste, c(rows[c("paper", "table", "row", "column")], sep = "\r"))
by_number <- split(rows, factor(key(rows), levels = unique(key(rows))))
found <- do.call(rbind, lapply(by_number, function(part) {
  data.frame(part[1, c("paper", "table", "row", "column")], ours = signif(mean(part$value), 6),
             spread = signif(if (all(is.finite(part$value))) sd(part$value) else NA, 6),
             repetitions = nrow(part))
}))
everything <- length(chosen) == length(parts) && !any(vapply(run, is.null, NA))
if (file.exists(record) && !everything) {
  earlier <- read.csv(record)
  again <- match(key(earlier), key(found))
  earlier[!is.na(again), ] <- found[again[!is.na(again)], ]
  found <- rbind(earlier, found[!(key(found) %in% key(earlier)), ])
}
found <- rbind(found[found$table != "table3" | found$paper != "vovk2014", ], ranking(found))
write.csv(found, record, row.names = FALSE, quote = 1:4, na = "", eol = "\n")

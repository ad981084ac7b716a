# Tables 1 and 2 of Naeini, Cooper and Hauskrecht (2014), Table I of Naeini and Cooper (2016).
# The papers leave the law of the rings, C and the kernel to their authors' files: radii uniform
# from 0 to 2 (negative) and 2 to 4 (positive), C = 1, and d (1 + d) on standardised columns.

rings <- function(n) {
  z <- rep(0:1, length.out = n)[sample(n)]
  radius <- runif(n, 0, 2) + 2 * z
  angle <- runif(n, 0, 2 * pi)
  list(x = cbind(radius * cos(angle), radius * sin(angle)), z = z)
}

# From points to margins. A constant in the kernel is lost in the intercept, so (d + 1/2)^2 serves.
machine <- function(data, kind) {
  center <- if (kind == "linear") c(0, 0) else colMeans(data$x)
  width <- if (kind == "linear") c(1, 1) else apply(data$x, 2, sd)
  scaled <- function(x) sweep(sweep(x, 2, center), 2, width, "/")
  x <- scaled(data$x)
  fitted <- e1071::svm(x, factor(data$z, levels = c(1, 0)), scale = FALSE, cost = 1,
                       kernel = if (kind == "linear") "linear" else "polynomial",
                       tolerance = 1e-6, degree = 2, gamma = 1, coef0 = 0.5)
  # libsvm's positive side is the label that it meets first
  side <- if (fitted$labels[1] == 1) 1 else -1
  function(new) {
    d <- scaled(new) %*% t(fitted$SV)
    k <- if (kind == "linear") d else (d + 0.5)^2
    side * drop(k %*% fitted$coefs - fitted$rho)
  }
}

in_blocks <- function(margins, x) {
  starts <- seq(1, nrow(x), by = 20000)
  unlist(lapply(starts, function(i) margins(x[i:min(nrow(x), i + 19999), , drop = FALSE])))
}

tables_of_methods <- function(kind, run) {
  set.seed(1000 * run + (kind == "linear"))
  train <- rings(1000)
  test <- rings(1000)
  margins <- machine(train, kind)
  y <- plogis(margins(train$x))
  new <- plogis(margins(test$x))
  made <- list(Hist = histogram, Platt = platt, IsoReg = isotonic, KDE = kernel_density,
               DPM = dirichlet, BBQ = bbq, ENIR = enir)
  predictions <- c(list(SVM = new), lapply(made, function(make) make(y, train$z)(new)))
  part <- if (kind == "linear") "a" else "b"
  rows <- list()
  for (name in names(predictions)) {
    p <- predictions[[name]]
    if (name %in% c("SVM", "Hist", "Platt", "IsoReg", "KDE", "DPM")) {
      rows[[length(rows) + 1]] <- row_of("naeini2014", paste0("table1", part), name, run,
                                         measures(test$z, p))
    }
    if (name %in% c("SVM", "IsoReg", "BBQ", "ENIR")) {
      row <- if (name == "IsoReg") "IsoRegC" else name
      rows[[length(rows) + 1]] <- row_of("naeini2016", paste0("table1", part), row, run,
                                         measures(test$z, p, "width"))
    }
  }
  do.call(rbind, rows)
}

table_of_sizes <- function(kind, run) {
  set.seed(1000 * run + 500 + (kind == "linear"))
  margins <- machine(rings(1000), kind)
  test <- rings(10000)
  new <- plogis(margins(test$x))
  part <- if (kind == "linear") "a" else "b"
  few <- function(row, p) {
    row_of("naeini2014", paste0("table2", part), row, run, measures(test$z, p)[c("AUC", "MCE", "ECE")])
  }
  rows <- list(few("base", new))
  for (power in 2:6) {
    own <- rings(10^power)
    y <- plogis(in_blocks(margins, own$x))
    rows[[power]] <- few(paste0("1e", power), histogram(y, own$z)(new))
  }
  do.call(rbind, rows)
}

row_of <- function(paper, table, row, run, found) {
  data.frame(paper = paper, table = table, row = row, column = names(found), run = run,
             value = unname(found))
}

run_rings <- function(n_tables, n_sizes) {
  both <- c("linear", "quadratic")
  do.call(rbind, c(
    unlist(lapply(both, function(kind) lapply(seq_len(n_tables), function(run)
      tables_of_methods(kind, run))), recursive = FALSE),
    unlist(lapply(both, function(kind) lapply(seq_len(n_sizes), function(run)
      table_of_sizes(kind, run))), recursive = FALSE)
  ))
}

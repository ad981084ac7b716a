# Tables 1 and 2 of Vovk and Petej (2014): logistic regression and the SVM on three of the nine sets.
# The paper names Weka and no setting. Its logistic regression has a ridge of 1e-8, its SVM scales
# columns to [0, 1] and has C = 1, with a sigmoid of largest likelihood on training margins.

logistic <- function(x, z, ridge = 1e-8) {
  center <- colMeans(x)
  width <- apply(x, 2, sd)
  width[width == 0] <- 1
  scaled <- function(new) cbind(1, sweep(sweep(new, 2, center), 2, width, "/"))
  design <- scaled(x)
  penalty <- c(0, rep(2 * ridge, ncol(x)))
  loss <- function(beta) {
    margin <- drop(design %*% beta)
    sum(ifelse(z == 1, log1p(exp(-abs(margin))) + pmax(0, -margin),
               log1p(exp(-abs(margin))) + pmax(0, margin))) + sum(penalty * beta^2) / 2
  }
  beta <- numeric(ncol(design))
  for (step in 1:200) {
    p <- plogis(drop(design %*% beta))
    gradient <- drop(crossprod(design, p - z)) + penalty * beta
    hessian <- crossprod(design * (p * (1 - p)), design) + diag(penalty + 1e-14, ncol(design))
    move <- tryCatch(solve(hessian, gradient, tol = 0), error = function(e) NULL)
    if (is.null(move) || any(!is.finite(move))) break
    length_of_step <- 1
    before <- loss(beta)
    while (length_of_step > 1e-8 && !(loss(beta - length_of_step * move) <= before)) {
      length_of_step <- length_of_step / 2
    }
    beta <- beta - length_of_step * move
    if (sum(gradient * move) < 1e-12) break
  }
  list(score = function(new) drop(scaled(new) %*% beta),
       probability = function(margin) plogis(margin))
}

vector_machine <- function(x, z) {
  low <- apply(x, 2, min)
  reach <- apply(x, 2, max) - low
  reach[reach == 0] <- 1
  scaled <- function(new) sweep(sweep(new, 2, low), 2, reach, "/")
  fitted <- e1071::svm(scaled(x), factor(z, levels = c(1, 0)), scale = FALSE, kernel = "linear",
                       cost = 1)
  side <- if (fitted$labels[1] == 1) 1 else -1
  weights <- drop(crossprod(fitted$SV, fitted$coefs))
  score <- function(new) side * drop(scaled(new) %*% weights - fitted$rho)
  sigmoid <- suppressWarnings(glm.fit(cbind(1, score(x)), z, family = binomial()))$coefficients
  list(score = score, probability = function(margin) plogis(sigmoid[1] + sigmoid[2] * margin))
}

# Isotonic fit of a sample with one more point, read at that point.
pair_at <- function(s, z, at) {
  vapply(0:1, function(label) {
    steps <- isotonic_steps(c(s, at), c(z, label))
    steps$p[match(at, steps$y)]
  }, 0)
}

merged <- function(p0, p1) {
  list(log = p1 / (1 - p0 + p1), square = p1 + p0^2 / 2 - p1^2 / 2)
}

losses_of <- function(z, p0, p1 = p0) {
  p <- merged(p0, p1)
  c(log_loss = mean(-log(ifelse(z == 1, p$log, 1 - p$log))), RMSE = sqrt(mean((p$square - z)^2)))
}

# The fitted value of the nearest training score; of two as near, that of the smaller.
direct <- function(s, z) {
  steps <- isotonic_steps(s, z)
  function(new) {
    k <- length(steps$y)
    below <- pmin(pmax(findInterval(new, steps$y), 1), k)
    above <- pmin(below + 1, k)
    steps$p[ifelse(abs(new - steps$y[below]) <= abs(steps$y[above] - new), below, above)]
  }
}

on_one_split <- function(x, z, fit, full) {
  n <- length(z)
  order_of_rows <- sample(n)
  train <- order_of_rows[seq_len(floor(2 * n / 3))]
  test <- setdiff(order_of_rows, train)
  model <- fit(x[train, ], z[train])
  s <- model$score(x[train, ])
  new <- model$score(x[test, ])
  simplified <- vapply(new, function(at) pair_at(s, z[train], at), c(0, 0))
  found <- list(W = losses_of(z[test], model$probability(new)),
                SVA = losses_of(z[test], simplified[1, ], simplified[2, ]),
                DIR = losses_of(z[test], direct(s, z[train])(new)))
  if (full) {
    pairs <- vapply(test, function(object) {
      vapply(0:1, function(label) {
        x_all <- x[c(train, object), ]
        z_all <- c(z[train], label)
        s_all <- fit(x_all, z_all)$score(x_all)
        steps <- isotonic_steps(s_all, z_all)
        steps$p[match(s_all[length(s_all)], steps$y)]
      }, 0)
    }, c(0, 0))
    found$VA <- losses_of(z[test], pairs[1, ], pairs[2, ])
  }
  found
}

run_venn_abers <- function(folder, n_splits, n_full) {
  sets <- c(diabetes = "Diabetes", liver_disorders = "Liver", ionosphere = "Ionosphere")
  fits <- list("LR" = logistic, "SVM Platt" = vector_machine)
  rows <- list()
  for (set in names(sets)) for (name in names(fits)) {
    data <- read.csv(file.path(folder, paste0(set, ".csv")))
    x <- as.matrix(data[names(data) != "label"])
    for (run in seq_len(n_splits)) {
      set.seed(10000 * match(set, names(sets)) + 1000 * match(name, names(fits)) + run)
      found <- on_one_split(x, data$label, fits[[name]], run <= n_full[[set]])
      for (method in names(found)) {
        row <- paste(name, sets[[set]], sep = " / ")
        rows[[length(rows) + 1]] <- data.frame(
          paper = "vovk2014", table = c("table1", "table2"), row = row, column = method, run = run,
          value = unname(found[[method]]))
      }
    }
  }
  do.call(rbind, rows)
}

# Calibrators and measures, written in R from the papers; no line is shared with the package calib.

# Equal predictions stay together: a distinct score has the place of its mean rank.
groups_of <- function(p, k) pmin(k, pmax(1, ceiling(k * (rank(p) - 0.5) / length(p))))

# RMSE, AUC, ACC, MCE and ECE; ten groups of equal size, or ten intervals of equal width.
measures <- function(z, p, grouping = "size") {
  k <- 10
  bin <- if (grouping == "size") groups_of(p, k) else pmin(k, floor(k * p) + 1)
  gaps <- abs(tapply(z, bin, mean) - tapply(p, bin, mean))
  shares <- tabulate(factor(bin)) / length(p)
  m <- sum(z)
  auc <- (sum(rank(p)[z == 1]) - m * (m + 1) / 2) / (m * (length(z) - m))
  c(RMSE = sqrt(mean((p - z)^2)), AUC = auc, ACC = mean((p >= 0.5) == z),
    MCE = max(gaps), ECE = sum(shares * gaps))
}

# Histogram binning: bins of equal frequency, borders half way between neighbours.
histogram_bins <- function(y, z, b) {
  order_y <- order(y)
  y <- y[order_y]
  z <- z[order_y]
  n <- length(y)
  last <- floor(n * seq_len(b) / b)
  inner <- last[-b]
  borders <- (y[inner] + y[inner + 1]) / 2
  borders <- unique(borders)
  bin <- findInterval(y, borders, left.open = TRUE) + 1
  list(borders = borders, N = tabulate(bin, length(borders) + 1),
       m = vapply(seq_len(length(borders) + 1), function(i) sum(z[bin == i]), 0))
}

histogram <- function(y, z, b = round(length(y)^(1 / 3))) {
  model <- histogram_bins(y, z, b)
  share <- ifelse(model$N > 0, model$m / model$N, mean(z))
  function(new) share[findInterval(new, model$borders, left.open = TRUE) + 1]
}

# Platt's sigmoid with his targets, by Newton's method from glm.
platt <- function(y, z) {
  m <- sum(z)
  n <- length(z) - m
  target <- ifelse(z == 1, (m + 1) / (m + 2), 1 / (n + 2))
  fitted <- suppressWarnings(glm.fit(cbind(1, y), target, family = binomial()))
  function(new) plogis(drop(cbind(1, new) %*% fitted$coefficients))
}

# Isotonic regression of the means of equal scores, and linear in between.
isotonic_steps <- function(y, z) {
  distinct <- sort(unique(y))
  place <- match(y, distinct)
  weight <- tabulate(place, length(distinct))
  sums <- as.vector(rowsum(as.numeric(z), place))
  list(y = distinct, p = weighted_isotonic(sums / weight, weight))
}

# Pool adjacent violators with weights; base R's isoreg has none.
weighted_isotonic <- function(value, weight) {
  if (all(weight == 1)) return(isoreg(value)$yf)
  n <- length(value)
  level <- mass <- size <- numeric(n)
  top <- 0
  for (i in seq_len(n)) {
    top <- top + 1
    level[top] <- value[i]
    mass[top] <- weight[i]
    size[top] <- 1
    while (top > 1 && level[top - 1] >= level[top]) {
      both <- mass[top - 1] + mass[top]
      level[top - 1] <- (mass[top - 1] * level[top - 1] + mass[top] * level[top]) / both
      mass[top - 1] <- both
      size[top - 1] <- size[top - 1] + size[top]
      top <- top - 1
    }
  }
  rep(level[seq_len(top)], size[seq_len(top)])
}

between <- function(y, p) {
  if (length(y) == 1) return(function(new) rep(p, length(new)))
  function(new) approx(y, p, new, rule = 2)$y
}

isotonic <- function(y, z) {
  steps <- isotonic_steps(y, z)
  between(steps$y, steps$p)
}

# Boxcar kernel with one bandwidth, so that the densities leave a mean over neighbours.
kernel_density <- function(y, z) {
  h <- 1.06 * sd(y) * length(y)^(-1 / 5)
  order_y <- order(y)
  y <- y[order_y]
  below <- c(0, cumsum(z[order_y]))
  function(new) {
    first <- findInterval(new - h, y, left.open = TRUE)
    last <- findInterval(new + h, y)
    ifelse(last > first, (below[last + 1] - below[first + 1]) / (last - first), mean(z))
  }
}

# BBQ: histograms of many sizes, weighted by their marginal likelihood.
# The prior of a bin has strength 2 and the middle of the bin as its mean, as in the authors' code.
bbq <- function(y, z) {
  n <- length(y)
  sizes <- seq(max(1, floor(n^(1 / 3) / 10)), min(ceiling(n / 5), ceiling(10 * n^(1 / 3))))
  models <- lapply(sizes, function(b) {
    model <- histogram_bins(y, z, b)
    ends <- c(0, model$borders, 1)
    middle <- pmin(0.995, pmax(0.005, (ends[-1] + ends[-length(ends)]) / 2))
    alpha <- 2 * middle
    beta <- 2 * (1 - middle)
    model$p <- (model$m + alpha) / (model$N + 2)
    model$score <- sum(lgamma(2) - lgamma(model$N + 2) + lgamma(model$m + alpha) - lgamma(alpha) +
                         lgamma(model$N - model$m + beta) - lgamma(beta))
    model
  })
  score <- vapply(models, function(model) model$score, 0)
  weight <- exp(score - max(score))
  weight <- weight / sum(weight)
  function(new) {
    found <- numeric(length(new))
    for (i in which(weight > 1e-9)) {
      model <- models[[i]]
      found <- found + weight[i] * model$p[findInterval(new, model$borders, left.open = TRUE) + 1]
    }
    found
  }
}

# ENIR: the whole path of near-isotonic fits by the modified PAV algorithm, weighted by BIC.
enir <- function(y, z) {
  distinct <- sort(unique(y))
  place <- match(y, distinct)
  weight <- tabulate(place, length(distinct))
  sums <- as.vector(rowsum(as.numeric(z), place))
  n <- sum(weight)
  level <- sums / weight
  size <- weight
  steps <- rep(1, length(level))
  lambda <- 0
  fits <- list()
  scores <- numeric(0)
  repeat {
    k <- length(level)
    if (k == 1) break
    violated <- c(0, as.numeric(level[-k] > level[-1]), 0)
    slope <- (violated[-(k + 1)] - violated[-1]) / size
    closing <- slope[-1] - slope[-k]
    meet <- (level[-k] - level[-1]) / closing + lambda
    # a pair in order can meet, too, if its outer neighbours violate the order
    meet[!is.finite(meet) | meet < lambda] <- Inf
    # neighbours that have met already
    meet[level[-k] == level[-1]] <- lambda
    following <- min(meet)
    if (!is.finite(following)) break
    level <- level + slope * (following - lambda)
    join <- which(meet <= following + 1e-12)
    lambda <- following
    group <- cumsum(c(1, !(seq_len(k - 1) %in% join)))
    mass <- as.vector(rowsum(size, group))
    level <- as.vector(rowsum(size * level, group)) / mass
    size <- mass
    steps <- as.vector(rowsum(steps, group))
    if (lambda > 0) {
      p <- pmin(1, pmax(0, rep(level, steps)))
      hit <- sum(sums * log(pmax(p, 1e-300))) + sum((weight - sums) * log(pmax(1 - p, 1e-300)))
      fits[[length(fits) + 1]] <- p
      scores <- c(scores, 2 * hit - length(level) * log(n))
    }
  }
  if (length(fits) == 0) return(isotonic(y, z))
  share <- exp((scores - max(scores)) / 2)
  share <- share / sum(share)
  p <- numeric(length(distinct))
  for (i in which(share > 1e-12)) p <- p + share[i] * fits[[i]]
  between(distinct, p)
}

# The calibrator of N14's DPM column: a Dirichlet process mixture of normals for each class.
# N14 names the variational method of Kurihara, Welling and Vlassis (2007) and no prior. The priors
# are those of the public code of that paper: concentration 1, a mean worth 0.01 points, and a
# precision from the gamma distribution of shape 1 whose rate is 0.01 of the variance.

# Posterior of sticks and normals, given the weights of the points; larger groups come first.
mixture_from <- function(x, weights, prior) {
  weights <- weights[, order(-colSums(weights)), drop = FALSE]
  size <- colSums(weights)
  k <- length(size)
  center <- drop(crossprod(weights, x)) / pmax(size, 1e-12)
  within <- drop(crossprod(weights, x^2)) - size * center^2
  kappa <- prior$kappa + size
  list(first = 1 + size, rest = 1 + rev(cumsum(rev(size))) - size, kappa = kappa,
       mean = (prior$kappa * prior$mean + size * center) / kappa,
       shape = prior$shape + size / 2,
       rate = prior$rate + (pmax(within, 0) +
                              prior$kappa * size * (center - prior$mean)^2 / kappa) / 2)
}

# Weights of the points and the bound of the evidence.
weights_under <- function(x, mixture, prior) {
  both <- digamma(mixture$first + mixture$rest)
  stay <- digamma(mixture$rest) - both
  stick <- digamma(mixture$first) - both + cumsum(stay) - stay
  precision <- mixture$shape / mixture$rate
  fit <- vapply(seq_along(stick), function(j) {
    stick[j] + (digamma(mixture$shape[j]) - log(mixture$rate[j]) - log(2 * pi) -
                  1 / mixture$kappa[j] - precision[j] * (x - mixture$mean[j])^2) / 2
  }, numeric(length(x)))
  highest <- do.call(pmax, as.data.frame(fit))
  total <- rowSums(exp(fit - highest))
  from_sticks <- lbeta(1, 1) - lbeta(mixture$first, mixture$rest) +
    (mixture$first - 1) * digamma(mixture$first) + (mixture$rest - 1) * digamma(mixture$rest) -
    (mixture$first + mixture$rest - 2) * both
  from_means <- (log(mixture$kappa / prior$kappa) + prior$kappa / mixture$kappa - 1 +
                   prior$kappa * precision * (mixture$mean - prior$mean)^2) / 2
  from_precisions <- (mixture$shape - prior$shape) * digamma(mixture$shape) -
    lgamma(mixture$shape) + lgamma(prior$shape) +
    prior$shape * (log(mixture$rate) - log(prior$rate)) +
    mixture$shape * (prior$rate - mixture$rate) / mixture$rate
  list(weights = exp(fit - highest) / total,
       bound = sum(highest + log(total)) - sum(from_sticks + from_means + from_precisions))
}

improved <- function(x, weights, prior, steps) {
  before <- -Inf
  for (step in seq_len(steps)) {
    mixture <- mixture_from(x, weights, prior)
    now <- weights_under(x, mixture, prior)
    weights <- now$weights
    if (now$bound - before < 1e-6 * abs(now$bound)) break
    before <- now$bound
  }
  list(mixture = mixture, weights = weights, bound = now$bound)
}

# Start from one group; cut that group at its mean whose cut helps most, while one helps.
dirichlet_density <- function(x) {
  prior <- list(kappa = 0.01, mean = mean(x), shape = 1, rate = 0.01 * var(x))
  best <- improved(x, matrix(1, length(x), 1), prior, 1)
  repeat {
    trials <- lapply(seq_along(best$mixture$mean), function(j) {
      upper <- x > sum(best$weights[, j] * x) / max(sum(best$weights[, j]), 1e-12)
      improved(x, cbind(best$weights[, -j, drop = FALSE], best$weights[, j] * upper,
                        best$weights[, j] * !upper), prior, 20)
    })
    chosen <- trials[[which.max(vapply(trials, function(trial) trial$bound, 0))]]
    chosen <- improved(x, chosen$weights, prior, 500)
    if (chosen$bound - best$bound < 1e-4 * abs(best$bound)) break
    best <- chosen
  }
  predictive(best$mixture, prior)
}

# A mixture of t distributions; the rest of the stick has the prior.
predictive <- function(mixture, prior) {
  cut <- mixture$first / (mixture$first + mixture$rest)
  left <- cumprod(1 - cut)
  share <- c(cut * c(1, left[-length(left)]), left[length(left)])
  mean <- c(mixture$mean, prior$mean)
  shape <- c(mixture$shape, prior$shape)
  width <- sqrt(c(mixture$rate, prior$rate) / shape * (1 + 1 / c(mixture$kappa, prior$kappa)))
  function(new) {
    density <- numeric(length(new))
    for (j in seq_along(share)) {
      density <- density + share[j] * dt((new - mean[j]) / width[j], 2 * shape[j]) / width[j]
    }
    density
  }
}

dirichlet <- function(y, z) {
  positive <- dirichlet_density(y[z == 1])
  negative <- dirichlet_density(y[z == 0])
  function(new) {
    up <- sum(z) * positive(new)
    up / (up + sum(1 - z) * negative(new))
  }
}

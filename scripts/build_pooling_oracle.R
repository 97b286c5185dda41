# Write tests/unit/effects/pooling_oracle.json: what metafor gives for the pooling of `openwork_effects`.
#
# Neither R nor metafor is a dependency, nor of the tests. Debian: apt-get install r-cran-metafor. Then, from the root:
#
#     Rscript scripts/build_pooling_oracle.R
#
# Studies are drawn once, with a fixed seed, beside corners that are written out here. Base R writes the JSON.
suppressPackageStartupMessages(library(metafor))
set.seed(1986)

number <- function(x) ifelse(is.na(x), "null", formatC(x, digits = 17, format = "g"))
numbers <- function(x) paste0("[", paste(number(as.numeric(x)), collapse = ","), "]")
object <- function(...) {
  parts <- list(...)
  paste0("{", paste(sprintf("\"%s\":%s", names(parts), unlist(parts)), collapse = ","), "}")
}
tables <- function(d) paste0("[", paste(sprintf("[%d,%d,%d,%d]", d$a, d$n1, d$c, d$n2), collapse = ","), "]")

fit <- function(yi, vi) {
  k <- length(yi)
  fe <- rma(yi, vi, method = "FE")
  dl <- rma(yi, vi, method = "DL")
  tight <- list(threshold = 1e-13, maxiter = 10000)
  re <- rma(yi, vi, method = "REML", control = tight)
  hk <- rma(yi, vi, method = "REML", test = "knha", control = tight)
  out <- list(
    fixed = numbers(c(fe$beta, fe$se, fe$ci.lb, fe$ci.ub, fe$QE, fe$QEp)),
    dl = numbers(c(dl$beta, dl$se, dl$ci.lb, dl$ci.ub, dl$tau2)),
    reml = numbers(c(re$beta, re$se, re$ci.lb, re$ci.ub, re$tau2)),
    hartung_knapp = numbers(c(hk$beta, hk$se, hk$ci.lb, hk$ci.ub))
  )
  if (k >= 3) {
    p <- predict(re, pi.type = "riley")
    out$prediction <- numbers(c(p$pi.lb, p$pi.ub))
  }
  if (k >= 10) {
    egger <- regtest(fe, model = "lm", predictor = "sei")
    line <- summary(lm(yi ~ sqrt(vi), weights = 1 / vi))$coefficients
    stopifnot(abs(line[2, 4] - egger$pval) < 1e-9)
    out$egger <- numbers(line[2, c(1, 2, 4)])
  }
  out
}

counted <- function(d) {
  one <- list(tables = tables(d))
  for (measure in c("RR", "OR", "RD")) {
    e <- escalc(measure, ai = a, n1i = n1, ci = c, n2i = n2, data = d, add = if (measure == "RD") 0 else 1 / 2, to = "only0", drop00 = measure != "RD")
    ok <- !is.na(e$yi) & !is.na(e$vi) & e$vi > 0
    if (sum(ok) == nrow(d)) one[[measure]] <- do.call(object, fit(e$yi, e$vi))
    mh <- try(rma.mh(measure = measure, ai = a, n1i = n1, ci = c, n2i = n2, data = d, add = c(1 / 2, 0), to = c("only0", "none"), drop00 = FALSE, correct = FALSE), silent = TRUE)
    if (!inherits(mh, "try-error") && measure != "RD" && is.finite(mh$beta)) {
      one[[paste0("MH_", measure)]] <- numbers(c(mh$beta, mh$se, mh$ci.lb, mh$ci.ub, if (all(ok)) mh$QE else NA))
    }
    if (measure == "RD") one$MH_RD_value <- number(as.numeric(mh$beta))
  }
  peto <- rma.peto(ai = a, n1i = n1, ci = c, n2i = n2, data = d, drop00 = TRUE)
  one$peto <- numbers(c(peto$beta, peto$se, peto$ci.lb, peto$ci.ub, peto$QE))
  if (nrow(d) >= 10) {
    n <- d$n1 + d$n2
    events <- d$a + d$c
    z <- d$a - d$n1 * events / n
    v <- d$n1 * d$n2 * events * (n - events) / (n^2 * (n - 1))
    harbord <- summary(lm(I(z / sqrt(v)) ~ sqrt(v)))$coefficients
    e <- escalc("OR", ai = a, n1i = n1, ci = c, n2i = n2, data = d)
    peters <- summary(lm(e$yi ~ I(1 / n), weights = events * (n - events) / n))$coefficients
    one$harbord <- numbers(harbord[1, c(1, 2, 4)])
    one$peters <- numbers(peters[2, c(1, 2, 4)])
  }
  do.call(object, one)
}

draw <- function(k, rate, effect, spread) {
  n1 <- sample(c(24, 60, 150, 480, 2100), k, TRUE) + sample(0:9, k, TRUE)
  n2 <- pmax(8, round(n1 * runif(k, 0.6, 1.5)))
  p2 <- pmin(0.9, rate * exp(rnorm(k, 0, 0.3)))
  odds <- p2 / (1 - p2) * exp(effect + rnorm(k, 0, spread))
  data.frame(a = rbinom(k, n1, odds / (1 + odds)), n1 = n1, c = rbinom(k, n2, p2), n2 = n2)
}

sets <- list(
  data.frame(a = c(4, 6, 3, 62), n1 = c(123, 306, 231, 13598), c = c(11, 29, 11, 248), n2 = c(139, 303, 220, 12867)),
  data.frame(a = c(0, 2, 5), n1 = c(50, 61, 70), c = c(3, 2, 9), n2 = c(48, 60, 71)),
  data.frame(a = c(12, 30), n1 = c(100, 210), c = c(20, 33), n2 = c(104, 207)),
  data.frame(a = c(10, 10, 10), n1 = c(100, 100, 100), c = c(20, 20, 20), n2 = c(100, 100, 100))
)
for (i in 1:24) {
  k <- sample(c(2, 3, 5, 10, 14, 30), 1)
  sets[[length(sets) + 1]] <- draw(k, sample(c(0.02, 0.15, 0.4), 1), rnorm(1, -0.2, 0.4), sample(c(0, 0.2, 0.7), 1))
}

measured <- function(k) {
  yi <- rnorm(k, 1.5, 1) * sample(c(0.1, 1, 10), 1)
  vi <- runif(k, 0.02, 0.9) * sample(c(0.01, 1), 1)
  do.call(object, c(list(yi = numbers(yi), vi = numbers(vi)), fit(yi, vi)))
}

lines <- c(
  sprintf("{\"made\":\"metafor %s, %s\",", packageVersion("metafor"), R.version.string),
  "\"counts\":[",
  paste(vapply(sets, counted, ""), collapse = ",\n"),
  "],\"effects\":[",
  paste(vapply(sample(c(2, 3, 4, 6, 11, 25), 20, TRUE), measured, ""), collapse = ",\n"),
  "]}"
)
writeLines(lines, "tests/unit/effects/pooling_oracle.json")

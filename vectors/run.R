# Judge functions of R by the test vectors: source("run.R"), then judge(list(brier = function(...) ...)).
# Needs no package. A function gets the input of a case by name, such as labels and probabilities.

read_vectors <- function(file = "calibration-1.json") {
  text <- paste(readLines(file, warn = FALSE), collapse = " ")
  tokens <- regmatches(text, gregexpr('"([^"\\\\]|\\\\.)*"|[][{},:]|[^][{},:"[:space:]]+', text))[[1]]
  in_r <- c("{" = "list(", "[" = "list(", "}" = ")", "]" = ")", ":" = "=", null = "NA")
  known <- tokens %in% names(in_r)
  tokens[known] <- in_r[tokens[known]]
  eval(parse(text = paste(tokens, collapse = " ")))$cases
}

numbers <- function(answer) {
  texts <- unlist(answer$decimal)
  ifelse(texts == "undefined", NaN, suppressWarnings(as.numeric(sub("infinity", "Inf", texts))))
}

is_answer <- function(found, answer, tolerance) {
  right <- numbers(answer)
  if (anyNA(right)) return(is.character(found) || anyNA(found))
  !is.character(found) && !anyNA(found) && length(found) == length(right) &&
    all(found == right | (is.finite(right) & abs(found - right) <= tolerance * pmax(1, abs(right))))
}

words <- function(answer) paste(names(answer$convention), unlist(answer$convention), sep = ": ", collapse = ", ")

judge <- function(functions, file = "calibration-1.json") {
  for (case in read_vectors(file)) {
    f <- functions[[case[["function"]]]]
    given <- lapply(case$input, unlist)
    if (is.null(f) || !all(names(given) %in% names(formals(f)))) next
    found <- tryCatch(suppressWarnings(unlist(do.call(f, given))),
                      error = function(e) conditionMessage(e))
    if (is.null(found)) next  # not offered
    fits <- function(answers) Filter(function(a) is_answer(found, a, case$tolerance), answers)
    right <- vapply(fits(case$answers), words, "")
    wrong <- vapply(fits(case$mistakes), function(a) a$mistake, "")
    verdict <- if (length(right)) paste(right, collapse = " | ")
      else paste("WRONG", if (length(wrong)) paste0("(", wrong[1], ")"))
    numbers_found <- if (is.character(found)) "error" else paste(sprintf("%.17g", found), collapse = " ")
    cat(case$id, numbers_found, verdict, sep = "\t")
    cat("\n")
  }
}

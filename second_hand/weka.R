# Tables 1 and 2 of Vovk and Petej (2014): J48, its bags, naive Bayes, the network, by Weka itself.
# Every setting is Weka's default. The paper cites Weka as of 2011; Debian has version 3.6, of that
# time. Splits, merging and measures are those of venn_abers.R.

weka_jar <- Sys.getenv("WEKA_JAR", "/usr/share/java/weka.jar")

# Whether Weka can be called; what is missing is said.
weka_is_there <- function() {
  found <- file.exists(weka_jar) && requireNamespace("rJava", quietly = TRUE)
  if (!found) message("Weka or rJava is missing, its four classifiers were not run: ",
                      "apt-get install weka r-cran-rjava")
  if (found) rJava::.jinit(weka_jar, parameters = c("-Xmx512m", "-Djava.awt.headless=true"))
  found
}

# A table in Weka's text format, labels last.
as_instances <- function(x, z) {
  header <- c("@relation r", sprintf("@attribute a%d numeric", seq_len(ncol(x))),
              "@attribute label {0,1}", "@data")
  lines <- apply(cbind(x, z), 1, paste, collapse = ",")
  text <- rJava::.jnew("java/io/StringReader", paste(c(header, lines), collapse = "\n"))
  made <- rJava::.jnew("weka/core/Instances", rJava::.jcast(text, "java/io/Reader"))
  rJava::.jcall(made, "V", "setClassIndex", ncol(x))
  made
}

# A classifier of Weka with options in the form of its command line.
weka_object <- function(name, options = character(0)) {
  made <- rJava::.jnew(paste0("weka/classifiers/", name))
  options <- rJava::.jarray(as.character(options))
  if (length(options) > 0) rJava::.jcall(made, "V", "setOptions", options)
  rJava::.jcast(made, "weka/classifiers/Classifier")
}

# Train on some rows; probabilities of label 1 for these and for others.
train_and_ask <- function(classifier, train, test = NULL) {
  filter <- rJava::.jnew("weka/filters/supervised/attribute/AddClassification")
  rJava::.jcall(filter, "V", "setClassifier", classifier)
  rJava::.jcall(filter, "V", "setOutputDistribution", TRUE)
  rJava::.jcall(filter, "Z", "setInputFormat", train)
  ask <- function(rows) {
    told <- rJava::.jcall("weka/filters/Filter", "Lweka/core/Instances;", "useFilter", rows,
                          rJava::.jcast(filter, "weka/filters/Filter"))
    column <- rJava::.jcall(told, "Lweka/core/Attribute;", "attribute", "distribution_1")
    rJava::.jcall(told, "[D", "attributeToDoubleArray", rJava::.jcall(column, "I", "index"))
  }
  list(train = ask(train), test = if (!is.null(test)) ask(test))
}

# Ten trees, each on its own rows, drawn independently and with replacement. The class Bagging does
# the same in this version, 3.6.14; until 2012 its draws were sums of uniform numbers.
bags_of_trees <- function() {
  filter <- "weka.classifiers.meta.FilteredClassifier -W weka.classifiers.trees.J48 -F"
  trees <- sprintf("%s \"weka.filters.unsupervised.instance.Resample -Z 100 -S %d\"", filter,
                   sample.int(1e8, 10))
  weka_object("meta/Vote", rbind("-B", trees))
}

weka_classifiers <- list(
  "J48" = function() weka_object("trees/J48"),
  "J48 Bagging" = bags_of_trees,
  "NB" = function() weka_object("bayes/NaiveBayes"),
  "NN" = function() weka_object("functions/MultilayerPerceptron")
)
# To set beside the bags above, and beside the programs that venn_abers.R has for the other two.
weka_others <- list(
  "J48 Bagging" = function() weka_object("meta/Bagging", c("-W", "weka.classifiers.trees.J48")),
  "LR" = function() weka_object("functions/Logistic"),
  "SVM Platt" = function() weka_object("functions/SMO", "-M")
)

# The full predictor trains twice for each test row; it is asked for the first n_asked of them.
weka_on_one_split <- function(x, z, make, n_asked) {
  n <- length(z)
  order_of_rows <- sample(n)
  n_train <- floor(2 * n / 3)
  rows <- as_instances(x[order_of_rows, ], z[order_of_rows])
  z <- z[order_of_rows]
  train <- rJava::.jnew("weka/core/Instances", rows, 0L, as.integer(n_train))
  test <- rJava::.jnew("weka/core/Instances", rows, as.integer(n_train), as.integer(n - n_train))
  own <- seq_len(n_train)
  classifier <- make()
  p <- train_and_ask(classifier, train, test)
  simplified <- vapply(p$test, function(at) pair_at(p$train, z[own], at), c(0, 0))
  found <- list(W = losses_of(z[-own], p$test),
                SVA = losses_of(z[-own], simplified[1, ], simplified[2, ]),
                DIR = losses_of(z[-own], direct(p$train, z[own])(p$test)))
  asked <- seq_len(min(n_asked, n - n_train))
  if (length(asked) > 0) {
    pairs <- vapply(asked, function(i) vapply(0:1, function(label) {
      more <- rJava::.jnew("weka/core/Instances", train)
      object <- rJava::.jcall(test, "Lweka/core/Instance;", "instance", i - 1L)
      rJava::.jcall(more, "V", "add", object)
      rJava::.jcall(rJava::.jcall(more, "Lweka/core/Instance;", "lastInstance"), "V",
                    "setClassValue", as.numeric(label))
      s <- train_and_ask(classifier, more)$train
      steps <- isotonic_steps(s, c(z[own], label))
      steps$p[match(s[n_train + 1], steps$y)]
    }, 0), c(0, 0))
    found$VA <- losses_of(z[n_train + asked], pairs[1, ], pairs[2, ])
  }
  found
}

# For a classifier and data set: splits, splits of the full predictor, and rows that it is asked.
weka_plan <- function(name, set) {
  if (name == "NN") return(if (set == "ionosphere") c(50, 8, 12) else c(100, 8, 24))
  if (name == "J48 Bagging") return(c(100, 8, 24))
  c(100, if (set == "diabetes") 4 else 16, Inf)
}

run_weka <- function(folder, plan = weka_plan) {
  sets <- c(diabetes = "Diabetes", liver_disorders = "Liver", ionosphere = "Ionosphere")
  rows <- list()
  for (set in names(sets)) {
    data <- read.csv(file.path(folder, paste0(set, ".csv")))
    x <- as.matrix(data[names(data) != "label"])
    made <- c(weka_classifiers, weka_others)
    for (k in seq_along(made)) {
      name <- names(made)[k]
      other <- k > length(weka_classifiers)
      planned <- plan(name, set)
      for (run in seq_len(planned[1])) {
        set.seed(100000 * k + 10000 * match(set, names(sets)) + run)
        asked <- if (run <= planned[2] && !other) planned[3] else 0
        found <- weka_on_one_split(x, data$label, made[[k]], asked)
        for (method in names(found)) {
          rows[[length(rows) + 1]] <- data.frame(
            paper = "vovk2014", table = if (other) "weka 3.6" else c("table1", "table2"),
            row = paste(name, sets[[set]], sep = " / "),
            column = if (other) paste(method, names(found[[method]])) else method, run = run,
            value = unname(found[[method]]))
        }
      }
      message(format(Sys.time(), "%H:%M:%S "), name, " on ", set)
    }
  }
  do.call(rbind, rows)
}

/*
 * The words of `calib report`: cautions, verdict and details, as calibkit.report.input,
 * calibkit.report.verdict and calibkit.report.sentences make them. Needs special, measures and
 * comparing.
 */
"use strict";

const verdictModule = () => {
  const { fixed, general, decimalsBetween } = special;
  const { FEW } = measures;
  const LEVEL = 0.05;
  const LITTLE = 0.01;
  const RARE = 0.05;
  const WANTED_BIAS = 0.2;
  const SMALLEST = 1e-5;
  // [from the low end, from the high end], the fewest marks first
  const MARKS_AT_ENDS = [[0, 1], [1, 0], [0, 2], [1, 1], [2, 0], [1, 2], [2, 1], [2, 2]];
  const LEAST_OTHERS = 10;
  const FAR_OFF = 3;
  const LEAST_PERCENTAGE = 10;
  const FREQUENT = 0.1;
  const CERTAIN_ERRORS = 3;
  const LAST = 5;
  const SMALLEST_RATIO = 0.01;
  const MINUS = "\u2212";
  const BLANK = "\u00a0";
  const UNSURE =
    " The predicted value lies within these limits: the test finds an error, but its place and " +
    "size are uncertain.";
  const NO_VERDICT = {
    "training rows": "these look like rows that the classifier learned from, or like a leak",
    "duplicated rows":
      "cases stand in the file more than once, and no test here allows for that",
  };
  const WITHHELD = {
    "duplicated rows":
      "Fit no calibrator to these rows, and choose none by them: keep one row of each case, or " +
      "name the clusters (--cluster), and run the report again. Without a column that tells the " +
      "cases apart, keep one of the rows that agree in all columns, or number these groups of rows " +
      "and name the numbers as clusters.",
    "marks of missing values":
      "Fit no calibrator yet: leave out the rows whose score is a mark for a missing value, or " +
      "fill them in, and run the report again.",
    "predicted class":
      "Fit no calibrator yet: find out whether these are scores of the predicted class. If so, " +
      "take the score of class 1, which is 1 less the score where class 0 is predicted, and run " +
      "the report again.",
    "reversed scores":
      "Fit no calibrator yet: find out which class counts as positive. If the scores are for the " +
      "other one, take 1 less each score, and run the report again.",
  };
  const QUESTIONS = {
    "training rows":
      "First make sure that the classifier has not learned from these rows, and that no column " +
      "told it the outcome: it looks like that. If so, fit no calibrator to them: score other " +
      "rows, or each row by a model trained without it, and run the report again. If not, go on.",
    percentages:
      "First see whether the scores are percentages. If so, divide them by 100, and run the " +
      "report again. If not, go on.",
  };

  // calibkit.report.numbers_in_words

  const exponent = (value) => Math.floor(Math.log10(Math.abs(value)));
  function number(value, digits = 3) {
    if (value === null || value === undefined) return "\u2013";
    if (value === Math.round(value)) return fixed(Math.abs(value) && value, 0).replace("-", MINUS);
    const last = Math.max(digits, LAST);
    if (Math.abs(value) < 10 ** -last) {
      const smallest = fixed(10 ** -last, last);
      return value > 0 ? `< ${smallest}` : `> ${MINUS}${smallest}`;
    }
    const small = Math.abs(value) < 10 ** (1 - digits);
    return fixed(value, small ? 1 - exponent(value) : digits).replace("-", MINUS);
  }
  function points(share, digits = 1) {
    const value = 100 * share;
    const decimals = value === 0 || Math.abs(value) >= 1 ? 1 : Math.min(1 - exponent(value), 6);
    return fixed(value, Math.max(decimals, digits)).replace("-", MINUS);
  }
  const percent = (share, digits = 1) => `${points(share, digits)}${BLANK}%`;
  const between = (least, low, high, factor = 1) =>
    Math.max(least, decimalsBetween(factor * low, factor * high));
  const probability = (p) => (p < 0.001 ? "p < 0.001" : `p = ${fixed(p, 3)}`);
  const amount = (value) => {
    const text = fixed(value, value === Math.round(value) ? 0 : 1);
    return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  };
  const count = (value, thing) => `${amount(value)} ${thing}${value === 1 ? "" : "s"}`;
  const listed = (names) => names.join(", ");

  /* calibkit.report.input.described. */
  function described({ scores }, ties) {
    const rows = scores.length;
    const positives = ties.positives.reduce((sum, hits) => sum + hits, 0);
    const [lowest, highest] = [ties.scores[0], ties.scores.at(-1)];
    return {
      rows, positives, distinct: ties.scores.length, decimals: decimalsOf(ties.scores), lowest,
      highest, mean: measures.mean(scores), probabilities: lowest >= 0 && highest <= 1,
      rarer: Math.min(positives, rows - positives),
    };
  }

  /* calibkit.report.input._decimals_of: the fewest decimals that write all scores, or null if these
     are more than four. */
  function decimalsOf(scores) {
    const rounded = (p, d) => {
      const scaled = p * 10 ** d;
      const whole = Math.round(scaled);
      const even = Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) : whole;
      return even / 10 ** d;
    };
    const found = [0, 1, 2, 3, 4].find((d) => scores.every((p) => rounded(p, d) === p));
    return found ?? null;
  }

  /* calibkit.report.input.cautions_of. */
  function cautionsOf(sample, ties, data, area) {
    const cautions = [];
    const add = (kind, text) => cautions.push({ kind, text });
    for (const [size, name] of [
      [data.positives, "positive"],
      [data.rows - data.positives, "negative"],
    ]) {
      if (size < FEW) {
        const text = `Only ${count(size, name)}: little can be known from fewer than ${FEW}.`;
        add("few of a class", text);
      }
    }
    ofScores(ties, data, add);
    ofMarks(ties, add);
    ofPercentages(data, add);
    ofRanking(data, area, add);
    ofOrigin(ties, data, area, add);
    ofOrder(sample, data, add);
    return cautions;
  }

  /* calibkit.report.input._score_cautions. */
  function ofScores(ties, data, add) {
    if (!data.probabilities) {
      const text =
        `Scores reach from ${general(data.lowest, 4)} to ${general(data.highest, 4)}: they are no ` +
        "probabilities. Measures of probabilities are left out; calibrate the scores first.";
      add("no probabilities", text);
      return;
    }
    if (data.distinct === 1) {
      add("constant scores", "All scores are equal: they tell no two rows apart.");
    } else if (data.lowest === 0 && data.highest === 1 && data.distinct === 2) {
      const text = "All scores are 0 or 1: these are classes, not probabilities.";
      add("classes for scores", text);
    } else if (data.decimals !== null) {
      let text =
        `Scores are rounded to ${count(data.decimals, "decimal")}: ` +
        `${count(data.distinct, "distinct value")} in ${count(data.rows, "row")}.`;
      if (data.lowest === 0 || data.highest === 1) {
        text += " Scores of 0 and 1 may owe to that; write more decimals.";
      }
      add("rounded scores", text);
    } else if (data.distinct * 10 <= data.rows) {
      add("ties",
        `Scores are tied: ${count(data.distinct, "distinct value")} in ` +
        `${count(data.rows, "row")}, as of trees or bins.`);
    }
    const impossible = measures.impossibleIn(ties);
    if (impossible) {
      add("impossible outcomes",
        `${count(impossible, "outcome")} had been given probability 0. No calibrated prediction ` +
        "does that; if the scores are rounded, write more decimals.");
    }
  }

  /* calibkit.report.input._mark_cautions. */
  function ofMarks(ties, add) {
    const marks = marksOfMissing(ties);
    if (marks.length === 0) return;
    const others = ties.scores.filter((score) => !marks.includes(score));
    const rows = ties.weights.reduce(
      (sum, n, i) => sum + (marks.includes(ties.scores[i]) ? n : 0), 0);
    add("marks of missing values",
      `Scores of ${listed(marks.map((mark) => general(mark, 6)))}, in ${count(rows, "row")}, ` +
      `stand apart from all others, which reach from ${general(others[0], 4)} to ` +
      `${general(others.at(-1), 4)}: they look like marks for missing values. Leave these rows ` +
      "out, or fill the scores in; an empty cell is a missing value here.");
  }

  /* calibkit.report.input.marks_of_missing. */
  function marksOfMissing({ scores, weights }) {
    const k = scores.length;
    if (scores[0] >= 0 && scores[k - 1] <= 1) return [];
    for (const [low, high] of MARKS_AT_ENDS) {
      const others = scores.slice(low, k - high);
      if (others.length < LEAST_OTHERS) return [];
      const marked = (_, i) => i < low || i >= k - high;
      const marks = Array.from(scores).filter(marked);
      const isRepeated = Array.from(weights).filter(marked).every((rows) => rows > 1);
      if (isRepeated && areApart(marks, others[0], others.at(-1))) return marks;
    }
    return [];
  }

  /* calibkit.report.input._are_apart. */
  function areApart(marks, nearest, farthest) {
    if (marks.some((mark) => mark >= 0 && mark <= 1)) return false;
    if (nearest >= 0 && farthest <= 1 && marks.every(Number.isInteger)) return true;
    const gap = (mark) => (mark < nearest ? nearest - mark : mark - farthest);
    return marks.every((mark) => gap(mark) > FAR_OFF * (farthest - nearest));
  }

  /* calibkit.report.input._percentage_cautions. */
  function ofPercentages({ lowest, highest }, add) {
    if (lowest < 0 || highest <= LEAST_PERCENTAGE || highest > 100) return;
    add("percentages",
      `Scores from ${general(lowest, 4)} to ${general(highest, 4)} may be percentages. If they ` +
      "are, divide them by 100: with probabilities far more can be said.");
  }

  /* calibkit.report.input._ranking_cautions. */
  function ofRanking(data, area, add) {
    if (data.rarer < FEW) return;
    if (areHighForBoth(data)) {
      const isChance = area.lower <= 0.5;
      add(isChance ? "predicted class" : "high scores",
        `No score is below 1/2, although ${percent(1 - data.positives / data.rows)} of the ` +
        `outcomes are 0; their mean is ${number(data.mean)}. Scores of the predicted class, ` +
        "whichever it is, look like that: see whether they are for class 1 in every row.");
      if (isChance) return;
    }
    if (area.upper >= 0.5) return;
    const remedy = data.probabilities
      ? "no increasing map can correct that"
      : "if more points stand for less of class 1, as in a scorecard, take minus the score";
    add("reversed scores",
      `Scores are higher where the outcome is 0 (AUC ${number(area.value)}). Check which class ` +
      `counts as positive, and which of the two the scores are for; ${remedy}.`);
  }

  /* calibkit.report.input._are_high_for_both. */
  function areHighForBoth(data) {
    if (!data.probabilities || data.lowest < 0.5 || data.distinct === 1) return false;
    const rate = data.positives / data.rows;
    const error = Math.sqrt((rate * (1 - rate)) / data.rows);
    return Math.min(rate, 1 - rate) >= FREQUENT && data.mean - rate > CERTAIN_ERRORS * error;
  }

  /* calibkit.report.input._origin_cautions: rows that the classifier knew, or that repeat another
     one more than equal scores explain. */
  function ofOrigin(ties, data, area, add) {
    if (data.probabilities && data.rarer >= FEW && area.value >= 0.99) {
      const parts = measures.decomposition(ties);
      if (parts.miscalibration >= 0.5 * parts.score) {
        add("training rows",
          "These look like rows that the classifier learned from, or a leak of the outcome: AUC " +
          `${number(area.value)}, and a map alone would take more than half off the Brier score, ` +
          "or nothing is left of it. Such rows say nothing about new ones.");
        return;
      }
    }
    const found = measures.copies(ties);
    if (found.found && found.copies > 0.01 * data.rows) {
      add("duplicated rows",
        `${count(found.copies, "row")} of ${amount(data.rows)} repeat the score and the outcome ` +
        "of another row, where ties alone would leave the outcomes different. If cases stand in " +
        "the file twice, drop the copies: rows that agree in every column, those that the " +
        "classifier learns from included. If rows are of one patient or account, or cases agree by " +
        "nature, name the column of these as clusters (--cluster): limits here take rows as " +
        "independent and would be too narrow.");
    }
  }

  /* calibkit.report.input._order_cautions: whether outcomes or residuals change along the file, and
     whether it was sorted. */
  function ofOrder({ scores, labels }, data, add) {
    const n = scores.length;
    if (n < 2 * FEW) return;
    for (const [column, name] of [[scores, "score"], [labels, "outcome"]]) {
      let [ups, downs] = [0, 0];
      for (let i = 1; i < n; i++) {
        ups += column[i] > column[i - 1];
        downs += column[i] < column[i - 1];
      }
      if ((ups || downs) && !(ups && downs)) {
        add("sorted rows",
          `The rows are sorted by ${name}. That changes no number here, but whether calibration ` +
          "drifts with time cannot be seen.");
        return;
      }
    }
    const outcomes = Float64Array.from(labels);
    const residuals = ["calibration", scores.map((p, i) => labels[i] - p), "observed less predicted"];
    const series = data.probabilities ? [residuals] : [];
    for (const [name, values, what] of [...series, ["base rate", outcomes, "fraction of positives"]]) {
      const { pValue, row } = measures.change(values);
      if (pValue >= 0.005) continue;
      const [before, after] = [values.subarray(0, row), values.subarray(row)].map(measures.mean);
      add(`drift of ${name}`,
        `The ${name} changes along the file (${probability(pValue)}): ${what} is ` +
        `${percent(before)} in the first ${count(row, "row")} and ${percent(after)} in the ` +
        "others. If the rows are in order of time, judge the latest ones by themselves.");
    }
  }

  /* calibkit.report.measures.estimates, but for smooth ECE and ICI. */
  function estimatesOf({ scores, labels }, ties, data, area) {
    if (!data.probabilities) return { auc: area };
    const parts = measures.decomposition(ties);
    const [low, high] = special.clopperPearson(data.positives, data.rows, (1 - 0.95) / 2);
    const brier = measures.meanInterval(measures.squares(labels, scores));
    const bias = measures.meanInterval(scores.map((p, i) => labels[i] - p));
    const impossible = measures.impossibleIn(ties);
    const line = measures.recalibration({ scores, labels });
    const none = { value: null };
    const chance = measures.simulated(ties);
    const rate = { value: data.positives / data.rows, lower: low, upper: high };
    const noLine = { value: null, note: `No finite line: ${line.reason}.` };
    const infinite = { value: null, note: "Infinite: an outcome was given probability 0." };
    return {
      mean_prediction: { value: data.mean },
      observed_rate: rate,
      observed_over_expected: ratioOf(rate, data.mean),
      bias: data.rarer >= FEW ? bias : { value: bias.value },
      log_loss: impossible ? infinite : measures.meanInterval(measures.logLosses(labels, scores)),
      brier,
      miscalibration: { value: parts.miscalibration, ...chance.miscalibration },
      discrimination: { value: parts.discrimination },
      uncertainty: { value: parts.uncertainty },
      brier_skill: parts.uncertainty === 0 ? none : { value: 1 - parts.score / parts.uncertainty },
      auc: area,
      kuiper_error: { ...measures.kuiperInterval(ties, brier.value), ...chance.kuiper },
      ece: { value: measures.eceOf(ties)(ties.positives), ...chance.ece },
      slope: line.slope ?? noLine,
      intercept: line.intercept ?? noLine,
      in_the_large: line.inTheLarge ?? noLine,
    };
  }

  /* calibkit.report.measures._ratio_estimate. */
  function ratioOf({ value, lower, upper }, expected) {
    if (expected === 0) return { value: null };
    return { value: value / expected, lower: lower / expected, upper: upper / expected };
  }

  /* calibkit.report.make.look_at: the verdict, cautions and measures of a sample, and what to do. */
  function judge(sample, command) {
    const ties = measures.groupTies(sample.scores, sample.labels);
    const data = described(sample, ties);
    const area = measures.areaUnderCurve(ties);
    const cautions = cautionsOf(sample, ties, data, area);
    const estimates = estimatesOf(sample, ties, data, area);
    const kinds = cautions.map((caution) => caution.kind);
    const withheld = kinds.filter((kind) => kind in WITHHELD).filter(
      (kind) => kind !== "reversed scores" || data.probabilities).map((kind) => WITHHELD[kind]);
    const questions = kinds.filter((kind) => kind in QUESTIONS).map((kind) => QUESTIONS[kind]);
    const verdict = verdictOf(sample, ties, data, kinds, estimates);
    const found = withheld.length
      ? { withheld } : { withheld: null, questions, advice: advise(data, verdict, command) };
    return { data, cautions, verdict, estimates, ...found, ties };
  }

  /* calibkit.report.sentences.advise, without groups; `command` fits the default. */
  function advise(data, { outcome, pValue }, command) {
    const sentences = [
      comparing.toCalibrate(null, "log", data.probabilities),
      `Fit it to rows that the classifier was not trained on: ${command}, or in Python: ` +
      "calib.StackedCalibrator().fit(scores, labels).",
    ];
    if (pValue !== undefined && outcome !== "miscalibrated") {
      const reason = outcome === "no evidence"
        ? "the test of the verdict finds no error to correct" : `there are few ${rarerClass(data)}s`;
      sentences.push(
        `Expect little: ${reason}. StackedCalibrator(trust=0.7) stays nearer to the scores.`);
    }
    sentences.push(
      "Then judge the calibrated scores on rows that it has not seen: on its own rows every " +
      "calibrator looks good.");
    if (data.rarer < FEW) {
      const wanted = rowsWanted(data);
      const rarerRows = Math.ceil((wanted * data.rarer) / data.rows);
      sentences.push(
        `Collect more rows: with about ${amount(wanted)} rows ` +
        `(${count(rarerRows, rarerClass(data))}) of the same kind, a bias of a fifth of the fraction ` +
        "of the rarer class would be found in four of five samples.");
    }
    if (data.probabilities) {
      sentences.push(
        "Before deciding by these probabilities, read the decision curve at the threshold that " +
        "your costs imply.",
        "Repeat this on new rows from time to time: populations change.");
    }
    return sentences;
  }

  const rarerClass = (data) =>
    (data.positives <= data.rows - data.positives ? "positive" : "negative");

  /* calibkit.report.verdict.rows_wanted. */
  function rowsWanted(data) {
    const rate = Math.min(Math.max(data.rarer, 1) / data.rows, 0.5);
    const one = { scores: Float64Array.of(rate), weights: Float64Array.of(1) };
    const needed = (measures.detectableBias(one) / (WANTED_BIAS * rate)) ** 2;
    return Math.ceil(needed / 100) * 100;
  }

  /* calibkit.report.sentences.verdict_in_words, of calibkit.report.verdict.finding_of. */
  function verdictOf(sample, ties, data, kinds, estimates) {
    if (!data.probabilities) {
      return {
        outcome: "cannot say",
        sentence:
          "Cannot say: the scores are no probabilities, because they reach from " +
          `${number(data.lowest)} to ${number(data.highest)}.`,
        details: ["They can be ranked, and turned into probabilities by a calibrator."],
      };
    }
    const withheld = kinds.find((kind) => kind in NO_VERDICT);
    if (withheld) {
      const sentence = `Cannot say: ${NO_VERDICT[withheld]}.`;
      return { outcome: "cannot say", sentence, details: [] };
    }
    const pValue = measures.verdictPValue(sample, ties);
    const found = { pValue, detectable: measures.detectableBias(ties) };
    if (pValue <= LEVEL) return { ...found, ...miscalibrated(ties, data, estimates, pValue) };
    if (data.rarer < FEW) return { ...found, ...tooFew(data, found) };
    return { ...found, ...noEvidence(ties, data, estimates, found) };
  }

  /* calibkit.report.sentences._too_few. */
  function tooFew(data, { pValue, detectable }) {
    return {
      outcome: "cannot say",
      sentence:
        `Cannot say: ${count(data.rarer, rarerClass(data))} among ${count(data.rows, "row")} ` +
        `${data.rarer === 1 ? "is" : "are"} too few to judge calibration.`,
      details: [
        `The test finds no miscalibration (${probability(pValue)}), but it is weak.`,
        whatEscapes(detectable),
      ],
    };
  }

  /* calibkit.report.sentences._no_evidence. */
  function noEvidence(ties, data, { bias, slope }, { pValue, detectable }) {
    const doubts = [];
    const misses = (estimate, right) =>
      Number.isFinite(estimate.lower) && !(estimate.lower <= right && right <= estimate.upper);
    if (misses(bias, 0)) doubts.push("bias (observed less predicted)");
    if (misses(slope, 1)) doubts.push("calibration slope");
    if (measures.spiegelhalter(ties).pValue <= LEVEL) doubts.push("Spiegelhalter's test");
    const band = measures.confidenceBand(ties);
    if (band.crosses || !band.holdsDiagonal) doubts.push("the confidence band");
    const details = [whatEscapes(detectable)];
    if (doubts.length) {
      details.push(
        `Looked at alone, this would speak against calibration: ${listed(doubts)}. One of several ` +
        "looks does so by chance in more than one of twenty samples: see new data.");
    }
    return {
      outcome: "no evidence",
      sentence:
        `No evidence of miscalibration in ${count(data.rows, "row")} with ` +
        `${count(data.positives, "positive")} (all ranges and groups at once, ` +
        `${probability(pValue)}).`,
      details,
    };
  }

  /* calibkit.report.sentences._what_escapes. */
  function whatEscapes(detectable) {
    if (detectable === 0) {
      return "That is no proof of calibration: predictions of 0 and 1 are refuted by the first " +
        "one that is wrong.";
    }
    if (detectable >= 1) {
      return "That is no proof of calibration: with so little weight every bias can escape the " +
        "test.";
    }
    return "That is no proof of calibration. If all predictions were off by " +
      `${points(detectable)} percentage points, the test would find it with a probability of ` +
      `80${BLANK}% or more; smaller errors, and errors of few rows, can escape it.`;
  }

  /* calibkit.report.sentences._miscalibrated. */
  function miscalibrated(ties, data, estimates, pValue) {
    const { kuiper_error: kuiper, brier, miscalibration } = estimates;
    const place = measures.worstRange(ties);
    const seldom = kuiper.upper * data.rows < 10 * LITTLE * data.rarer;
    const little = kuiper.upper < LITTLE && seldom;
    const digits = between(1, place.lower, place.upper, 100);
    const ofRange = between(1, kuiper.lower, kuiper.upper, 100);
    const unsure = place.lower <= place.predicted && place.predicted <= place.upper ? UNSURE : "";
    return {
      outcome: "miscalibrated",
      place,
      sentence:
        `Miscalibrated${little ? ", but by little" : ""} (${probability(pValue)}): ` +
        `${direction(ties, data, estimates, place)}.`,
      details: [
        `The worst range are predictions ${ends(place)}, ${count(place.count, "row")}: ` +
        `${percent(place.predicted, digits)} positives were predicted there, ` +
        `${percent(place.observed, digits)} seen (limits ${percent(place.lower, digits)} to ` +
        `${percent(place.upper, digits)}, which allow for the choice among all ranges and ` +
        `groups).${unsure}`,
        `The error of one range comes to ${percent(kuiper.value, ofRange)} of all rows at most ` +
        `(95${BLANK}% interval ${percent(kuiper.lower, ofRange)} to ` +
        `${percent(kuiper.upper, ofRange)}).`,
        `The best increasing map would take ${percent(miscalibration.value / brier.value)} off the ` +
        "Brier score on these rows; off calibrated predictions, chance takes up to " +
        `${percent(miscalibration.byChance / brier.value)} in 95 of 100 samples.`,
      ],
    };
  }

  /* calibkit.report.sentences._errors_in_words: what is wrong in a few words, bias and spread, the
     worst range, then what cannot be. */
  function direction(ties, data, { bias, slope }, place) {
    const found = [];
    if (Number.isFinite(bias.lower) && !(bias.lower <= 0 && 0 <= bias.upper)) {
      const rates = [bias.value, bias.lower, bias.upper].map((error) => data.mean + error);
      found.push(`${errorOf(data.mean, ...rates)} on average`);
    }
    const spread = data.rarer >= FEW && Number.isFinite(slope.lower);
    if (spread && !(slope.lower <= 1 && 1 <= slope.upper)) {
      let kind = slope.value < 1 ? "too extreme" : "too timid";
      if (slope.upper < 0) kind = "in reverse order";
      const digits = between(2, slope.lower, slope.upper);
      const limits = `${number(slope.lower, digits)} to ${number(slope.upper, digits)}`;
      found.push(`${kind} (slope ${limits}, where 1 is right)`);
    }
    const where = `${found.length ? "those" : "predictions"} ${placeOf(place)}`;
    let text = found.length ? `predictions are ${found.join(" and ")}; ${where}` : where;
    const impossible = measures.impossibleIn(ties);
    if (impossible) text += `; ${count(impossible, "outcome")} had been given probability 0`;
    return text;
  }

  /* calibkit.report.sentences._place_in_words: the worst range and how far it is off; of
     predictions of 0, what was seen. */
  function placeOf(place) {
    const { predicted, observed, lower, upper } = place;
    if (predicted > 0) return `${ends(place)} are ${errorOf(predicted, observed, lower, upper)}`;
    const digits = between(1, lower, upper, 100);
    const seen = `of 0 had a positive outcome in ${percent(observed, digits)} of the rows`;
    if (lower <= 0) return `${seen} here`;
    return `${seen} (${percent(lower, digits)} to ${percent(upper, digits)})`;
  }

  /* calibkit.report.sentences._deviation_in_words: how far a mean prediction is off, with the
     limits of the share; as a ratio if it is rare. */
  function errorOf(predicted, observed, lower, upper) {
    let size;
    let limits;
    const rare = Math.max(predicted, observed) < RARE && lower > 0;
    if (rare && predicted >= SMALLEST_RATIO * observed) {
      const digits = between(1, predicted / upper, predicted / lower);
      [size, ...limits] = [observed, upper, lower].map(
        (share) => number(predicted / share, digits));
      size = `${size} times the observed fraction`;
    } else {
      const high = observed < predicted;
      const off = [observed, lower, upper].map((share) => (high ? predicted - share : share - predicted));
      limits = [off[1], off[2]].sort((a, b) => a - b);
      const digits = between(1, ...limits, 100);
      size = `${points(off[0], digits)} percentage points too ${high ? "high" : "low"}`;
      limits = limits.map((limit) => points(limit, digits));
    }
    const sure = !(lower <= predicted && predicted <= upper);
    return sure ? `${size} (${limits.join(" to ")})` : `${size} on these rows`;
  }

  /* calibkit.report.sentences._range_in_words. */
  function ends(range) {
    const digits = between(3, range.lowest, range.highest);
    const [lowest, highest] = [number(range.lowest, digits), number(range.highest, digits)];
    return lowest === highest ? `of ${lowest}` : `from ${lowest} to ${highest}`;
  }

  return { judge };
};

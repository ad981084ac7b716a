/*
 * calibkit.comparison.compare of the maps of this page, and calib.StackedCalibrator, their average: the
 * folds, the draws and the words are those of the packages. Needs draws, special, measures and maps.
 */
"use strict";

const comparingModule = () => {
  const { general, fixed, decimalsBetween } = special;
  const FOLDS = 5;
  const MOST_REPEATS = 3;
  const ROWS_PREDICTED = 100000;
  const CONFIDENCE = 0.95;
  const DRAWS = 100000;
  const RIDGE = 1e-9;
  const ENOUGH = 2000;
  const LOSSES = { log: "log loss", brier: "Brier score" };
  const DEFAULT = "Stacked";
  const TRUST = 0.5;
  const CLEARLY_REVERSED = 3; // standard errors
  const PANEL_EDGES = [0, ...Array.from({ length: 41 }, (_, i) => 10 ** (-12 + (12 * i) / 40))];
  const NODES = gaussLegendre(16);

  const picked = ({ scores, labels }, rows) => ({
    scores: Float64Array.from(rows, (i) => scores[i]),
    labels: Uint8Array.from(rows, (i) => labels[i]),
    maps: new Map(), // that were fitted to these rows
  });

  /* The map of a method, fitted once to each training set. */
  function mapOf(name, training) {
    if (!training.maps.has(name)) {
      const { scores, labels } = training;
      const fit = name === DEFAULT ? () => average(training) : () => FITS[name](scores, labels);
      training.maps.set(name, fit());
    }
    return training.maps.get(name);
  }
  const FITS = {
    Identity: maps.identity,
    "Rising line": maps.risingLine,
    "Spline of scores": maps.scoreSpline,
    "Rank spline": maps.rankSpline,
    "Centred Venn-Abers": maps.centredVennAbers,
    ...Object.fromEntries(Object.entries(maps.METHODS).map(([name, { fit }]) => [name, fit])),
  };
  const RISING = ["Centred isotonic", "Centred Venn-Abers"];
  const MEMBERS = {
    ofProbabilities: ["Identity", "Temperature", "Spline", ...RISING],
    ofMargins: ["Rising line", "Spline of scores", "Rank spline", ...RISING],
  };

  /* calib.StackedCalibrator._are_reversed: whether scores are margins, whether these are turned
     round, and what is said of scores that order the classes the wrong way round. */
  function orderOf({ scores, labels }) {
    const margins = scores.some((score) => score < 0 || score > 1);
    const ties = measures.groupTies(scores, labels);
    const positive = measures.positivesOf(labels);
    const negative = labels.length - positive;
    let [below, ofNegatives, ofPositives] = [0, 0, 0];
    ties.weights.forEach((weight, i) => {
      const rank = below + weight / 2;
      ofNegatives += (weight - ties.positives[i]) * rank;
      ofPositives += ties.positives[i] * rank;
      below += weight;
    });
    const auc = 0.5 + (ofPositives / positive - ofNegatives / negative) / labels.length;
    const error = Math.sqrt((1 / negative + 1 / positive) / 12);
    const reversed = margins && auc < 0.5;
    const notes = [];
    if (reversed) {
      notes.push(`scores are turned round: their AUC is ${general(auc, 3)}, as positives have ` +
        "smaller ones");
    } else if (0.5 - auc > CLEARLY_REVERSED * error) {
      notes.push(`scores order the classes the wrong way round (AUC ${general(auc, 3)}), and the ` +
        "order is kept: if they are probabilities of class 0, pass 1 - scores");
    }
    return { margins, reversed, notes };
  }

  /* What is to be known about the map of a method. */
  const notesOf = (name, sample) => (name === DEFAULT ? orderOf(sample).notes : []);

  /* calib.methods.out_of_fold.OutOfFoldCalibrator._in_order: the rows by score and label. */
  function inOrder({ scores, labels }) {
    const order = Uint32Array.from(scores, (_, i) => i);
    order.sort((i, j) => Math.sign(scores[i] - scores[j]) || labels[i] - labels[j]);
    return picked({ scores, labels }, order);
  }

  /* calib.StackedCalibrator: the average of its members, by their held-out losses. */
  function average({ scores, labels }) {
    const { margins, reversed } = orderOf({ scores, labels });
    const training = inOrder({ scores: reversed ? scores.map((score) => -score) : scores, labels });
    const names = margins ? MEMBERS.ofMargins : MEMBERS.ofProbabilities;
    const weights = learnedWeights(training, names);
    const members = names.map((name) => mapOf(name, training));
    const mixture = { kind: "mixture", weights, members, odds_factor: 1 };
    const move = levelMove(mixture, training.scores, training.labels);
    const map = { ...mixture, odds_factor: Math.exp(move) };
    return reversed ? { kind: "mirrored", map } : map;
  }

  /* calib.methods.path_weights.prior_weights, if one member at most is the scores. */
  function priorOf(names) {
    const others = names.filter((name) => name !== "Identity").length;
    if (others === names.length) return names.map(() => 1 / others);
    return names.map((name) => (name === "Identity" ? TRUST : (1 - TRUST) / others));
  }

  /* calib.StackedCalibrator._learn_weights. */
  function learnedWeights(training, names) {
    const { scores, labels } = training;
    const prior = priorOf(names);
    const positives = measures.positivesOf(labels);
    const fewer = Math.min(positives, labels.length - positives);
    if (fewer === 0 || labels.length - fewer <= 1) return prior;
    const folds = dealt(scores, labels);
    const used = fewer < FOLDS || labels.length <= 100000 ? FOLDS : 1;
    const losses = names.map(() => 0);
    for (let fold = 0; fold < used; fold++) {
      const rows = [[], []];
      folds.forEach((f, i) => rows[f === fold ? 1 : 0].push(i));
      const [others, held] = rows.map((part) => picked(training, part));
      names.forEach((name, k) => {
        const logit = maps.logitsOf(mapOf(name, others));
        held.scores.forEach((score, i) => {
          const against = held.labels[i] ? -logit(score) : logit(score);
          losses[k] += Math.max(against, 0) + Math.log1p(Math.exp(-Math.abs(against)));
        });
      });
    }
    return pathWeights(losses, prior);
  }

  /* calib.StackedCalibrator._level_move. */
  function levelMove(mixture, scores, labels) {
    const probabilities = Array.from(scores, maps.functionOf(mixture));
    const rate = maps.rateWithin(measures.positivesOf(labels), labels.length);
    const ones = probabilities.map(() => 1);
    const move = maps.levelShift(probabilities.map(special.logOdds), ones, rate);
    const information = sumOf(probabilities.map((p) => p * (1 - p)));
    return information * move ** 2 > 1 ? move * (1 - 1 / (information * move ** 2)) : 0;
  }

  /* calib.methods.folds.deal of rows of weight 1: the fold of each row. */
  function dealt(scores, labels) {
    const rng = draws.generator();
    const folds = new Uint8Array(labels.length);
    for (const label of [0, 1]) {
      const values = scores.filter((_, i) => labels[i] === label);
      const owners = rng.permutation(Uint8Array.from(values, (_, i) => i % FOLDS));
      const sorted = values.slice().sort();
      const seen = new Int32Array(values.length);
      for (let i = 0; i < scores.length; i++) {
        if (labels[i] !== label) continue;
        const first = measures.countBelow(sorted, scores[i]);
        folds[i] = owners[first + seen[first]++];
      }
    }
    return folds;
  }

  /* calib.methods.path_weights.path_weights; `losses` is the total of each member. */
  function pathWeights(losses, prior) {
    const least = Math.min(...losses);
    const weights = losses.map(() => 0);
    for (let panel = 1; panel < PANEL_EDGES.length; panel++) {
      const half = (PANEL_EDGES[panel] - PANEL_EDGES[panel - 1]) / 2;
      for (const { node, weight } of NODES) {
        const power = PANEL_EDGES[panel - 1] + half * (1 + node);
        const odds = losses.map((loss, k) => Math.log(prior[k]) - power * (loss - least));
        const largest = Math.max(...odds);
        const parts = odds.map((value) => Math.exp(value - largest));
        const all = sumOf(parts);
        parts.forEach((part, k) => {
          weights[k] += (half * weight * part) / all;
        });
      }
    }
    return normalized(weights);
  }

  /* numpy.polynomial.legendre.leggauss: roots of a Legendre polynomial by Newton's method. */
  function gaussLegendre(n) {
    return Array.from({ length: n }, (_, i) => {
      let node = -Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
      let slope = 1;
      for (let turn = 0; turn < 10; turn++) {
        let [before, value] = [1, node];
        for (let k = 2; k <= n; k++) {
          [before, value] = [value, ((2 * k - 1) * node * value - (k - 1) * before) / k];
        }
        slope = (n * (before - node * value)) / (1 - node ** 2);
        node -= value / slope;
      }
      return { node, weight: 2 / ((1 - node ** 2) * slope ** 2) };
    });
  }

  const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

  /* calib.methods.path_weights.weights_of_sum_one: no average with them exceeds 1. */
  function normalized(weights) {
    const all = sumOf(weights);
    let found = weights.map((w) => w / all);
    while (sumOf(found) > 1) found = found.map((w) => w * (1 - 2 ** -53));
    return found;
  }

  /* calibkit.comparison.cross_validation.repeated_folds, by sklearn's
     RepeatedStratifiedKFold(5, random_state=0): the fold of each row, by repeat. */
  function foldsOf(labels, nRepeats) {
    const rng = draws.legacyGenerator();
    const codes = labels.map((label) => (label === labels[0] ? 0 : 1));
    const sorted = codes.slice().sort();
    return Array.from({ length: nRepeats }, () => {
      const folds = new Uint8Array(labels.length);
      for (const code of [0, 1]) {
        const owners = [];
        for (let fold = 0; fold < FOLDS; fold++) {
          let size = 0;
          for (let i = fold; i < sorted.length; i += FOLDS) size += sorted[i] === code;
          for (let i = 0; i < size; i++) owners.push(fold);
        }
        rng.shuffle(owners);
        let next = 0;
        codes.forEach((c, i) => {
          if (c === code) folds[i] = owners[next++];
        });
      }
      return folds;
    });
  }

  /* calibkit.comparison.cross_validation.CrossValidation.try_calibrator: what a method predicts in
     each repeat, and what that costs. */
  function tried(sample, repeats, predictor) {
    const { scores, labels } = sample;
    const n = scores.length;
    const rowLosses = { log: new Float64Array(n), brier: new Float64Array(n) };
    const foldLosses = [];
    let certain = false;
    for (const parts of repeats) {
      for (const { training, test } of parts) {
        const predict = predictor(training);
        let sum = 0;
        for (const i of test) {
          const p = predict(scores[i]);
          certain ||= p === 0 || p === 1;
          const loss = 0 - Math.log(labels[i] ? p : 1 - p);
          rowLosses.log[i] += loss;
          rowLosses.brier[i] += (p - labels[i]) ** 2;
          sum += loss;
        }
        foldLosses.push(sum / test.length);
      }
    }
    for (const row of Object.values(rowLosses)) row.forEach((sum, i) => {
      row[i] = sum / repeats.length;
    });
    return { rowLosses, foldLosses, certain };
  }

  /* calibkit.inference.simultaneous_intervals.simultaneous_intervals of rows of weight 1. */
  function simultaneousIntervals(differences) {
    const n = differences[0].length;
    const estimates = differences.map((row) => row.reduce((sum, d) => sum + d, 0) / n);
    const residuals = differences.map((row, j) => row.map((d) => d - estimates[j]));
    const covariance = (a, b) =>
      (sumOf(measures.products(residuals[a], residuals[b])) / n ** 2) * (n / (n - 1));
    const finite = estimates.flatMap((mean, j) => (Number.isFinite(mean) ? [j] : []));
    const errors = new Map(finite.map((j) => [j, Math.sqrt(covariance(j, j))]));
    const varying = finite.filter((j) => errors.get(j) > 0);
    const correlations = varying.map((a) =>
      varying.map((b) => covariance(a, b) / (errors.get(a) * errors.get(b))));
    const quantile = largestQuantile(correlations, n - 1);
    return estimates.map((value, j) => {
      const error = errors.get(j) ?? 0;
      const reach = quantile * error;
      return { value, lower: value - reach, upper: value + reach, error };
    });
  }

  /* calibkit.inference.simultaneous_intervals._quantile_of_largest: of the largest |t| of variables
     with these correlations. */
  function largestQuantile(correlations, freedom) {
    const k = correlations.length;
    if (k === 0) return 0;
    const root = correlations.map(() => new Float64Array(k));
    for (let i = 0; i < k; i++) {
      for (let j = 0; j <= i; j++) {
        let rest = correlations[i][j] + (i === j ? RIDGE : 0);
        for (let m = 0; m < j; m++) rest -= root[i][m] * root[j][m];
        root[i][j] = i === j ? Math.sqrt(rest) : rest / root[j][j];
      }
    }
    const rng = draws.generator();
    const largest = new Float64Array(DRAWS);
    const normals = new Float64Array(k);
    for (let draw = 0; draw < DRAWS; draw++) {
      for (let j = 0; j < k; j++) normals[j] = rng.normal();
      for (let i = 0; i < k; i++) {
        let sum = 0;
        for (let j = 0; j <= i; j++) sum += root[i][j] * normals[j];
        largest[draw] = Math.max(largest[draw], Math.abs(sum));
      }
    }
    for (let draw = 0; draw < DRAWS; draw++) {
      largest[draw] /= Math.sqrt(rng.chiSquared(freedom) / freedom);
    }
    largest.sort();
    const place = CONFIDENCE * (DRAWS - 1);
    const below = Math.floor(place);
    return largest[below] + (place - below) * (largest[below + 1] - largest[below]);
  }

  /* calibkit.comparison.compare of the maps of these names. */
  function compare(sample, names) {
    const n = sample.scores.length;
    const nRepeats = Math.min(Math.max(Math.floor(ROWS_PREDICTED / n), 1), MOST_REPEATS);
    const repeats = foldsOf(sample.labels, nRepeats).map((folds) =>
      Array.from({ length: FOLDS }, (_, fold) => {
        const rows = [[], []];
        folds.forEach((f, i) => rows[f === fold ? 1 : 0].push(i));
        return { training: picked(sample, rows[0]), test: rows[1] };
      }));
    const trials = { Raw: tried(sample, repeats, () => (score) => score) };
    for (const name of names) {
      trials[name] = tried(sample, repeats, (set) => maps.functionOf(mapOf(name, set)));
    }
    const gains = Object.fromEntries(Object.keys(LOSSES).map((kind) => {
      const differences = names.map((name) => {
        const losses = trials[name].rowLosses[kind];
        return trials.Raw.rowLosses[kind].map((loss, i) => loss - losses[i]);
      });
      const intervals = simultaneousIntervals(differences);
      return [kind, Object.fromEntries(names.map((name, j) => [name, intervals[j]]))];
    }));
    const results = Object.entries(trials).map(([name, trial]) => {
      const worse = trial.foldLosses.filter((loss, f) => loss > trials.Raw.foldLosses[f]).length;
      return {
        name,
        log: sumOf(trial.rowLosses.log) / n,
        brier: sumOf(trial.rowLosses.brier) / n,
        logGain: gains.log[name] ?? null,
        brierGain: gains.brier[name] ?? null,
        harm: worse / trial.foldLosses.length,
        certain: trial.certain,
      };
    });
    const notes = [];
    const infinite = results.filter(({ log }) => log === Infinity).map(({ name }) => name);
    if (infinite.length) {
      notes.push("Infinite log loss, because an outcome came that had been given probability 0: " +
        `${infinite.join(", ")}. Nothing is clipped; the Brier score is finite.`);
    }
    if (n < ENOUGH) {
      notes.push("With fewer than 2,000 rows an interval may hold less often than it promises: it " +
        "is a rough guide.");
    }
    return { results, ...advice(results), notes, nRepeats };
  }

  // calibkit.comparison.result.recommend, for log loss

  function advice(results) {
    const others = results.slice(1);
    const standard = others.find(({ name }) => name === DEFAULT);
    if (standard) {
      const gainIn = Number.isFinite(results[0].log) ? "log" : "brier";
      return { chosen: DEFAULT, recommendation: toCalibrate(standard[`${gainIn}Gain`], gainIn) };
    }
    const smallest = (list) => list.reduce((best, one) => (one.log < best.log ? one : best));
    const better = others.filter(({ logGain }) => logGain.lower > 0);
    if (!better.length) return { chosen: null, recommendation: nothing(others, smallest) };
    const chosen = smallest(better);
    let why = "infinite";
    if (Number.isFinite(chosen.logGain.value)) {
      why = `larger by ${general(chosen.logGain.value, 3)} (${limits(chosen)})${together(others)}`;
    }
    let text = `Calibrate by ${chosen.name}: its log loss is ${lossOf(chosen)}, and the ` +
      `log loss of the raw scores is ${why}.`;
    const smaller = results.filter(({ log }) => log < chosen.log).map(({ name }) => name);
    if (smaller.length) {
      text += ` Smaller yet, but with a gain whose interval holds 0: ${smaller.join(", ")}.`;
    }
    if (chosen.certain) {
      text += " It predicts exactly 0 or 1 in some rows: one surprise there costs infinite loss.";
    }
    return { chosen: chosen.name, recommendation: text };
  }

  /* calibkit.comparison.guide.advice_to_calibrate; without a gain if none was measured. */
  function toCalibrate(gain, gainIn, probabilities = true) {
    const bound = probabilities
      ? `${special.fixed(-Math.log(TRUST), 2)} nats in all worse than the scores`
      : `${special.fixed(Math.log(MEMBERS.ofMargins.length), 2)} nats in all worse than Platt scaling`;
    let measured = ".";
    if (gain) {
      const [verb, than] = gain.value < 0 ? ["loses", "to"] : ["gains", "over"];
      measured = `: on held-out rows it ${verb} ${general(Math.abs(gain.value), 3)} in ` +
        `${LOSSES[gainIn]} ${than} the raw scores (standard error ${general(gain.error, 2)}).`;
    }
    return `Calibrate with the default, StackedCalibrator()${measured} On the held-out rows by ` +
      `which it weighs its members it cannot be more than ${bound}, before its sum is set right.`;
  }

  // calibkit.comparison.result._loss_in_words
  function lossOf({ log, logGain }) {
    const digits = decimalsBetween(logGain.lower, logGain.upper);
    return log >= 10 ** (3 - digits) ? fixed(log, digits) : general(log, 3);
  }

  function nothing(others, smallest) {
    const none = "None of these is significantly better than the raw scores: ";
    const beginWith = " Begin with the default, StackedCalibrator(), which was not compared.";
    const finite = others.filter(({ log }) => Number.isFinite(log));
    if (!finite.length) {
      return `${none}the log loss of every calibrator is infinite; compare by loss='brier'.` +
        beginWith;
    }
    const best = smallest(finite);
    const gain = best.logGain.value;
    let which;
    if (gain > 0) {
      which = `the gain of ${best.name}, ${general(gain, 3)} in log loss, may be chance`;
    } else {
      const larger = gain ? `larger by ${general(-gain, 3)}` : "the same";
      which = `none has a smaller log loss, and the log loss of ${best.name} is ${larger}`;
    }
    return `${none}${which} (${limits(best)} of the gain)${together(others)}.${beginWith}`;
  }

  const limits = ({ logGain }) =>
    `95 % interval ${general(logGain.lower, 3)} to ${general(logGain.upper, 3)}`;
  const together = (others) =>
    (others.length > 1 ? `, allowing for the choice among ${others.length}` : "");

  return { compare, mapOf, notesOf, toCalibrate };
};

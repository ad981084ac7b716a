/*
 * calibkit.comparison.compare of the maps of this page, and calib.StackedCalibrator, their average: the
 * folds, the draws and the words are those of the packages. Needs draws, special, measures and maps.
 */
"use strict";

const comparingModule = () => {
  const { general, fixed, decimalsBetween } = special;
  const FOLDS = 5;
  const MOST_REPEATS = 10;
  const ROWS_PREDICTED = 100000;
  const CONFIDENCE = 0.95;
  const DRAWS = 100000;
  const RIDGE = 1e-9;
  const ENOUGH = 2000;
  const FEW_ROWS = 500;
  const LOSSES = { log: "log loss", brier: "Brier score" };
  const AVERAGE = "Average";

  const picked = ({ scores, labels }, rows) => ({
    scores: Float64Array.from(rows, (i) => scores[i]),
    labels: Uint8Array.from(rows, (i) => labels[i]),
    maps: new Map(), // that were fitted to these rows
  });

  /* The map of a method, fitted once to each training set. */
  function mapOf(name, training) {
    if (!training.maps.has(name)) {
      const { scores, labels } = training;
      const fit = name === AVERAGE ? () => average(training) : () => FITS[name](scores, labels);
      training.maps.set(name, fit());
    }
    return training.maps.get(name);
  }
  const FITS = {
    Identity: maps.identity,
    Quadratic: maps.quadratic,
    ...Object.fromEntries(Object.entries(maps.METHODS).map(([name, { fit }]) => [name, fit])),
  };
  const MEMBERS =
    ["Identity", "Temperature", "Quadratic", "Spline", "Centred isotonic", "Venn-Abers"];

  /* calib.StackedCalibrator: the average of the members that foresees held-out labels best. */
  function average(training) {
    const { scores, labels } = training;
    const positives = measures.positivesOf(labels);
    const fewer = Math.min(positives, labels.length - positives);
    const folds = dealt(scores, labels);
    const used = fewer < FOLDS || labels.length <= 100000 ? FOLDS : 1;
    const losses = MEMBERS.map(() => []);
    for (let fold = 0; fold < used; fold++) {
      const rows = [[], []];
      folds.forEach((f, i) => rows[f === fold ? 1 : 0].push(i));
      const [others, held] = rows.map((part) => picked(training, part));
      MEMBERS.forEach((name, k) => {
        const logit = maps.logitsOf(mapOf(name, others));
        held.scores.forEach((score, i) => {
          const against = held.labels[i] ? -logit(score) : logit(score);
          losses[k].push(Math.max(against, 0) + Math.log1p(Math.exp(-Math.abs(against))));
        });
      });
    }
    const weights = likeliestWeights(losses, fewer >= FOLDS ? 0.1 : 1);
    return { kind: "mixture", weights, members: MEMBERS.map((name) => mapOf(name, training)) };
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

  /* calib.methods.stacking_weights.likeliest_weights; `losses` is a list for each member. */
  function likeliestWeights(losses, prior) {
    const k = losses.length;
    const n = losses[0].length;
    const shares = losses.map(() => new Float64Array(n));
    for (let i = 0; i < n; i++) {
      let least = Infinity;
      for (const row of losses) least = Math.min(least, row[i]);
      for (let j = 0; j < k; j++) shares[j][i] = Math.exp(least - losses[j][i]);
    }
    const charge = n + prior * k;
    const mixed = (weights, i) => {
      let sum = 0;
      for (let j = 0; j < k; j++) sum += shares[j][i] * weights[j];
      return sum;
    };
    const value = (weights) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += Math.log(mixed(weights, i));
      return sum + prior * weights.reduce((logs, w) => logs + Math.log(w), 0);
    };
    let weights = new Array(k).fill(1 / k);
    for (let turn = 0; turn < 200; turn++) {
      const gradient = weights.map((w) => prior / w - charge);
      const curvature = weights.map((w, a) =>
        weights.map((_, b) => (a === b ? prior / w ** 2 : 0)));
      const ratios = new Float64Array(k);
      for (let i = 0; i < n; i++) {
        const all = mixed(weights, i);
        for (let a = 0; a < k; a++) {
          ratios[a] = shares[a][i] / all;
          gradient[a] += ratios[a];
          for (let b = 0; b <= a; b++) curvature[a][b] += ratios[a] * ratios[b];
        }
      }
      if (Math.max(...gradient) / n <= 1e-9) break;
      for (let a = 0; a < k; a++) for (let b = 0; b < a; b++) curvature[b][a] = curvature[a][b];
      let step = solved(curvature, gradient);
      const best = value(weights);
      const shrink = Math.max(1, 2 * Math.max(...step.map((s, a) => -s / weights[a])));
      step = step.map((s) => s / shrink);
      const moved = () => normalized(weights.map((w, a) => w + step[a]));
      while (value(moved()) < best - 1e-12 * charge) step = step.map((s) => s / 2);
      weights = moved();
    }
    return weights;
  }

  const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

  /* calib.methods.stacking_weights.weights_of_sum_one: no average with them exceeds 1. */
  function normalized(weights) {
    const all = sumOf(weights);
    let found = weights.map((w) => w / all);
    while (sumOf(found) > 1) found = found.map((w) => w * (1 - 2 ** -53));
    return found;
  }

  /* The solution of linear equations, with row pivots. */
  function solved(matrix, right) {
    const rows = matrix.map((row, i) => [...row, right[i]]);
    const n = rows.length;
    for (let j = 0; j < n; j++) {
      let pivot = j;
      for (let i = j + 1; i < n; i++) {
        if (Math.abs(rows[i][j]) > Math.abs(rows[pivot][j])) pivot = i;
      }
      [rows[j], rows[pivot]] = [rows[pivot], rows[j]];
      for (let i = j + 1; i < n; i++) {
        const factor = rows[i][j] / rows[j][j];
        for (let m = j; m <= n; m++) rows[i][m] -= factor * rows[j][m];
      }
    }
    const x = new Array(n);
    for (let i = n - 1; i >= 0; i--) {
      let value = rows[i][n];
      for (let m = i + 1; m < n; m++) value -= rows[i][m] * x[m];
      x[i] = value / rows[i][i];
    }
    return x;
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
      const reach = errors.has(j) ? quantile * errors.get(j) : 0;
      return { value, lower: value - reach, upper: value + reach };
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
    return { results, ...advice(results, n), notes, nRepeats };
  }

  // calibkit.comparison.result.recommend, for log loss

  function advice(results, n) {
    const others = results.slice(1);
    const smallest = (list) => list.reduce((best, one) => (one.log < best.log ? one : best));
    const better = others.filter(({ logGain }) => logGain.lower > 0);
    if (!better.length) {
      return { chosen: null, recommendation: nothing(others, smallest) + fewRows(n) };
    }
    const chosen = smallest(better);
    let why = "infinite";
    if (Number.isFinite(chosen.logGain.value)) {
      why = `larger by ${general(chosen.logGain.value, 3)} (${limits(chosen)})${together(others)}`;
    }
    let text = `Calibrate by ${chosen.name}: its log loss is ${lossOf(chosen)}, and that of the ` +
      `raw scores is ${why}.`;
    const smaller = results.filter(({ log }) => log < chosen.log).map(({ name }) => name);
    if (smaller.length) {
      text += ` Smaller yet, but with a gain whose interval holds 0: ${smaller.join(", ")}.`;
    }
    if (chosen.certain) {
      text += " It predicts exactly 0 or 1 in some rows: one surprise there costs infinite loss.";
    }
    return { chosen: chosen.name, recommendation: text };
  }

  // calibkit.comparison.result._loss_in_words
  function lossOf({ log, logGain }) {
    const digits = decimalsBetween(logGain.lower, logGain.upper);
    return log >= 10 ** (3 - digits) ? fixed(log, digits) : general(log, 3);
  }

  function nothing(others, smallest) {
    const keep = "Keep the raw scores: ";
    const finite = others.filter(({ log }) => Number.isFinite(log));
    if (!finite.length) {
      return `${keep}the log loss of every calibrator is infinite; compare by loss='brier'.`;
    }
    const best = smallest(finite);
    const gain = best.logGain.value;
    let which;
    if (gain > 0) {
      which = `the gain of ${best.name}, ${general(gain, 3)} in log loss over the raw scores, may ` +
        "be chance";
    } else {
      const larger = gain ? `larger by ${general(-gain, 3)}` : "the same";
      which = "no calibrator has a smaller log loss than the raw scores; that of " +
        `${best.name} is ${larger}`;
    }
    return `${keep}${which} (${limits(best)} of the gain)${together(others)}.`;
  }

  const limits = ({ logGain }) =>
    `95 % interval ${general(logGain.lower, 3)} to ${general(logGain.upper, 3)}`;
  const together = (others) => `, allowing for the choice among ${others.length}`;

  function fewRows(n) {
    if (n >= FEW_ROWS) return "";
    return ` With ${n} rows few gains are certain: if you must calibrate all the same, begin with ` +
      "StackedCalibrator(). It averages calibrators of several kinds, and never predicts exactly " +
      "0 or 1.";
  }

  return { compare, mapOf };
};

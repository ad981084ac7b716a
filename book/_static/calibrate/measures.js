/*
 * What `calib report` measures of scores in [0, 1] and labels, without weights, groups or clusters:
 * each function does what the function of calib named above it does. Needs draws and special.
 *
 * A sample is {scores, labels}, a Float64Array and a Uint8Array; ties are {scores, weights,
 * positives}, the distinct scores in increasing order.
 */
"use strict";

const measuresModule = () => {
  const { expit, logit, total, prefixSums, segmentSum, ndtri, ndtr } = special;
  const FEW = 20;
  const SAME = 1e-11;
  const OVERSHOOT = 0.5825971579390106;

  const mean = (values) => total(values) / values.length;
  const positivesOf = (labels) => labels.reduce((sum, label) => sum + label, 0);

  /* calib.kernels.ties.ties. */
  function groupTies(scores, labels) {
    const n = scores.length;
    const positive = positivesOf(labels);
    const [zeros, ones] = [new Float64Array(n - positive), new Float64Array(positive)];
    let [i, j] = [0, 0];
    for (let k = 0; k < n; k++) {
      if (labels[k]) ones[j++] = scores[k];
      else zeros[i++] = scores[k];
    }
    return mergeTies(zeros.sort(), ones.sort());
  }

  /* Ties of the sorted scores of both classes. */
  function mergeTies(zeros, ones) {
    const n = zeros.length + ones.length;
    const [scores, weights, positives] = [0, 0, 0].map(() => new Float64Array(n));
    let [i, j, k] = [0, 0, -1];
    while (i < zeros.length || j < ones.length) {
      const hit = i === zeros.length || (j < ones.length && ones[j] < zeros[i]);
      const score = hit ? ones[j++] : zeros[i++];
      if (k < 0 || scores[k] !== score) scores[++k] = score;
      weights[k] += 1;
      positives[k] += hit ? 1 : 0;
    }
    const cut = (column) => column.slice(0, k + 1);
    return { scores: cut(scores), weights: cut(weights), positives: cut(positives) };
  }

  /* calib.kernels.adjacent_violators.pool_adjacent_violators. */
  function pool({ weights, positives }) {
    const n = weights.length;
    const starts = new Int32Array(n + 1);
    const [totals, hits] = [new Float64Array(n), new Float64Array(n)];
    let b = -1;
    for (let g = 0; g < n; g++) {
      let start = g;
      let weight = weights[g];
      let hit = positives[g];
      while (b >= 0 && !(hits[b] * weight < hit * totals[b])) {
        start = starts[b];
        weight += totals[b];
        hit += hits[b];
        b -= 1;
      }
      b += 1;
      starts[b] = start;
      totals[b] = weight;
      hits[b] = hit;
    }
    starts[b + 1] = n;
    return {
      starts: starts.slice(0, b + 2), totals: totals.slice(0, b + 1), hits: hits.slice(0, b + 1),
    };
  }

  /* calib.metrics.corp_curve: the recalibrated probability of each tie. */
  function corp(ties) {
    const { starts, totals, hits } = pool(ties);
    const values = new Float64Array(ties.scores.length);
    for (let b = 0; b < hits.length; b++) values.fill(hits[b] / totals[b], starts[b], starts[b + 1]);
    return values;
  }

  /* calib.kernels.binning.equal_frequency_starts, of ties. */
  function neighbours(ties, most) {
    const n = ties.scores.length;
    if (n <= most) return Array.from({ length: n + 1 }, (_, i) => i);
    const ranks = prefixSums(ties.weights);
    const twice = 2 * ranks[n];
    const starts = [0];
    const binOf = (g) => {
      const position = (most * (ranks[g] + ranks[g + 1])) / twice;
      return position < most - 1 ? Math.floor(position) : most - 1;
    };
    let bin = binOf(0);
    for (let g = 1; g < n && bin < most - 1; g++) {
      if (most * (ranks[g] + ranks[g + 1]) >= (bin + 1) * twice) {
        starts.push(g);
        bin = Math.max(binOf(g), bin + 1);
      }
    }
    return [...starts, n];
  }

  const sumsOf = (starts, values) => {
    const sums = new Float64Array(starts.length - 1);
    for (let b = 0; b < sums.length; b++) {
      for (let g = starts[b]; g < starts[b + 1]; g++) sums[b] += values[g];
    }
    return sums;
  };
  const products = (a, b) => a.map((value, i) => value * b[i]);

  /* calibkit.inference.confidence_band: limits at the ties. */
  function confidenceBand(ties) {
    const starts = neighbours(ties, 50);
    const k = starts.length - 1;
    const [ranks, hits] = [ties.weights, ties.positives].map(prefixSums);
    const tail = (1 - 0.95) / (k * (k + 1));
    const lows = new Float64Array(k + 1);
    const highs = new Float64Array(k + 1).fill(1);
    for (let end = 1; end <= k; end++) {
      for (let start = 0; start < end; start++) {
        const count = ranks[starts[end]] - ranks[starts[start]];
        const [low, high] =
          special.clopperPearson(hits[starts[end]] - hits[starts[start]], count, tail);
        lows[end - 1] = Math.max(lows[end - 1], low);
        highs[start] = Math.min(highs[start], high);
      }
    }
    for (let i = 1; i < k; i++) lows[i] = Math.max(lows[i], lows[i - 1]);
    for (let i = k - 2; i >= 0; i--) highs[i] = Math.min(highs[i], highs[i + 1]);
    lows[k] = 0; // before the first group, as index -1 is the last
    const lower = new Float64Array(ties.scores.length);
    const upper = new Float64Array(ties.scores.length);
    for (let group = 0; group < k; group++) {
      for (let g = starts[group]; g < starts[group + 1]; g++) {
        const before = group === 0 ? k : group - 1;
        lower[g] = lows[g === starts[group + 1] - 1 ? group : before];
        upper[g] = highs[g === starts[group] ? group : group + 1];
      }
    }
    const holds = ties.scores.every((p, g) => lower[g] <= p && p <= upper[g]);
    return { lower, upper, holdsDiagonal: holds, crosses: lower.some((low, g) => low > upper[g]) };
  }

  /* calibkit.inference.resampling_tests.draws_of: calls `use` with the numbers of positives at the
     ties, draw by draw, until it returns false. */
  function eachDraw(ties, nDraws, use) {
    const { scores, weights } = ties;
    const n = scores.length;
    const rows = total(weights);
    const mirrored = 2 * total(products(weights, scores)) > rows;
    const at = mirrored ? (i) => n - 1 - i : (i) => i;
    const chances = scores.map((_, i) => (mirrored ? 1 - scores[at(i)] : scores[i]));
    const counts = weights.map((_, i) => weights[at(i)]);
    const rng = draws.generator();
    const hits = new Float64Array(n);
    const byRow = rows <= 32 * n;
    for (let draw = 0; draw < nDraws; draw++) {
      for (let i = 0; i < n; i++) {
        let drawn = 0;
        if (byRow) for (let row = 0; row < counts[i]; row++) drawn += rng.random() < chances[i];
        else drawn = rng.binomial(counts[i], chances[i]);
        hits[at(i)] = mirrored ? counts[i] - drawn : drawn;
      }
      if (use(hits, draw) === false) return;
    }
  }

  // Statistics of calibkit.inference.statistics: functions of the numbers of positives at the ties.

  /* calibkit.inference.statistics._kuiper_statistic. */
  function kuiperOf(ties) {
    const expected = products(ties.weights, ties.scores);
    const rows = total(ties.weights);
    return (hits) => {
      let [path, lowest, highest] = [0, 0, 0];
      for (let k = 0; k < hits.length; k++) {
        path += hits[k] - expected[k];
        if (path < lowest) lowest = path;
        else if (path > highest) highest = path;
      }
      return (highest - lowest) / rows;
    };
  }

  /* calibkit.inference.statistics._scan_statistic. */
  function scanOf(ties) {
    const starts = neighbours(ties, 50);
    const counts = sumsOf(starts, ties.weights);
    const expected = sumsOf(starts, products(ties.weights, ties.scores));
    return (hits) => worstInterval(sumsOf(starts, hits), counts, expected).divergence;
  }

  /* calibkit.inference.label_paths.worst_intervals, of one draw. */
  function worstInterval(hits, counts, expected) {
    let worst = 0;
    let [from, to] = [0, hits.length - 1];
    for (let first = 0; first < hits.length; first++) {
      let [seen, count, wanted] = [0, 0, 0];
      for (let last = first; last < hits.length; last++) {
        seen += hits[last];
        count += counts[last];
        wanted += expected[last];
        let divergence = 0;
        if (seen > 0) divergence += seen * Math.log(seen / wanted);
        if (seen < count) divergence += (count - seen) * Math.log((count - seen) / (count - wanted));
        if (divergence > worst) {
          worst = divergence;
          from = first;
          to = last;
        }
      }
    }
    return { divergence: worst, first: from, last: to };
  }

  /* calibkit.inference.statistics._miscalibration_statistic. */
  function miscalibrationOf(ties) {
    const { scores, weights } = ties;
    const rows = total(weights);
    return (positives) => {
      const { totals, hits } = pool({ weights, positives });
      let sum = 0;
      for (let i = 0; i < scores.length; i++) {
        sum += scores[i] * (weights[i] * scores[i] - 2 * positives[i]);
      }
      for (let b = 0; b < hits.length; b++) sum += (hits[b] * hits[b]) / totals[b];
      return sum / rows;
    };
  }

  /* calibkit.inference.statistics._ece_statistic, of ten bins of equal size. */
  function eceOf(ties) {
    const starts = neighbours(ties, 10);
    const expected = sumsOf(starts, products(ties.weights, ties.scores));
    const rows = total(ties.weights);
    return (hits) => total(sumsOf(starts, hits).map((sum, b) => Math.abs(sum - expected[b]))) / rows;
  }

  /* calibkit.inference.statistics._spiegelhalter_statistic. */
  function spiegelhalterOf(ties) {
    const { scores, weights } = ties;
    const slopes = scores.map((p) => 1 - 2 * p);
    const variances = scores.map((p, i) => weights[i] * p * (1 - p));
    const deviation = Math.sqrt(total(products(variances, products(slopes, slopes))));
    const expected = total(products(products(weights, scores), slopes));
    return {
      variances,
      z: (hits) => (deviation === 0 ? 0 : (total(products(hits, slopes)) - expected) / deviation),
    };
  }

  /* calibkit.report.sample.CleanSample.impossible: number of outcomes that were given probability
     0. */
  function impossibleIn(ties) {
    let found = 0;
    ties.scores.forEach((p, i) => {
      if (p === 0) found += ties.positives[i];
      if (p === 1) found += ties.weights[i] - ties.positives[i];
    });
    return found;
  }

  /* calibkit.inference.calibration_test of kuiper and scan: p values of both at once. */
  function adjustedPValues(ties, nDraws) {
    const statistics = [kuiperOf(ties), scanOf(ties)];
    const found = statistics.map((statistic) => {
      const row = new Float64Array(nDraws + 1);
      row[0] = statistic(ties.positives);
      return row;
    });
    eachDraw(ties, nDraws, (hits, draw) => {
      statistics.forEach((statistic, j) => {
        found[j][draw + 1] = statistic(hits);
      });
    });
    const size = nDraws + 1;
    const pValues = found.map((row) => {
      const limited = row.map((value) => Math.min(value, 1e300));
      const sorted = limited.slice().sort();
      return limited.map((v) => (size - countBelow(sorted, v - SAME * (1 + Math.abs(v)))) / size);
    });
    const smallest = pValues[0].map((p, i) => Math.min(p, pValues[1][i])).sort();
    const above = (p) => size - smallest.reduce((sum, q) => sum + (q > p), 0);
    return pValues.map((row) => above(row[0]) / size);
  }

  /* numpy.searchsorted, on the left. */
  function countBelow(sorted, value) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* calibkit.report.measures.verdict_p_values: of at most 2000 blocks of neighbours. */
  function verdictPValue(sample, ties) {
    if (impossibleIn(ties)) return 0;
    return Math.min(...adjustedPValues(blocksOf(sample, ties), 999));
  }

  /* calibkit.report.measures._neighbour_blocks. */
  function blocksOf({ scores, labels }, ties) {
    const n = scores.length;
    const step = Math.ceil(n / 2000);
    // stable order: each row behind those of its tie that came before
    const places = Int32Array.from(prefixSums(ties.weights));
    const [sorted, hits] = [new Float64Array(n), new Float64Array(n)];
    for (let i = 0; i < n; i++) {
      const place = places[countBelow(ties.scores, scores[i])]++;
      sorted[place] = scores[i];
      hits[place] = labels[i];
    }
    const blocks = [];
    for (let start = 0; start < n; start += step) {
      const end = Math.min(start + step, n);
      const count = end - start;
      const sum = segmentSum(sorted, start, end);
      blocks.push({
        score: step === 1 ? sorted[start] : Math.min(sum / count, 1),
        count,
        positive: segmentSum(hits, start, end),
      });
    }
    blocks.sort((a, b) => a.score - b.score);
    const merged = [];
    for (const block of blocks) {
      const last = merged.at(-1);
      if (last?.score === block.score) {
        last.count += block.count;
        last.positive += block.positive;
      } else merged.push({ ...block });
    }
    const column = (key) => Float64Array.from(merged, (block) => block[key]);
    return { scores: column("score"), weights: column("count"), positives: column("positive") };
  }

  /* calibkit.report.measures.simulated, but for smooth ECE. With the methods of
     calibkit.inference.resampling_tests.Simulated: the mean of each error of calibrated samples
     (floor), and what 95 of 100 stay below (byChance). */
  function simulated(ties) {
    const statistics = {
      kuiper: kuiperOf(ties), miscalibration: miscalibrationOf(ties), ece: eceOf(ties),
    };
    const names = Object.keys(statistics);
    const drawn = names.map(() => new Float64Array(99));
    eachDraw(ties, 99, (hits, draw) => {
      names.forEach((name, j) => {
        drawn[j][draw] = statistics[name](hits);
      });
    });
    return Object.fromEntries(names.map((name, j) => [name, {
      floor: mean(drawn[j]), byChance: drawn[j].sort()[Math.ceil(0.95 * 98)],
    }]));
  }

  /* calibkit.inference.spiegelhalter_test. */
  function spiegelhalter(ties) {
    if (impossibleIn(ties)) return { statistic: Infinity, pValue: 0 };
    const { variances, z } = spiegelhalterOf(ties);
    const moment = (power) => total(variances.map((v, i) => v * (1 - 2 * ties.scores[i]) ** power));
    const statistic = z(ties.positives);
    if (moment(2) === 0) return { statistic: 0, pValue: 1 };
    if (!(moment(4) > 0.2 * moment(2) ** 1.5)) {
      return { statistic, pValue: 2 * ndtr(-Math.abs(statistic)) };
    }
    return { statistic, pValue: outcomesPValue(ties, (hits) => Math.abs(z(hits))) };
  }

  /* calibkit.inference.resampling_tests.Outcomes.p_value: by all outcomes, if they are few. */
  function outcomesPValue(ties, statistic) {
    const few = ties.weights.reduce((outcomes, n) => outcomes * (n + 1), 1) <= 1999;
    return few ? exactPValue(ties, statistic) : drawnPValue(ties, statistic);
  }

  /* calibkit.inference.resampling_tests._CountDistribution.exact_p_value. */
  function exactPValue(ties, statistic) {
    const observed = statistic(ties.positives);
    const limit = observed - SAME * (1 + Math.abs(observed));
    const chances = Array.from(ties.scores, (p, i) => binomialChances(ties.weights[i], p));
    const hits = new Float64Array(chances.length);
    let found = 0;
    const visit = (i, chance) => {
      if (i === hits.length) {
        if (statistic(hits) >= limit) found += chance;
        return;
      }
      chances[i].forEach((of, k) => {
        hits[i] = k;
        visit(i + 1, chance * of);
      });
    };
    visit(0, 1);
    return Math.min(found, 1);
  }

  /* The chance of each number of positives among n rows. */
  function binomialChances(n, p) {
    const logs = [0];
    for (let k = 1; k <= n; k++) logs.push(logs[k - 1] + Math.log(k));
    const times = (count, log) => (count === 0 ? 0 : count * log);
    return logs.map((log, k) => Math.exp(
      logs[n] - log - logs[n - k] + times(k, Math.log(p)) + times(n - k, Math.log1p(-p))));
  }

  /* calibkit.inference.resampling_tests.drawn_p_value. */
  function drawnPValue(ties, statistic) {
    const [most, enough] = [1999, 100];
    let limit = statistic(ties.positives);
    limit -= SAME * (1 + Math.abs(limit));
    let asLarge = 0;
    let pValue = null;
    eachDraw(ties, most, (hits, draw) => {
      asLarge += statistic(hits) >= limit ? 1 : 0;
      if (asLarge >= enough) pValue = enough / (draw + 1);
      return pValue === null;
    });
    return pValue ?? (1 + asLarge) / (1 + most);
  }

  /* calibkit.inference.mean_intervals.normal_interval. */
  const interval = (estimate, error, z) =>
    ({ value: estimate, lower: estimate - z * error, upper: estimate + z * error });
  const Z = () => ndtri((1 + 0.95) / 2);

  /* calibkit.inference.mean_interval. */
  function meanInterval(values) {
    const n = values.length;
    const centre = mean(values);
    if (n <= 1) return { value: centre, lower: -Infinity, upper: Infinity };
    const variance = total(values.map((v) => (v - centre) ** 2)) / n;
    return interval(centre, Math.sqrt(variance / (n - 1)), Z());
  }

  /* calib.metrics.score_decomposition of the Brier score. */
  function decomposition(ties) {
    const { scores, weights, positives } = ties;
    const rows = total(weights);
    const rate = total(positives) / rows;
    const brier = (at) => total(weights.map((weight, i) =>
      (weight - positives[i]) * at(i) ** 2 + positives[i] * (1 - at(i)) ** 2)) / rows;
    const recalibrated = corp(ties);
    const [ours, best, base] = [(i) => scores[i], (i) => recalibrated[i], () => rate].map(brier);
    return { score: ours, miscalibration: ours - best, discrimination: base - best, uncertainty: base };
  }

  /* calibkit.inference.kuiper_interval. */
  function kuiperInterval(ties, brier) {
    const rows = total(ties.weights);
    const value = kuiperOf(ties)(ties.positives);
    const variance = total(ties.scores.map((p, i) => ties.weights[i] * p * (1 - p))) / rows;
    const noise = special.criticalRange(0.95) * Math.sqrt(Math.max(brier, variance) / rows);
    return { value, lower: Math.max(value - noise, 0), upper: Math.min(value + noise, 1) };
  }

  /* calibkit.inference.detectable_bias, with power 0.8. */
  function detectableBias(ties) {
    const variance = total(ties.scores.map((p, i) => ties.weights[i] * p * (1 - p)));
    const reach = special.criticalRange(0.95) + ndtri(0.8);
    return (reach * Math.sqrt(variance)) / total(ties.weights);
  }

  /* calibkit.report.measures.place_of: the worst range, with limits for the choice. It is found as
     by calibkit.inference.kuiper.worst_range. */
  function worstRange(ties) {
    const starts = neighbours(ties, 50);
    const counts = sumsOf(starts, ties.weights);
    const expected = sumsOf(starts, products(ties.weights, ties.scores));
    const { first, last } = worstInterval(sumsOf(starts, ties.positives), counts, expected);
    const [from, to] = [starts[first], starts[last + 1]];
    const part = (column) => total(column.subarray(from, to));
    const count = part(ties.weights);
    const positive = part(ties.positives);
    const ranges = (50 * 51) / 2;
    const [lower, upper] = special.clopperPearson(positive, count, 0.05 / ranges / 2);
    const predicted = part(products(ties.weights, ties.scores)) / count;
    return {
      lowest: ties.scores[from], highest: ties.scores[to - 1], count, predicted,
      observed: positive / count, lower, upper,
    };
  }

  /* calibkit.inference.recalibration_intervals, or the reason why there are none. */
  function recalibration({ scores, labels }) {
    if (scores.some((p) => p === 0 || p === 1)) {
      return { reason: "predictions of 0 or 1 have no finite log-odds" };
    }
    const logits = scores.map(logit);
    const ends = [[Infinity, -Infinity], [Infinity, -Infinity]];
    logits.forEach((value, i) => {
      const end = ends[labels[i]];
      if (value < end[0]) end[0] = value;
      if (value > end[1]) end[1] = value;
    });
    if (ends[0][1] <= ends[1][0] || ends[1][1] <= ends[0][0]) {
      return { reason: "the predictions are all equal, or they separate the classes" };
    }
    const n = scores.length;
    const base = logit(positivesOf(labels) / n);
    const scale = Math.sqrt(mean(logits.map((value) => value ** 2)));
    const column = logits.map((value) => value / scale);
    const fit = fitting.newton(
      fitting.sampleOf([column], labels, [0, 0]), Float64Array.of(base, 0));
    const [intercept, slope] = [fit.level, fit.slopes[0] / scale];
    const shift = shiftOf(logits, labels, base);
    const onLine = logits.map((value) => expit(intercept + slope * value));
    const shifted = logits.map((value) => expit(value + shift));
    const errors = [...lineErrors(logits, labels, onLine), shiftError(labels, shifted)];
    const names = ["slope", "intercept", "inTheLarge"];
    return Object.fromEntries([slope, intercept, shift].map((value, k) =>
      [names[k], interval(value, errors[k], Z())]));
  }

  /* calibkit.inference.calibration_in_the_large. */
  function inTheLarge({ scores, labels }) {
    return shiftOf(scores.map(logit), labels, logit(positivesOf(labels) / labels.length));
  }

  /* calibkit.inference.recalibration.recalibration_line: what is to be added to the logits, by
     Newton's method within a bracket. */
  function shiftOf(logits, labels, base) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of logits) {
      low = Math.min(low, base - value);
      high = Math.max(high, base - value);
    }
    let shift = Math.min(Math.max(0, low), high);
    for (let step = 0; step < 200; step++) {
      let [residual, curvature] = [0, 0];
      for (let i = 0; i < logits.length; i++) {
        const p = expit(logits[i] + shift);
        residual += labels[i] - p;
        curvature += p * (1 - p);
      }
      if (residual > 0) low = shift;
      else high = shift;
      let next = shift + residual / curvature;
      if (!(low <= next && next <= high)) next = (low + high) / 2;
      if (Math.abs(next - shift) < 1e-14) return next;
      shift = next;
    }
    return shift;
  }

  /* calibkit.inference.coefficients.FittedRegression.intervals: errors of slope and intercept. */
  function lineErrors(logits, labels, fitted) {
    const bread = [0, 0, 0];
    const filling = [0, 0, 0];
    for (let i = 0; i < logits.length; i++) {
      const x = logits[i];
      const a = fitted[i] * (1 - fitted[i]);
      const b = (labels[i] - fitted[i]) ** 2;
      bread[0] += a * x * x;
      bread[1] += a * x;
      bread[2] += a;
      filling[0] += b * x * x;
      filling[1] += b * x;
      filling[2] += b;
    }
    const determinant = bread[0] * bread[2] - bread[1] ** 2;
    const [p, q, r] = [bread[2], -bread[1], bread[0]].map((value) => value / determinant);
    const variance = (u, v) => u * u * filling[0] + 2 * u * v * filling[1] + v * v * filling[2];
    return [Math.sqrt(variance(p, q)), Math.sqrt(variance(q, r))];
  }

  function shiftError(labels, fitted) {
    const bread = total(fitted.map((p) => p * (1 - p)));
    return Math.sqrt(total(fitted.map((p, i) => (labels[i] - p) ** 2))) / bread;
  }

  /* calibkit.report.measures.area_under_curve: the AUC with DeLong's limits. */
  function areaUnderCurve(ties) {
    const { weights, positives } = ties;
    const negatives = weights.map((weight, i) => weight - positives[i]);
    const sizes = [total(negatives), total(positives)];
    if (Math.min(...sizes) === 0) return { value: null };
    // shares of the other class that a row of each tie beats, or that beat it
    const [below, above] = [new Float64Array(weights.length), new Float64Array(weights.length)];
    let [seen, reached] = [0, 0];
    for (let i = 0; i < weights.length; i++) {
      below[i] = (2 * seen + negatives[i]) / (2 * sizes[0]);
      above[i] = 1 - (2 * reached + positives[i]) / (2 * sizes[1]);
      seen += negatives[i];
      reached += positives[i];
    }
    const area = total(products(positives, below)) / sizes[1];
    if (Math.min(...sizes) === 1) return { value: area };
    let variance = 0;
    for (const [counts, shares, size] of [[negatives, above, sizes[0]], [positives, below, sizes[1]]]) {
      const centre = total(products(counts, shares)) / size;
      variance += total(counts.map((c, i) => c * (shares[i] - centre) ** 2)) / (size - 1) / size;
    }
    const error = Math.sqrt(variance);
    const reversed = area < 0.5;
    const wrong = [[negatives, above], [positives, below]].map(([counts, shares]) =>
      total(counts.map((c, i) => ((reversed ? 1 - shares[i] : shares[i]) < 1 ? c : 0))));
    const [low, high] = areaLimits(reversed ? 1 - area : area, error, sizes, wrong);
    return reversed
      ? { value: area, lower: 1 - high, upper: 1 - low } : { value: area, lower: low, upper: high };
  }

  /* calibkit.inference.auc_intervals._area_limits. */
  function areaLimits(area, error, sizes, wrong) {
    const z = Z();
    let [lower, upper] = [area, area];
    if (area < 1) {
      const odds = area / (1 - area);
      const reach = Math.exp((z * error) / (area * (1 - area)));
      [lower, upper] = [odds / (odds + reach), (odds * reach) / (odds * reach + 1)];
    }
    if (Math.min(...wrong) >= FEW) return [lower, upper];
    const half = (sizes[0] + sizes[1]) / 2 - 1;
    const others = half * ((1 - area) / (2 - area) + area / (1 + area));
    let told = (sizes[0] * sizes[1]) / (1 + others);
    if (error > 0) told = Math.min(told, (area * (1 - area)) / error ** 2);
    const spread = z * Math.sqrt((area * (1 - area)) / told + (z / told / 2) ** 2);
    return [Math.min(lower, (area + z ** 2 / told / 2 - spread) / (1 + z ** 2 / told)), upper];
  }

  /* calibkit.inference.copies_test. */
  function copies(ties) {
    const { weights, positives } = ties;
    const n = weights.length;
    const rates = positives.map((positive, i) => positive / weights[i]);
    const step = (i) => rates[i + 1] + rates[i] - 2 * rates[i + 1] * rates[i];
    let [expected, differing, repeated] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      if (!(weights[i] > 1)) continue;
      const beside = (i > 0 ? step(i - 1) : 0) + (i < n - 1 ? step(i) : 0);
      expected += beside / (i === 0 || i === n - 1 ? 1 : 2);
      const share = (positives[i] * (weights[i] - positives[i])) /
        Math.max((weights[i] * (weights[i] - 1)) / 2, 1);
      differing += share;
      if (share === 0) repeated += weights[i] - 1;
    }
    const pValue = expected > 0 ? special.betainc(expected, differing + 1, 0.5) : 1;
    return { copies: repeated, found: pValue < 0.001 && differing <= expected / 2 };
  }

  /* calibkit.inference.change_test. */
  function change(values) {
    const n = values.length;
    const centre = mean(values);
    const deviation = Math.sqrt(mean(values.map((v) => (v - centre) ** 2)));
    if (deviation === 0) return { pValue: 1, row: 0 };
    let [path, largest, row] = [0, -1, 0];
    for (let i = 0; i < n - 1; i++) {
      path += values[i] - centre;
      if (Math.abs(path) > largest) [largest, row] = [Math.abs(path), i];
    }
    const corrected = largest / (deviation * Math.sqrt(n)) + OVERSHOOT / Math.sqrt(n);
    return { pValue: special.kolmogorov(corrected), row: row + 1 };
  }

  /* calib.metrics.losses.logarithmic and calib.metrics.losses.squared. */
  const logLosses = (labels, p) => p.map((q, i) => 0 - Math.log(labels[i] ? q : 1 - q));
  const squares = (labels, p) => p.map((q, i) => (q - labels[i]) ** 2);

  return {
    FEW, mean, positivesOf, groupTies, pool, corp, confidenceBand, verdictPValue,
    simulated, eceOf, spiegelhalter, meanInterval, decomposition, kuiperInterval,
    detectableBias, worstRange, recalibration, inTheLarge, areaUnderCurve, copies, change, impossibleIn,
    logLosses, squares, products, countBelow,
  };
};
